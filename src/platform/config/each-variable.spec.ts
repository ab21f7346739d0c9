import { generateKeyPairSync } from 'node:crypto';
import { problems, read, sha256, whsec } from '../../../test/support/configurations.js';
import { sections } from './config.js';
import type { Setting } from './setting.js';

const { privateKey: signing, publicKey: verifying } = generateKeyPairSync('ed25519');
const pem = signing.export({ format: 'pem', type: 'pkcs8' }).toString();
const privateKey = signing.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const publicKey = verifying.export({ format: 'der', type: 'spki' }).toString('base64');
const otherKind = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ format: 'der', type: 'pkcs8' })
  .toString('base64');

/** Variables that are valid only together with others. */
const together: Readonly<Record<string, Record<string, string>>> = {
  WEBHOOK_AMQP_URL: { WEBHOOK_AMQP_QUEUE: 'events' },
  WEBHOOK_AMQP_QUEUE: { WEBHOOK_AMQP_URL: 'amqp://127.0.0.1' },
};

describe('each variable', () => {
  it.each([
    ['PORT', ['0', '65535'], ['-1', '65536', '80.5', '0x50', '1e3', 'http']],
    ['HOST', ['::', 'localhost'], ['a b', 'http://localhost']],
    [
      'DATABASE_URL',
      ['sqlite:/var/keep.sqlite', 'postgresql://db.test/keep'],
      ['sqlite:', 'sqlite::memory:', 'sqlite://x', 'keep.sqlite', 'postgres://', 'mysql://db.test/keep'],
    ],
    [
      'UPSTREAM_BASE_URL',
      ['https://a.test/base/', 'http://127.8.9.1:80'],
      ['http://a.test', 'ftp://a.test', 'a.test', 'https://a.test?x=1', 'https://a.test#x', 'https://u:p@a.test'],
    ],
    ['UPSTREAM_API_KEY', ['sk_us_a'], ['sk_us_a b', 'sk_us_é']],
    ['UPSTREAM_API_KEY_HEADER', ['x-key'], ['x key', 'x:key']],
    ['APP_RESULTS', ['off', 'final'], ['on', 'partial', 'true']],
    ['RESULT_PDFS', ['pass', 'store'], ['on', 'true']],
    ['HTTP_KEEP_ALIVE_SECONDS', ['1', '86400'], ['0', '86401']],
    ['UPSTREAM_AVAILABILITY_INPUT', ['query', 'body'], ['path']],
    ['UPSTREAM_MAX_CONCURRENCY', ['1', '256'], ['0', '257']],
    ['UPSTREAM_REQUESTS_PER_SECOND', ['1'], ['0']],
    ['UPSTREAM_TIMEOUT_MS', ['100'], ['99']],
    [
      'WEBHOOK_SECRETS',
      [whsec(16), whsec(64), `${whsec(24)},${whsec(24, 8)}`],
      [whsec(15), whsec(65), whsec(24).slice(6), `${whsec(24)},`, `${whsec(24)},${whsec(24)}`, 'whsec_!!!!', 'whsec_'],
    ],
    ['WEBHOOK_TOLERANCE_SECONDS', ['1', '3600'], ['0', '3601']],
    ['WEBHOOK_MAX_BYTES', ['1024'], ['1023']],
    [
      'WEBHOOK_AMQP_URL',
      ['amqp://127.0.0.1', 'amqps://user:p%2Cw@mq.example.com:5671/', 'amqps://user:pw@[::1]/a%2Fb'],
      [
        'mq.example.com',
        'https://user:pw@mq.example.com',
        'amqp://u:p@h/a/b',
        'amqp://u:p@h?heartbeat=1',
        'amqp://u:%zz@h',
      ],
    ],
    ['WEBHOOK_AMQP_QUEUE', ['events', 'a b/c'], ['x'.repeat(256)]],
    ['CLIENT_ID_SECRET', ['x'.repeat(32)], ['x'.repeat(31)]],
    ['PUSH_SIGNING_KEYS', ['x'.repeat(32), `${'x'.repeat(32)},${'y'.repeat(32)}`], ['x'.repeat(31)]],
    [
      'PUSH_BROKER_LOGINS',
      ['nats://token@10.1.2.3', 'amqps://user:p%2Cw@mq.example.com:5671/,nats+tls://a:b@n.example.com'],
      [
        'amqp://mq.example.com',
        'https://user:pw@mq.example.com',
        'amqp://user:pw@mq.example.com/vhost',
        'nats://u:%zz@h',
      ],
    ],
    ['PAGERDUTY_ROUTING_KEY', ['R0'.repeat(16)], ['R0'.repeat(15), 'R-'.repeat(16)]],
    [
      'PUSH_ALLOWED_NETWORKS',
      ['10.0.0.0/8', '127.0.0.1,::1', '100.64.0.0/10', 'fd00:10::/32', '64:ff9b::/96'],
      // The second row: networks with a metadata service of a cloud.
      [
        ...['intranet', '10.0.0.0/33'],
        ...['169.254.169.254', '169.254.0.0/16', '169.254.170.2/32', '10.0.0.0/8,0.0.0.0/0', '::/0', '::ffff:0:0/96'],
        ...['fd00::/8', 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'],
      ],
    ],
    ['APP_JWT_SECRET', ['x'.repeat(32), 'é'.repeat(16)], ['x'.repeat(31)]],
    ['APP_JWT_ISSUER', ['customers', 'https://a.test/'], ['https://a.test/,', 'a,a']],
    ['APP_JWT_ACCOUNTS', ['shared', 'by_issuer'], ['apart']],
    [
      'PUBLIC_URL',
      ['https://a.test', 'https://a.test:8443/', 'http://127.0.0.1:3000'],
      ['a.test', 'http://a.test', 'https://a.test/keep', 'https://a.test/?x'],
    ],
    ['OIDC_CLIENT_AUTH', ['auto', 'client_secret_basic', 'client_secret_post'], ['private_key_jwt']],
    ['OIDC_SCOPES', ['openid', 'openid profile groups', 'openid,email'], ['profile', 'openid "x"']],
    ['APP_JWT_AUDIENCE', ['ios', 'ios,web'], ['ios,', 'ios,ios']],
    ['APP_JWT_CLIENT_IDS', ['ios', 'ios,web'], ['ios,', 'ios,ios']],
    ['APP_JWT_ANY_AUDIENCE', ['true', 'false'], ['yes', 'TRUE']],
    ['APP_JWT_ACCOUNT_CLAIM', ['https://customer.test/account'], ['a b']],
    [
      'APP_LINK_REDIRECT_ORIGINS',
      ['https://a.test:8443'],
      ['https://a.test/', 'https://A.test', 'http://a.test', '*', 'null', 'https://a.test,'],
    ],
    [
      'ADMIN_API_KEYS',
      [`a:reader:${sha256('a')}`],
      [
        `a:reader:${sha256('a').slice(1)}`,
        `a:root:${sha256('a')}`,
        `a:${sha256('a')}`,
        `a:reader:${sha256('a')}:x`,
        `:reader:${sha256('a')}`,
        `a:reader:${sha256('a')},a:viewer:${sha256('b')}`,
        `a:reader:${sha256('a')},b:viewer:${sha256('a')}`,
      ],
    ],
    ['ACCOUNT_REQUESTS_PER_MINUTE', ['1', '1000000'], ['0', '1000001']],
    ['SYNC_RESOURCES', ['steps', 'all', 'sleep, steps'], ['Sleep', 'sleep,all', 'sleep,sleep', 'dreams']],
    ['SYNC_INTERVAL_SECONDS', ['1'], ['0']],
    ['SYNC_MAX_INTERVAL_SECONDS', ['1', '604800'], ['0', '604801']],
    ['SYNC_LOOKBACK_HOURS', ['0'], ['-1']],
    ['SYNC_BACKFILL_DAYS', ['3650'], ['0', '3651']],
    ['SILENCE_ALERT_HOURS', ['1'], ['0']],
    [
      'DELETIONS',
      ['off', 'apply,oura:observe', 'observe, garmin:off'],
      ['on', 'oura:off', 'apply,off', 'off,oura:x:off'],
    ],
    ['DELETION_CONFIRM_HOURS', ['0', '720'], ['-1', '721']],
    ['DELETION_HOLD_SHARE', ['0', '1', '0.25', '.5'], ['1.1', '-0.1', '20%']],
    ['MESSAGE_RETENTION_DAYS', ['1'], ['0']],
    ['CHANGE_RETENTION_DAYS', ['1', '3650'], ['0', '3651']],
    [
      'SAMPLES_KEEP_DAYS',
      ['all', '400', '30', '400,glucose=all', 'heartrate=30, glucose=3650'],
      [
        ...['29', '0', 'heartrate=29', 'heartrate=3651', 'heartrate', 'heartrate:400', 'heartrate=400=1', '=400'],
        ...['400,all', 'heartrate=400,heartrate=500', 'heartrat=400', 'steps=400', 'Heartrate=400', '-30'],
      ],
    ],
    ['ACCESS_LOG_REASONS', ['optional', 'required'], ['no', 'true']],
    [
      'ACCESS_LOG_KEY',
      [privateKey, pem],
      [publicKey, privateKey.slice(8), 'x', pem.replaceAll('PRIVATE', 'PUBLIC'), otherKind],
    ],
    ['AUDIT_CALLS_PER_DAY', ['0', '40000'], ['-1', '40001']],
    ['AUDIT_CYCLE_DAYS', ['1', '400'], ['0', '401']],
    [
      'AUDIT_REPORT_KEYS',
      [privateKey, pem, `${privateKey},${publicKey}`],
      [publicKey, `${publicKey},${privateKey}`, `${privateKey},x`, `${privateKey},${otherKind}`],
    ],
    ['DATABASE_KEY', ['0f'.repeat(32), '0F'.repeat(32)], ['0f'.repeat(31), `${'0f'.repeat(32)}0f`, 'g0'.repeat(32)]],
    [
      'ERASURE_FENCE_SECRETS',
      ['x'.repeat(32), `${'x'.repeat(32)},${'y'.repeat(32)}`],
      ['x'.repeat(31), `${'x'.repeat(32)},y`],
    ],
    ['DISK_LOW_BYTES', ['0', '100000000000000'], ['-1', '1GiB', '100000000000001']],
    ['BACKUP_INTERVAL_HOURS', ['1', '720'], ['0', '721']],
    ['LOG_LEVEL', ['debug'], ['trace', 'INFO']],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      ['http://collector:4318', 'https://collector.test/otlp'],
      ['collector:4318', 'grpc://collector:4317', 'http://a:b@collector:4318', 'http://collector?x=1', 'x'],
    ],
  ] as const)('%s accepts valid values only', (name, good, bad) => {
    const others = together[name] ?? {};
    for (const value of good) expect(() => read({ ...others, [name]: value })).not.toThrow();
    for (const value of bad)
      expect(problems({ ...others, [name]: value }).map((text) => text.split(' ')[0])).toEqual([name]);
  });

  it.each(['api', 'worker'])('ROLE %s needs PostgreSQL', (role) => {
    expect(problems({ ROLE: role })).toEqual(['ROLE requires PostgreSQL in DATABASE_URL unless it is all']);
    expect(read({ ROLE: role, DATABASE_URL: 'postgres://db.test/keep' }).role.role).toBe(role);
  });

  it.each(Object.entries(together))('%s is refused without its companion', (name, others) => {
    const [[missing, value] = ['', '']] = Object.entries(others);
    expect(problems({ [missing]: value })).toEqual([
      `${name} is required: WEBHOOK_AMQP_URL and WEBHOOK_AMQP_QUEUE go together`,
    ]);
  });

  it('DATABASE_URL names one host', () => {
    expect(problems({ DATABASE_URL: 'postgres://keeper@a.test:5432,b.test/keep?target_session_attrs=any' })).toEqual([
      'DATABASE_URL must name one host; with several servers, name the one that leads to the writable server',
    ]);
    expect(problems({ DATABASE_URL: 'postgresql:///keep?host=/var/run/postgresql' })).toEqual([
      'DATABASE_URL must name a host; for a socket, postgres://user@localhost/name?host=/var/run/postgresql',
    ]);
  });

  it('DATABASE_READ_URL names one PostgreSQL beside a PostgreSQL, and workers do not read from it', () => {
    const urls = { DATABASE_URL: 'postgres://db.test/keep', DATABASE_READ_URL: 'postgres://standby.test/keep' };
    expect(read({ ...urls, ROLE: 'api' }).database).toMatchObject({ kind: 'postgres', readUrl: {} });
    expect(read({ ...urls, ROLE: 'worker' }).database).not.toHaveProperty('readUrl');
    expect(problems({ DATABASE_READ_URL: urls.DATABASE_READ_URL })).toEqual([
      'DATABASE_READ_URL requires PostgreSQL in DATABASE_URL',
    ]);
    expect(problems({ ...urls, DATABASE_READ_URL: 'postgres://a.test,b.test/keep' })).toEqual([
      'DATABASE_READ_URL must name one host',
    ]);
    for (const wrong of ['sqlite:/keep.sqlite', 'mysql://db.test/keep', 'db.test']) {
      expect(problems({ ...urls, DATABASE_READ_URL: wrong })).toEqual([
        'DATABASE_READ_URL must be postgres://..., the address of a standby',
      ]);
    }
  });

  it('DATABASE_KEY needs SQLite, and a typo in its name is reported', () => {
    const key = '0f'.repeat(32);
    expect(problems({ DATABASE_KEY: key, DATABASE_URL: 'postgres://db.test/keep' })).toEqual([
      'DATABASE_KEY requires SQLite in DATABASE_URL',
    ]);
    expect(problems({ DATABASE_KEYS: key })).toEqual([
      'DATABASE_KEYS is not a variable of this service; the nearest is DATABASE_KEY',
    ]);
  });

  it.each([
    [{}, './data/pulsekeep.sqlite.erasures'],
    [{ BACKUP_FOLDER: '/backups', DATABASE_URL: 'sqlite:/data/keep.sqlite' }, '/backups/keep.sqlite.erasures'],
    [{ BACKUP_FOLDER: '/backups', DATABASE_URL: 'postgres://db.test/keep' }, '/backups/keep.erasures'],
    [{ DATABASE_URL: 'postgres://db.test/keep' }, undefined],
    [{ DATABASE_URL: 'postgres://db.test/keep', ERASURE_JOURNAL_PATH: '/journal' }, '/journal'],
  ])('the erasure journal is beside the backups: %j', (given, path) => {
    expect(read(given).erasure.journalPath).toBe(path);
  });

  it('exactly one way to verify access tokens is set', () => {
    expect(problems({ APP_JWT_SECRET: ' ' })).toEqual([
      'APP_JWT_JWKS_URL or APP_JWT_SECRET is required, or APP_JWT_ISSUER alone for OIDC discovery',
    ]);
    expect(problems({ APP_JWT_JWKS_URL: 'https://login.customer.test/keys' })).toEqual([
      'APP_JWT_JWKS_URL and APP_JWT_SECRET must not both be set',
    ]);
    const http = { ...byKeySet, APP_JWT_JWKS_URL: 'http://login.customer.test/keys' };
    expect(problems(http)).toEqual(['APP_JWT_JWKS_URL must use https unless it is a loopback address']);
  });

  const byKeySet = {
    APP_JWT_SECRET: '',
    APP_JWT_JWKS_URL: 'https://login.customer.test/keys',
    APP_JWT_ISSUER: 'https://login.customer.test/',
    APP_JWT_AUDIENCE: 'api',
  };

  it('a key set needs an issuer, and an audience or client ids', () => {
    const audience =
      'APP_JWT_AUDIENCE or APP_JWT_CLIENT_IDS is required with a key set; APP_JWT_ANY_AUDIENCE=true accepts every application of the issuer';
    expect(problems({ ...byKeySet, APP_JWT_ISSUER: '', APP_JWT_AUDIENCE: '' })).toEqual([
      'APP_JWT_ISSUER is required with APP_JWT_JWKS_URL',
      audience,
    ]);
    expect(problems({ ...byKeySet, APP_JWT_AUDIENCE: '', APP_JWT_JWKS_URL: '' })).toEqual([audience]);
    for (const restricted of [{ APP_JWT_CLIENT_IDS: 'ios' }, { APP_JWT_ANY_AUDIENCE: 'true' }]) {
      expect(() => read({ ...byKeySet, APP_JWT_AUDIENCE: '', ...restricted })).not.toThrow();
    }
    expect(problems({ ...byKeySet, APP_JWT_ANY_AUDIENCE: 'true' })).toEqual([
      'APP_JWT_ANY_AUDIENCE must not be true if APP_JWT_AUDIENCE or APP_JWT_CLIENT_IDS is set',
    ]);
  });

  it('an issuer alone gives the key set by discovery, if it is one https address', () => {
    const alone = { ...byKeySet, APP_JWT_JWKS_URL: '' };
    expect(read(alone).appAuth.keySet).toEqual({ issuer: 'https://login.customer.test/' });
    for (const bad of [
      'customers',
      'http://login.customer.test',
      'https://a.test?x=1',
      'https://a.test,https://b.test',
    ])
      expect(problems({ ...alone, APP_JWT_ISSUER: bad })[0]).toMatch(/^APP_JWT_ISSUER must /);
  });

  it('APP_JWT_ACCOUNT_CLAIM must not be a claim that people may choose, unless your own backend signs the tokens', () => {
    const free = { APP_JWT_ACCOUNT_CLAIM: 'preferred_username' };
    expect(read(free).appAuth.accountClaim).toBe('preferred_username');
    const keySet = { APP_JWT_SECRET: undefined, APP_JWT_ISSUER: 'https://login.test', APP_JWT_AUDIENCE: 'app' };
    expect(problems({ ...keySet, ...free })[0]).toMatch(/^APP_JWT_ACCOUNT_CLAIM must not be a claim that people may/);
    expect(problems({ ...keySet, APP_JWT_ACCOUNT_CLAIM: 'user.email' })).toHaveLength(1);
    const steady = read({ ...keySet, APP_JWT_ACCOUNT_CLAIM: 'cognito:username' });
    expect(steady.appAuth.accountClaim).toBe('cognito:username');
  });

  describe('OIDC_ROLES', () => {
    const people = { OIDC_ISSUER: 'https://login.test/application/o/keep/', OIDC_CLIENT_ID: 'console' };
    const roles = (OIDC_ROLES: string): unknown[] => [...read({ ...people, OIDC_ROLES }).people.roles];

    it.each([
      ['groups:/ops/sre=operator', 'groups', '/ops/sre'],
      ['groups:4f0b0c6e-2f8e-4c6a-9c11-0a1b2c3d4e5f=operator', 'groups', '4f0b0c6e-2f8e-4c6a-9c11-0a1b2c3d4e5f'],
      ['https://example.com/roles:sre=operator', 'https://example.com/roles', 'sre'],
      ['cognito:groups:sre=operator', 'cognito:groups', 'sre'],
      ['groups:Health Operators=operator', 'groups', 'Health Operators'],
      ['groups:"team:sre"=operator', 'groups', 'team:sre'],
      ['groups:CN=sre,OU=Groups,DC=example,DC=com=operator', 'groups', 'CN=sre,OU=Groups,DC=example,DC=com'],
      ['groups:"CN=operator,OU=Groups"=operator', 'groups', 'CN=operator,OU=Groups'],
      ['groups:Präsenz=operator', 'groups', 'Präsenz'],
      ['email:jane@example.com=operator', 'email', 'jane@example.com'],
    ])('reads %s', (given, claim, value) => {
      const one = { claim, value, role: 'operator' };
      expect(roles(given)).toEqual([one]);
      const two = { claim: 'groups', value: 'support', role: 'viewer' };
      expect(roles(`${given}, groups:support=viewer`)).toEqual([one, two]);
      expect(roles(`groups:support=viewer,${given}`)).toEqual([two, one]);
    });

    it.each([
      'groups:sre',
      'groups:sre=root',
      'groups:sre=root,groups:support=viewer',
      'groups:sre,groups:support=viewer',
      'sre=operator',
      'groups:=operator',
      ':sre=operator',
      'groups:sre=operator,,',
      'groups:sre=operator,groups:sre=operator',
      'groups:CN=operator,OU=Groups=operator',
      'groups:"sre=operator',
    ])('refuses %s', (OIDC_ROLES) => {
      expect(problems({ ...people, OIDC_ROLES })[0]).toMatch(/^OIDC_ROLES must /);
    });

    it('belong to an issuer exactly as it is given', () => {
      for (const OIDC_ISSUER of ['https://login.test/o/keep/', 'https://login.test/o/keep', 'https://login.test/']) {
        expect(read({ ...people, OIDC_ISSUER, OIDC_ROLES: 'groups:sre=operator' }).people.issuer).toBe(OIDC_ISSUER);
      }
    });
  });

  it('several issuers need their own audiences, and a decision about their accounts', () => {
    const several = { APP_JWT_ISSUER: 'https://a.test/,https://b.test/' };
    const accounts = 'APP_JWT_ACCOUNTS is required with several issuers';
    expect(problems(several)).toEqual([accounts]);
    expect(problems({ ...several, APP_JWT_AUDIENCE: 'ios,web', APP_JWT_CLIENT_IDS: 'https://a.test/ x,y' })).toEqual([
      'APP_JWT_AUDIENCE must have entries of the form ISSUER VALUE with several issuers',
      'APP_JWT_CLIENT_IDS must have entries of the form ISSUER VALUE with several issuers',
      accounts,
    ]);
    const paired = {
      ...several,
      APP_JWT_ACCOUNTS: 'shared',
      APP_JWT_AUDIENCE: 'https://a.test/ ios, https://b.test/ web',
    };
    expect(() => read(paired)).not.toThrow();
    expect(() => read({ ...several, APP_JWT_ACCOUNTS: 'by_issuer', APP_JWT_AUDIENCE: 'api' })).not.toThrow();
  });

  it('each has a name and a text of its own', () => {
    const settings = Object.values(sections).flatMap(({ settings: table }) => Object.values<Setting<unknown>>(table));
    for (const part of ['name', 'text'] as const) {
      expect(new Set(settings.map((setting) => setting[part])).size).toBe(settings.length);
    }
  });
});
