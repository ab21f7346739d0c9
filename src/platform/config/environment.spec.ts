import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { catalogue, problems, read, refusal, sha256, valid, whsec } from '../../../test/support/configurations.js';
import { HttpConfig } from './config.js';
import { SqliteConfig } from './database-config.js';
import { variables } from './variables.js';

describe('readConfig', () => {
  it('fills in the defaults', () => {
    const config = read();
    expect(config.http).toEqual(
      new HttpConfig({
        host: '127.0.0.1',
        port: 3_000,
        publicUrl: undefined,
        trustedProxies: [],
        corsOrigins: [],
        drainSeconds: 5,
        keepAliveSeconds: 620,
      }),
    );
    expect(config.database).toEqual(new SqliteConfig({ kind: 'sqlite', path: './data/pulsekeep.sqlite' }));
    expect(config.role.role).toBe('all');
    expect(config.upstream).toMatchObject({
      baseUrl: 'https://api.sandbox.us.upstream.test',
      apiKeyHeader: 'x-service-api-key',
      region: 'us',
      environment: 'sandbox',
      apiKeyIsUnfamiliar: false,
      availabilityInput: 'auto',
      maxConcurrency: 8,
      requestsPerSecond: 20,
      timeoutMs: 30_000,
    });
    expect(config.webhook).toMatchObject({ toleranceSeconds: 300, maxBytes: 5_242_880 });
    expect(config.appAuth).toMatchObject({
      keySet: undefined,
      issuers: [],
      audiences: [],
      clientIds: [],
      accountClaim: 'sub',
    });
    expect(config.link.redirectOrigins).toEqual([]);
    expect(config.appResults.shown).toBe('off');
    expect(config.sync).toEqual({
      resources: catalogue,
      intervalSeconds: 3_600,
      maxIntervalSeconds: 86_400,
      lookbackHours: 48,
      backfillDays: 90,
    });
    expect([config.alert.silenceHours, config.retention.messageDays, config.log.level]).toEqual([24, 30, 'info']);
  });

  it('reads everything that is set', () => {
    const config = read({
      HOST: '0.0.0.0',
      PORT: ' 0 ',
      DATABASE_URL: 'postgres://keeper:synthetic@db.test:5432/keep',
      ROLE: 'worker',
      UPSTREAM_BASE_URL: 'http://127.0.0.1:9000/',
      UPSTREAM_API_KEY_HEADER: 'X-Other-Key',
      WEBHOOK_SECRETS: `${whsec(24)}, ${whsec(32)}`,
      APP_JWT_SECRET: '',
      APP_JWT_JWKS_URL: 'https://login.customer.test/keys?tenant=1',
      APP_JWT_ISSUER: 'https://login.customer.test/,https://login.customer.example/',
      APP_JWT_AUDIENCE: 'https://api.customer.test',
      APP_JWT_CLIENT_IDS: 'https://login.customer.test/ ios, https://login.customer.example/ web',
      APP_JWT_ACCOUNTS: 'shared',
      APP_LINK_REDIRECT_ORIGINS: 'https://app.customer.test,http://localhost:8080',
      ADMIN_API_KEYS: `desk:viewer:${sha256('one')},desk-2:operator:${sha256('two').toUpperCase()}`,
      SYNC_RESOURCES: 'sleep, steps',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      CORS_ORIGINS: 'https://portal.example.com',
      HTTP_KEEP_ALIVE_SECONDS: '75',
    });
    expect(config.http).toEqual(
      new HttpConfig({
        host: '0.0.0.0',
        port: 0,
        publicUrl: undefined,
        trustedProxies: ['10.0.0.0/8', '::1'],
        corsOrigins: ['https://portal.example.com'],
        drainSeconds: 5,
        keepAliveSeconds: 75,
      }),
    );
    expect(config.database.kind === 'postgres' && config.database.url.reveal()).toContain('@db.test:5432/keep');
    expect(config.upstream).toMatchObject({ baseUrl: 'http://127.0.0.1:9000', apiKeyHeader: 'x-other-key' });
    expect(config.upstream.apiKey.current.reveal()).toBe(valid.UPSTREAM_API_KEY);
    expect(config.webhook.secrets.current.map((key) => key.symmetricKeySize)).toEqual([24, 32]);
    expect(config.appAuth).toMatchObject({
      keySet: { url: 'https://login.customer.test/keys?tenant=1' },
      secret: undefined,
      issuers: ['https://login.customer.test/', 'https://login.customer.example/'],
      audiences: ['https://api.customer.test'],
      clientIds: ['https://login.customer.test/ ios', 'https://login.customer.example/ web'],
      accounts: 'shared',
    });
    expect(config.link.redirectOrigins).toEqual(['https://app.customer.test', 'http://localhost:8080']);
    expect(config.admin.keys.current.map(({ name, role }) => [name, role])).toEqual([
      ['desk', 'viewer'],
      ['desk-2', 'operator'],
    ]);
    expect(config.admin.keys.current[1]?.sha256.toString('hex')).toBe(sha256('two'));
    expect(config.sync.resources).toEqual(['sleep', 'steps']);
  });

  it('names all missing variables together [environments#authentication]', () => {
    expect(refusal({}).problems.map(({ variable }) => variable)).toEqual([
      'UPSTREAM_BASE_URL',
      'UPSTREAM_API_KEY',
      'UPSTREAM_REGION',
      'UPSTREAM_ENVIRONMENT',
      'WEBHOOK_SECRETS',
      'ADMIN_API_KEYS',
      'APP_JWT_JWKS_URL',
    ]);
  });

  it('names all invalid variables together and repeats no value', () => {
    const marked = Object.fromEntries(Object.keys(variables).map((name) => [name, `MARKED ${name}`]));
    const error = refusal({ ...marked, APP_JWT_SECRET: 'MARKED', UPSTREAM_TYPO: 'MARKED' });
    const freeTexts = [
      'WEBHOOK_AMQP_QUEUE',
      'APP_JWT_ISSUER',
      'APP_JWT_AUDIENCE',
      'APP_JWT_CLIENT_IDS',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'ERASURE_JOURNAL_PATH',
      'BACKUP_FOLDER',
    ];
    const named = new Set(error.problems.map(({ variable }) => variable));
    expect([...Object.keys(variables), 'UPSTREAM_TYPO'].filter((name) => !named.has(name))).toEqual(freeTexts);
    expect(`${inspect(error, { depth: null })} ${JSON.stringify(error)} ${error.message}`).not.toContain('MARKED');
    for (const name of named) expect(error.message).toContain(name);
  });

  it.each([
    ['UPSTREAM_BASE_URL', 'https://user:MARKED@api.upstream.test'],
    ['UPSTREAM_BASE_URL', 'https://api.eu.MARKED.test'],
    ['UPSTREAM_API_KEY', 'mg_us_MARKED'],
    ['UPSTREAM_API_KEY', 'pk_eu_MARKED'],
    ['WEBHOOK_SECRETS', 'whsec_MARKED'],
    ['ADMIN_API_KEYS', `MARKED:owner:${sha256('x')}`],
    ['APP_LINK_REDIRECT_ORIGINS', 'https://MARKED.test/path'],
    ['TRUSTED_PROXIES', '10.0.0.0/33,MARKED'],
    ['DATABASE_URL', 'mysql://keeper:MARKED@db.test/keep'],
    ['DATABASE_URL', 'postgres://keeper:MARKED@[db.test/keep'],
    ['SYNC_RESOURCES', 'sleep,marked_MARKED'],
    ['SYNC_RESOURCES', 'sleep,marked'],
  ])('refuses %s without repeating it', (name, value) => {
    const error = refusal({ ...valid, [name]: value });
    expect(error.problems.map(({ variable }) => variable)).toContain(name);
    expect(inspect(error)).not.toMatch(/marked/i);
  });

  it('refuses a symbolic link to a database file, in whatever state, and accepts one to its folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'links-'));
    symlinkSync('file', join(folder, 'link'));
    symlinkSync('.', join(folder, 'folder'));
    const refused = ['DATABASE_URL must name the file itself, not a symbolic link to it'];
    expect(problems({ DATABASE_URL: `sqlite:${folder}/link` })).toEqual(refused);
    writeFileSync(join(folder, 'file'), '');
    expect(problems({ DATABASE_URL: `sqlite:${folder}/link` })).toEqual(refused);
    expect(read({ DATABASE_URL: `sqlite:${folder}/folder/file` }).database).toMatchObject({ kind: 'sqlite' });
    rmSync(folder, { recursive: true });
  });

  it.each(['10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', 'proxy.test', '10.0.0'])(
    'does not accept %s as a network',
    (network) => {
      expect(problems({ TRUSTED_PROXIES: network })).toEqual([
        'TRUSTED_PROXIES must be IP addresses or networks such as 10.0.0.0/8',
      ]);
    },
  );

  it.each(['app', 'cli', 'system'])('reserves the name %s for callers without a key', (name) => {
    expect(problems({ ADMIN_API_KEYS: `desk:viewer:${sha256('one')},${name}:viewer:${sha256('two')}` })).toEqual([
      'ADMIN_API_KEYS must not contain the names app, cli, system: the access log uses them, so give the key another name',
    ]);
  });

  it('reports unknown names in its own families, and no others', () => {
    expect(problems({ WEBHOOK_SECRET: 'x', SYNC_INTERVAL: '1', PATH: '/bin', SANDBOX_PORT: '0' })).toEqual([
      'WEBHOOK_SECRET is not a variable of this service; the nearest is WEBHOOK_SECRETS',
      'SYNC_INTERVAL is not a variable of this service; the nearest is SYNC_INTERVAL_SECONDS',
    ]);
  });

  it.each(['', '\n', '\r\n'])('refuses the hash of the empty key %j and says how to make one', (empty) => {
    const [problem] = problems({ ADMIN_API_KEYS: `ops:operator:${sha256(empty)}` });
    expect(problem).toContain('ADMIN_API_KEYS must not contain the hash of an empty key');
    expect(problem).toContain('printf %s "$KEY" | sha256sum');
  });

  it.each([
    ['ADMIN_API_KEYS', `"desk:operator:${sha256('desk')}"`],
    ['APP_JWT_SECRET', "'synthetic-secret-of-at-least-32-bytes'"],
    ['APP_JWT_ISSUER', '"https://login.customer.test/"'],
    ['PORT', '"3000"'],
  ])('refuses %s in quotation marks', (name, value) => {
    expect(problems({ [name]: value })).toEqual([`${name} must not be in quotation marks: remove them`]);
  });

  it.each(['app', 'webhook', 'upstream', 'sync', 'database-key', 'access-log', 'pulsekeep'])(
    'ignores variables that Kubernetes adds for a service called %s, and names that charts share',
    (service) => {
      const prefix = service.toUpperCase().replace('-', '_');
      const links = {
        [`${prefix}_SERVICE_HOST`]: '10.0.0.7',
        [`${prefix}_SERVICE_PORT`]: '80',
        [`${prefix}_SERVICE_PORT_HTTP_ADMIN`]: '80',
        [`${prefix}_PORT`]: 'tcp://10.0.0.7:80',
        [`${prefix}_PORT_80_TCP`]: 'tcp://10.0.0.7:80',
        [`${prefix}_PORT_53_UDP_PROTO`]: 'udp',
        [`${prefix}_PORT_80_TCP_PORT`]: '80',
        [`${prefix}_PORT_80_TCP_ADDR`]: '10.0.0.7',
      };
      expect(() => read({ ...links, APP_NAME: 'pulsekeep', APP_ENV: 'production', APP_PORT: '8080' })).not.toThrow();
    },
  );

  it('freezes everything', () => {
    const config = read();
    const parts: unknown[] = [
      config,
      ...Object.values(config),
      config.sync.resources,
      config.admin.keys.current,
      ...config.admin.keys.current,
    ];
    expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
  });

  it('shows no secret when it is printed', () => {
    const config = read({ DATABASE_URL: 'postgres://keeper:db-password@db.test/keep' });
    const text = `${inspect(config, { depth: null, showHidden: true })} ${JSON.stringify(config)} ${String(config.upstream.apiKey.current)}`;
    const secrets = [
      valid.UPSTREAM_API_KEY,
      valid.WEBHOOK_SECRETS.slice('whsec_'.length),
      valid.APP_JWT_SECRET,
      sha256('desk'),
      Buffer.from(sha256('desk'), 'hex').subarray(0, 4).toString('hex').replace(/(..)/g, '$1 ').trim(),
      'db-password',
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    const encrypted = read({ DATABASE_KEY: '0f'.repeat(32) });
    expect(`${inspect(encrypted, { depth: null, showHidden: true })} ${JSON.stringify(encrypted)}`).not.toMatch(/0f0f/);
    expect(text).toContain('desk');
  });
});

describe('key, region, environment and base address', () => {
  const key = 'UPSTREAM_API_KEY belongs to a different';
  const host = 'UPSTREAM_BASE_URL belongs to a different';
  const region = 'region than UPSTREAM_REGION';
  const environment = 'environment than UPSTREAM_ENVIRONMENT';

  it.each([
    ['sk_us_x', 'us', 'sandbox', 'https://api.sandbox.us.upstream.test', []],
    ['sk_eu_x', 'eu', 'sandbox', 'https://api.sandbox.eu.upstream.test', []],
    ['pk_us_x', 'us', 'production', 'https://api.us.upstream.test', []],
    ['pk_eu_x', 'eu', 'production', 'https://api-prod-eu.upstream.test/base', []],
    ['pk_us_x', 'us', 'production', 'https://api.upstream.test', []],
    ['pk_us_x', 'us', 'production', 'https://gateway.customer.eu', []],
    ['sk_us_x', 'us', 'sandbox', 'http://localhost:4000', []],
    ['sk_us_x', 'us', 'sandbox', 'http://[::1]:4000', []],
    ['sk_us_x', 'us', 'sandbox', 'https://sandbox.production-company.test', []],
    ['sk_eu_x', 'us', 'sandbox', 'https://api.upstream.test', [`${key} ${region}`]],
    ['pk_us_x', 'us', 'sandbox', 'https://api.upstream.test', [`${key} ${environment}`]],
    ['pk_eu_x', 'us', 'sandbox', 'https://api.upstream.test', [`${key} ${region}`, `${key} ${environment}`]],
    ['sk_us_x', 'us', 'sandbox', 'https://api.eu.upstream.test', [`${host} ${region}`]],
    ['pk_us_x', 'us', 'production', 'https://api.sandbox.us.upstream.test', [`${host} ${environment}`]],
    ['sk_us_x', 'us', 'sandbox', 'https://api-production.upstream.test', [`${host} ${environment}`]],
    ['pk_eu_x', 'us', 'production', 'https://api.eu.upstream.test', [`${key} ${region}`, `${host} ${region}`]],
    ['xx_us_x', 'us', 'sandbox', 'https://a.test', []],
    [
      'mg_us_x',
      'us',
      'sandbox',
      'https://a.test',
      ['UPSTREAM_API_KEY is a key for the management API, which this service does not use'],
    ],
  ])(
    '%s in %s %s at %s [environments#key-prefixes] [environments#regions-and-environments]',
    (apiKey, regionName, environmentName, baseUrl, expected) => {
      const changes = {
        UPSTREAM_API_KEY: apiKey,
        UPSTREAM_REGION: regionName,
        UPSTREAM_ENVIRONMENT: environmentName,
        UPSTREAM_BASE_URL: baseUrl,
      };
      if (expected.length === 0) expect(read(changes).upstream.region).toBe(regionName);
      else expect(problems(changes)).toEqual(expected);
    },
  );
});
