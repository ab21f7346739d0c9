import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, operatorKey } from '../../support/child-env.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { driveCli, RunningCli, runCli, spawnCli } from './support/run-cli.js';

const nowhere = 'http://127.0.0.1:9';
const verify = ['access-log', 'verify'];

describe('a command for a running service', () => {
  let database: TestDatabase;
  let service: ServingPulsekeep;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-cli-'));
    database = await testDatabase();
    service = await ServingPulsekeep.start(childEnvironment(database, nowhere));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes the key from the environment', async () => {
    const command = [...verify, '--url', service.url];
    const { code, out } = await spawnCli(command, { PULSEKEEP_ADMIN_KEY: operatorKey });
    expect(out).toContain('The access log is intact.');
    expect(code).toBe(0);
  });

  it('takes the key from a file, and prints one JSON object on request', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${operatorKey}\n`);
    const ended = await runCli([...verify, '--url', `${service.url}/`, '--key-file', file, '--json']);
    expect(ended.code).toBe(0);
    expect(ended.json()).toMatchObject({ intact: true });
  });

  it('warns of a key file that all users can read', async () => {
    const file = join(folder, 'open-key');
    writeFileSync(file, operatorKey);
    chmodSync(file, 0o644);
    const command = [...verify, '--url', service.url, '--key-file', file];
    expect((await runCli(command)).err).toContain(
      `other users of this machine can read the key file ${file}: chmod 600`,
    );
    chmodSync(file, 0o600);
    expect((await runCli(command)).err).not.toContain('everybody');
  });

  it('does not send a key unencrypted to another machine by default', async () => {
    const env = { PULSEKEEP_ADMIN_KEY: 'a-marked-key' };
    for (const command of [verify, ['doctor']]) {
      const refused = await runCli([...command, '--url', 'http://pulsekeep.invalid'], env);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('must be https://')]);
    }
    const sent = await runCli([...verify, '--url', 'http://pulsekeep.invalid', '--insecure-http'], env);
    expect([sent.code, sent.err]).toEqual([1, expect.stringContaining('can be reached')]);
  });

  it('ends with 1 for an unknown key, and shows it nowhere', async () => {
    const { code, out, err } = await driveCli(service.url, [...verify, '--json'], 'a-marked-key');
    expect(code).toBe(1);
    expect(err).toBe('The service does not accept this key.\n');
    expect(JSON.parse(out)).toEqual({
      error: { code: 'unauthorized', message: 'The service does not accept this key.' },
    });
  });

  it.each([
    ['holds a line break', 'a-marked\nkey'],
    ['holds letters no header can carry', 'a-marked-schlüssel-✓'],
  ])('refuses a key that %s without showing it', async (_, key) => {
    const { code, out, err } = await driveCli(service.url, verify, key);
    expect(code).toBe(1);
    expect(out + err).toBe('The operator key is empty or malformed.\n');
  });

  it('ends with 1 if nothing responds', async () => {
    const { code, err } = await driveCli(nowhere, verify);
    expect(code).toBe(1);
    expect(err).toBe('No service can be reached at the address of --url.\n');
  });

  it('reports an invalid request as wrong usage', async () => {
    const { code, err } = await driveCli(service.url, ['sync', 'run', '--account', 'a', '--resource', 'heart_song']);
    expect(code).toBe(2);
    expect(err).toContain('resources');
  });
});

describe('a command whose output cannot be written', () => {
  it('says so and ends with 1', async () => {
    const full = openSync('/dev/full', 'w');
    const program = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'src/main-cli.js');
    const env = { PATH: process.env['PATH'] };
    const child = spawn(process.execPath, [program, '--help'], { env, stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    let err = '';
    child.stderr?.on('data', (text) => (err += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, err]).toEqual([1, 'Standard output cannot be written (ENOSPC).\n']);
  });
});

describe('a command for an address that is not this service', () => {
  let server: Server;
  let url: string;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url?.startsWith('/elsewhere')) response.end('{}');
      else if (request.url?.startsWith('/accepting')) response.end('{}');
      else if (request.url?.includes('/moved/')) response.writeHead(302, { location: '/elsewhere' }).end();
      else response.writeHead(502).end('<html>a marked page</html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  it('says so and shows nothing of the page', async () => {
    const { code, out, err } = await driveCli(url, verify);
    expect([code, out, err]).toEqual([1, '', 'The address responds with 502; it is not this service.\n']);
  });

  it('says so even if that accepts everything, because nothing was done', async () => {
    const { code, out, err } = await driveCli(`${url}/accepting`, ['accounts', 'block', 'p']);
    expect([code, out, err]).toEqual([1, '', 'The address responds with 200; it is not this service.\n']);
  });

  it('does not follow it elsewhere with the key', async () => {
    seen.length = 0;
    const { code } = await driveCli(`${url}/moved`, verify);
    expect(code).toBe(1);
    expect(seen).toHaveLength(1);
  });
});

describe('a command without --url', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await testDatabase();
  });

  afterEach(() => database.drop());

  it('runs the service of this environment during the command, as an operator named cli', async () => {
    const env = childEnvironment(database, nowhere, { PORT: '3000', HOST: '0.0.0.0' });
    const first = await runCli([...verify, '--json'], env);
    expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('"level":"info"')]);
    const second = await runCli([...verify, '--json', '--access-reason', 'monthly check'], env);
    expect(second.json<{ entries: number }>().entries).toBeGreaterThan(first.json<{ entries: number }>().entries);
    const service = await ServingPulsekeep.start({ ...env, PORT: '0', HOST: '127.0.0.1' });
    const log = await fetch(`${service.url}/admin/v1/access-log`, {
      headers: { authorization: `Bearer ${operatorKey}` },
    });
    expect(await log.json()).toMatchObject({
      data: [
        { actor: 'cli', role: 'operator', reason: 'monthly check' },
        { actor: 'cli', reason: null },
      ],
    });
    await service.stop();
  });

  it('shows the log of that service on request', async () => {
    const { code, out, err } = await spawnCli([...verify, '--verbose'], childEnvironment(database, nowhere));
    expect(code).toBe(0);
    expect(err).toContain('"event":"listening"');
    expect(out).not.toContain('"event"');
  });

  it('requests nothing if Ctrl-C came while that service was starting', async () => {
    const env = childEnvironment(database, nowhere);
    const cli = RunningCli.start(['fence', 'patient-1', '--verbose'], env);
    await cli.says('"event":"listening"');
    cli.interrupt();
    const { code, err } = await cli.ended();
    expect([code, err.trim().split('\n').at(-1)]).toEqual([1, 'Stopped before anything was requested.']);
  });

  it('says so and names --url while another process serves the file', async () => {
    if (database.config.kind !== 'sqlite') return;
    const env = childEnvironment(database, nowhere);
    const service = await ServingPulsekeep.start(env);
    const { code, err } = await runCli(verify, env);
    await service.stop();
    expect(code).toBe(1);
    expect(err).toBe('Another process is using this database file. Use that service with --url URL.\n');
  });

  it('names every invalid variable and no value', async () => {
    const { code, err } = await runCli(verify, { UPSTREAM_API_KEY: 'a marked key' });
    expect(code).toBe(1);
    expect(err).toContain('UPSTREAM_API_KEY');
    expect(err).toContain('WEBHOOK_SECRETS');
    expect(err).not.toContain('marked');
  });
});
