import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { createApp } from '../../src/app/app.js';
import { reasonOf } from '../../src/app/start-failure.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep, programRun, runProgram, spawnProgram } from '../support/child-pulsekeep.js';
import { appSecret } from '../support/environment.js';
import { ServingPulsekeep } from '../support/serving-pulsekeep.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';

const nowhere = 'http://127.0.0.1:9';

/** Environment of a process that takes its Node for another version. */
function withNode(version: string): { NODE_OPTIONS: string } {
  const versions = `{value:{...process.versions,node:'${version}'}}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,Object.defineProperty(process,'versions',${versions})` };
}

describe('a start', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await testDatabase();
  });

  afterEach(() => database.drop());

  /** What it has warned of from its start, of itself and its configuration. */
  const notesOf = ({ output }: ChildPulsekeep): object[] =>
    output
      .map((line) => JSON.parse(line) as { event: string; level: string })
      .filter(({ event, level }) => level === 'warn' && /^(app|config)\./.test(event));

  const failure = (env: Record<string, string>): Promise<string> =>
    ChildPulsekeep.start(env).then(
      async (child) => {
        await child.kill();
        return 'started';
      },
      (error: Error) => error.message,
    );

  it('is refused with the names of all invalid variables and no value', async () => {
    const said = await failure({
      PORT: 'a-marked-port',
      UPSTREAM_API_KEY: 'sk_eu_marked-key',
      UPSTREAM_REGION: 'us',
      UPSTREAM_ENVIRONMENT: 'sandbox',
      WEBHOOK_SECRETS: 'a-marked-secret',
      UPSTREAM_BASE_ADDRESS: 'a-marked-slip',
    });
    const names = ['PORT', 'UPSTREAM_BASE_URL', 'UPSTREAM_API_KEY', 'WEBHOOK_SECRETS', 'APP_JWT_JWKS_URL'];
    for (const name of [...names, 'ADMIN_API_KEYS', 'UPSTREAM_BASE_ADDRESS']) expect(said).toContain(name);
    expect(said).toContain('ended with 1');
    expect(said).not.toContain('marked');
  });

  describe('reads the .env of its working directory', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'dotenv-'));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const dotenv = (env: Record<string, string>): void =>
      writeFileSync(
        join(folder, '.env'),
        Object.entries(env)
          .map(([name, value]) => `${name}="${value}"\n`)
          .join(''),
      );

    it('and starts with it; real variables take precedence', async () => {
      const { PORT: _, LOG_LEVEL: __, ...env } = childEnvironment(database, nowhere);
      dotenv({ ...env, PORT: 'none', LOG_LEVEL: 'error', WEBHOOK_SECRETS_FILE: '/nowhere' });
      const more = { PORT: '0', LOG_LEVEL: 'info', WEBHOOK_SECRETS: env['WEBHOOK_SECRETS'] ?? '' };
      const child = await ChildPulsekeep.start(more, folder);
      expect(await child.stop()).toBe(0);
    });

    it('in the forms of editors and shells: byte order mark, Windows line ends, export, comments, quotes', async () => {
      const { PORT: _, ...env } = childEnvironment(database, nowhere);
      const [first, ...lines] = Object.entries(env);
      const rest = lines.map(([name, value], index) => `${index % 2 ? 'export ' : ''}${name} = '${value}' # said`);
      const text = ['\uFEFFPORT=none', `${first?.[0]}=${first?.[1]}`, ...rest, ''].join('\r\n');
      writeFileSync(join(folder, '.env'), text);
      const { code, output } = await programRun('src/main.js', {}, folder);
      expect([code, output]).toEqual([1, expect.stringMatching(/^\S[^\n]*\n  PORT must be[^\n]*\n$/)]);
      writeFileSync(join(folder, '.env'), `${text}PORT=0\r\n`);
      const child = await ChildPulsekeep.start({}, folder);
      expect(await child.stop()).toBe(0);
    });

    it('in UTF-16, as Windows shells write it', async () => {
      const env = Object.entries(childEnvironment(database, nowhere));
      const text = env.map(([name, value]) => `${name}=${value}\r\n`).join('');
      writeFileSync(join(folder, '.env'), `\uFEFF${text}`, 'utf16le');
      const child = await ChildPulsekeep.start({}, folder);
      expect(await child.stop()).toBe(0);
    });

    it('and refuses one whose encoding cannot be known', async () => {
      writeFileSync(join(folder, '.env'), 'PORT=0\r\n', 'utf16le');
      const { code, output } = await programRun('src/main.js', {}, folder);
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/\n  \.env exists but cannot be read \(not UTF-8\)\n$/),
      ]);
    });

    it('and refuses a value that a # would cut off', async () => {
      writeFileSync(
        join(folder, '.env'),
        'APP_JWT_SECRET=a-marked-secret-of-at-least-32-bytes#and-more\nPORT=0 # any\n',
      );
      const { code, output } = await programRun('src/main.js', {}, folder);
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/\n  APP_JWT_SECRET has a # in its value in \.env[^\n]*\n$/),
      ]);
      expect(output).not.toContain('marked');
    });

    it('and names what is wrong in it', async () => {
      dotenv({ ...childEnvironment(database, nowhere), PORT: 'a-marked-port' });
      const { code, output } = await programRun('src/main.js', {}, folder);
      expect([code, output]).toEqual([1, expect.stringMatching(/PORT must be/)]);
      expect(output).not.toContain('marked');
    });

    it('and is refused if that cannot be read', async () => {
      mkdirSync(join(folder, '.env'));
      const { code, output } = await programRun('src/main.js', {}, folder);
      expect([code, output]).toEqual([1, expect.stringContaining('.env exists but cannot be read (EISDIR)')]);
    });
  });

  describe('that cannot be made', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'start-'));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const databases: [string, (folder: string) => string, string][] = [
      ['a path that cannot be', () => 'sqlite:/proc/nope/x', 'the file /proc/nope/x cannot be opened'],
      ['a folder', (path) => `sqlite:${path}`, 'it is a folder (EISDIR).'],
      ['a file below a file', (path) => `sqlite:${path}/notes/x`, '(ENOTDIR).'],
      [
        'a folder in the place of its lock',
        (path) => (mkdirSync(`${path}/notes.owner`), `sqlite:${path}/notes`),
        '/notes.owner cannot be opened: it is a folder (EISDIR).',
      ],
      ['a file that is no database', (path) => `sqlite:${path}/notes`, 'it is no SQLite database (SQLITE_NOTADB).'],
      [
        'a server that is not there',
        () => 'postgres://keeper:marked@127.0.0.1:9/keep',
        'the database at 127.0.0.1:9 cannot be used: nothing listens there (ECONNREFUSED).',
      ],
      [
        'a host that is not there',
        () => 'postgres://keeper:marked@db.invalid/keep',
        'the database at db.invalid cannot be used: its name',
      ],
    ];

    /** Why no application starts there; nothing is logged before. */
    async function refusalFor(url: string): Promise<string> {
      const config = readConfig(childEnvironment(database, nowhere, { DATABASE_URL: url }), pulledResources);
      const logged: string[] = [];
      const logDestination = { write: (line: string) => void logged.push(line) };
      const reason = await createApp(config, { logDestination }).then(() => 'started', reasonOf);
      expect([reason, logged]).toEqual([expect.stringMatching(/^DATABASE_URL: [^\n]*$/), []]);
      return reason;
    }

    it.each(databases)('says so for %s', async (_, url, said) => {
      writeFileSync(join(folder, 'notes'), 'marked '.repeat(1_000));
      const reason = await refusalFor(url(folder));
      expect(reason).toContain(said);
      expect(reason).not.toContain('marked');
    });

    it('gives the reason for a new file that another program has locked', async () => {
      const path = join(folder, 'new.sqlite');
      const other = new SqliteDatabase(path);
      other.exec('BEGIN IMMEDIATE');
      const reason = await refusalFor(`sqlite:${path}`);
      other.close();
      expect(reason).toContain('new.sqlite cannot be opened: another program has it locked (SQLITE_BUSY).');
    });

    it('ends at once with that as its only line', async () => {
      const env = childEnvironment(database, nowhere, { DATABASE_URL: `sqlite:${folder}` });
      const { code, output } = await programRun('src/main.js', env);
      expect([code, output]).toEqual([1, expect.stringMatching(/^DATABASE_URL: [^\n]*it is a folder \(EISDIR\)\.\n$/)]);
    });

    describe('at its address', () => {
      const taken = createServer();

      beforeAll(() => new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening)));

      afterAll(() => taken.close());

      const environmentAt = (HOST: string): Record<string, string> =>
        childEnvironment(database, nowhere, { HOST, PORT: String((taken.address() as AddressInfo).port) });

      it.each([
        ['a taken port', '127.0.0.1', 'another program listens there (EADDRINUSE).'],
        ['an address of another machine', '192.0.2.1', 'it is not an address of this machine (EADDRNOTAVAIL).'],
      ])('says so for %s', async (_, HOST, said) => {
        const env = environmentAt(HOST);
        const reason = await ServingPulsekeep.start(env).then(() => 'started', reasonOf);
        expect(reason).toBe(`HOST, PORT: cannot listen on ${HOST}:${env['PORT']}: ${said}`);
      });

      it('ends at once with that as its only line beside the log', async () => {
        const { code, output } = await programRun('src/main.js', environmentAt('127.0.0.1'));
        const lines = output.trim().split('\n');
        expect([code, lines.filter((line) => !line.startsWith('{'))]).toEqual([
          1,
          [expect.stringMatching(/^HOST, PORT: cannot listen on .*\(EADDRINUSE\)\.$/)],
        ]);
      });
    });
  });

  it('warns of a proxy in the environment, which it does not use, and of a name similar to one of ours', async () => {
    const strange = { https_proxy: 'http://marked.test', ACCOUNT_TOKENS_PER_MINUTE: '5' };
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, strange));
    expect(notesOf(child)).toMatchObject([
      { event: 'config.proxy_ignored', variable_names: ['https_proxy'] },
      {
        event: 'config.variable_unknown',
        variable_names: ['ACCOUNT_TOKENS_PER_MINUTE'],
        nearest: 'ACCOUNT_REQUESTS_PER_MINUTE',
      },
    ]);
    await child.kill();
  });

  it('is refused with one sentence on a Node that is too old, whatever the configuration', async () => {
    const said = await failure(withNode('20.18.3'));
    expect(said).toMatch(/^ended with 1: Node 20\.18\.3 is too old\. Use Node 24;[^\n]*$/);
  });

  it('logs an untested line of Node, and an unfamiliar form of the key without the key [environments#key-prefixes]', async () => {
    const unfamiliar = { UPSTREAM_API_KEY: 'canary-team-key', ...withNode('27.1.0') };
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, unfamiliar));
    await child.stop();
    expect(notesOf(child)).toMatchObject([
      { event: 'app.node_untested', version: '27.1.0' },
      { event: 'config.api_key_unfamiliar', variable_names: ['UPSTREAM_API_KEY'] },
    ]);
    expect(child.output.join('')).not.toContain('canary');
  });

  it('is reported healthy by the health check of a container, and unhealthy once it is gone', async () => {
    const env = childEnvironment(database, nowhere);
    const service = await ServingPulsekeep.start(env);
    const own = { ...env, PORT: new URL(service.url).port };
    expect(await runProgram('src/main-health.js', own)).toBe(0);
    // A service keeps its secrets while a file is replaced, and is alive.
    const halfway = { PORT: own.PORT, WEBHOOK_SECRETS_FILE: '/nowhere', UPSTREAM_API_KEY: 'half' };
    expect(await runProgram('src/main-health.js', halfway)).toBe(0);
    await service.stop();
    expect(await runProgram('src/main-health.js', own)).toBe(1);
    expect(await runProgram('src/main-health.js', { PORT: 'none' })).toBe(1);
  });

  it('on all addresses takes calls over IPv4 and IPv6, and is healthy', async () => {
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, { HOST: '::' }));
    const { port } = new URL(child.url);
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
    expect(await runProgram('src/main-health.js', { HOST: '::', PORT: port })).toBe(0);
    expect(await child.stop()).toBe(0);
  });

  it('that is asked to stop ends at once, in order', async () => {
    const child = spawnProgram('src/main.js', childEnvironment(database, nowhere));
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    // A signal that ends the process by default gives no code.
    expect(await ended).toEqual([0, null]);
  });

  it.each(['src/main.js', 'src/main-migrate.js', 'src/main-cli.js'])(
    'of %s gives handshakes with far hosts enough time',
    async (program) => {
      const tell = "process.on('exit',()=>console.log('time',getDefaultAutoSelectFamilyAttemptTimeout()))";
      const preload = `data:text/javascript,import{getDefaultAutoSelectFamilyAttemptTimeout}from'node:net';${tell}`;
      const { output } = await programRun(program, { NODE_OPTIONS: `--import=${preload.replaceAll(' ', '%20')}` });
      expect(output).toContain('time 2500\n');
    },
  );

  it('is refused on a database of another region or environment [environments#regions-and-environments]', async () => {
    await (await ServingPulsekeep.start(childEnvironment(database, nowhere))).stop();
    const other = { UPSTREAM_API_KEY: 'sk_eu_sandbox', UPSTREAM_REGION: 'eu' };
    const start = ServingPulsekeep.start(childEnvironment(database, nowhere, other));
    expect(await start.then(() => 'started', reasonOf)).toContain('belongs to us/sandbox');
  });

  it('is refused while another process serves the same file, and allowed once that was killed', async () => {
    if (database.config.kind !== 'sqlite') return;
    const env = childEnvironment(database, nowhere);
    const first = await ChildPulsekeep.start(env);
    expect(await failure(env)).toContain('Another process is using this database file.');
    await first.kill();
    await (await ServingPulsekeep.start(env)).stop();
  });

  it('needs no upstream: while it is down, webhooks are accepted and tokens clearly refused', async () => {
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, withNode('24.21.0')));
    const ready = await fetch(`${child.url}/readyz`);
    expect(ready.status).toBe(200);

    const { headers, body } = signedMessage('msg_1', { event_type: 'daily.data.sleep.created', user_id: randomUUID() });
    const delivery = await fetch(`${child.url}/webhooks`, { method: 'POST', headers, body });
    expect(delivery.status).toBe(204);

    const login = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject('patient-1').setExpirationTime('5m');
    const authorization = `Bearer ${await login.sign(new TextEncoder().encode(appSecret))}`;
    const token = await fetch(`${child.url}/v1/me/sign-in-token`, { method: 'POST', headers: { authorization } });
    expect(token.status).toBe(503);
    expect(await token.json()).toMatchObject({ code: 'upstream_unavailable', status: 503 });

    const lines = child.output.map((line) => JSON.parse(line) as { event: string });
    expect(lines.filter((line) => line.event === 'listening')).toHaveLength(1);
    expect(await child.stop()).toBe(0);
    // A tested line of Node and a familiar key.
    expect(notesOf(child)).toEqual([]);
  });
});
