import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { selfSigned } from '../../support/certificate.js';
import { childEnvironment, operatorKey } from '../../support/child-env.js';
import { spawnProgram } from '../../support/child-pulsekeep.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { signedMessage } from '../../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { TlsFront } from '../../support/tls-front.js';
import { runCli } from './support/run-cli.js';

async function serve(
  bodyOf: (path: string | undefined) => string,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(({ url }, response) => void response.end(bodyOf(url)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((closed) => server.close(() => closed())) };
}

/** Root may write every file, unless it gives up its capabilities. */
const withoutRights = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];

interface Found {
  ok: boolean;
  checks: { check: string; state: string; finding: string }[];
}

describe('the doctor', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  });

  afterAll(async () => {
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const environment = (more: Record<string, string> = {}): Record<string, string> =>
    childEnvironment(database, sandbox.url, more);

  async function examined(env: Record<string, string>, ...args: string[]) {
    const ended = await runCli(['doctor', '--json', ...args], env);
    const { code, out, err } = ended;
    expect(out + err).not.toContain('marked');
    const { ok, checks } = ended.json<Found>();
    expect(code).toBe(ok ? 0 : 1);
    const of = (name: string) => {
      const found = checks.find(({ check }) => check === name);
      return `${found?.state}: ${found?.finding}`;
    };
    return { ok, checks, of };
  }

  it('finds nothing wrong with a healthy service, and changes nothing', async () => {
    const service = await ServingPulsekeep.start(environment());
    const { headers, body } = signedMessage('msg_1', { event_type: 'provider.dance.created', user_id: 'ab', data: {} });
    await fetch(`${service.url}/webhooks`, { method: 'POST', headers, body });
    const { ok, checks, of } = await examined(environment(), '--url', service.url);
    expect(checks.filter(({ state }) => state === 'bad')).toEqual([]);
    expect(ok).toBe(true);
    for (const check of ['configuration', 'upstream key', 'clock', 'database', 'service', 'webhook secret']) {
      expect(of(check)).toMatch(/^ok: /);
    }
    expect(of('database')).toContain('belongs to us/sandbox');
    const forged = { ...headers, 'svix-id': 'msg_2' };
    await fetch(`${service.url}/webhooks`, { method: 'POST', headers: forged, body });
    expect((await examined(environment(), '--url', service.url)).of('webhook secret')).toMatch(
      /accepted 1 .* refused 1 /,
    );
    await service.stop();
  });

  it('finds a webhook secret that no delivery is signed with', async () => {
    const service = await ServingPulsekeep.start(environment());
    const { headers, body } = signedMessage('msg_1', { event_type: 'provider.dance.created', user_id: 'ab', data: {} });
    await fetch(`${service.url}/webhooks`, { method: 'POST', headers: { ...headers, 'svix-id': 'msg_9' }, body });
    const { of } = await examined(environment(), '--url', service.url);
    expect(of('webhook secret')).toMatch(/^bad: .*WEBHOOK_SECRETS/);
    await service.stop();
  });

  it('finds a secret that stopped matching although earlier deliveries were accepted', async () => {
    const figures = [
      'pulsekeep_messages_received_total{outcome="accepted"} 100',
      'pulsekeep_messages_received_total{outcome="bad_signature"} 12',
      'pulsekeep_alarm{code="deliveries_refused"} 1',
      'pulsekeep_alarm{code="silence"} 0',
    ];
    const { url, close } = await serve((path) => (path === '/metrics' ? figures.join('\n') : '{"status":"ok"}'));
    const { ok, of } = await examined(environment(), '--url', url);
    await close();
    expect(ok).toBe(false);
    expect(of('alarms')).toBe('bad: Raised: deliveries_refused (docs/runbook.md#deliveries_refused).');
    expect(of('webhook secret')).toMatch(/^bad: .*accepted 100 .*refused 12 .*WEBHOOK_SECRETS/);
  });

  it('reads the alarms of all processes with an operator key, and reports a key that is refused', async () => {
    const service = await ServingPulsekeep.start(environment());
    const [good, wrong] = [join(folder, 'key'), join(folder, 'wrong-key')];
    writeFileSync(good, operatorKey);
    writeFileSync(wrong, 'marked');
    const seen = await examined(environment(), '--url', service.url, '--key-file', good);
    expect(seen.of('alarms')).toBe('ok: None is raised.');
    const refused = await examined(environment(), '--url', service.url, '--key-file', wrong);
    expect(refused.of('alarms')).toBe('bad: The alarms cannot be read: The service does not accept this key.');
    await service.stop();
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const child = spawnProgram('src/main-cli.js', environment({ PORT: '0' }), ['doctor']);
    const errors: string[] = [];
    child.stderr.on('data', (text: Buffer) => void errors.push(text.toString()));
    child.stdout.destroy();
    const code = await new Promise<number | null>((ended) => child.once('close', ended));
    // On a slow machine it says what it waits for.
    expect([code, errors.join('').replace(/^Waiting for .*\n/gm, '')]).toEqual([0, '']);
  });

  it('reports a database that was migrated and never started as new', async () => {
    const migrated = await testDatabase();
    const { of } = await examined(childEnvironment(migrated, sandbox.url));
    await migrated.drop();
    expect(of('database')).toMatch(/^ok: It opens and is new\./);
  });

  it('names every invalid variable, and checks nothing else', async () => {
    const { checks } = await examined(environment({ PORT: 'marked', UPSTREAM_REGION: 'marked' }));
    expect(checks).toHaveLength(1);
    expect(checks[0]).toMatchObject({ check: 'configuration', state: 'bad' });
    expect(checks[0]?.finding).toMatch(/PORT must be[^]*UPSTREAM_REGION must be/);
  });

  it('finds a key that upstream refuses, and a database of another region', async () => {
    const started = await ServingPulsekeep.start(environment());
    await started.stop();
    const { of } = await examined(environment({ UPSTREAM_API_KEY: 'sk_eu_marked', UPSTREAM_REGION: 'eu' }));
    expect(of('upstream key')).toMatch(/^bad: UPSTREAM_API_KEY: 127\.0\.0\.1:\d+ refuses it \(401\)/);
    expect(of('database')).toBe('bad: DATABASE_URL: it belongs to us/sandbox, but the configuration has eu/sandbox.');
    expect(of('service')).toBe('skipped: PORT is 0, so the address is unknown: use --url.');
  });

  it('reports that a proxy of the environment is not used, and which variables have no effect', async () => {
    const env = environment({
      UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://marked.test:3128',
      ERASURE_FENCE_DAYS: '30',
      no_proxy: 'x',
    });
    const { of } = await examined(env);
    const said =
      'This service ignores HTTPS_PROXY and connects directly: allow direct connections to upstream and the issuer.';
    const unknown =
      'ERASURE_FENCE_DAYS has no effect: it is not a variable of this service; the nearest is ERASURE_FENCE_SECRETS.';
    expect(of('configuration')).toBe(`ok: Complete and consistent. ${said} ${unknown}`);
    expect(of('upstream key')).toBe(`bad: UPSTREAM_BASE_URL: 127.0.0.1:9 cannot be reached (ECONNREFUSED). ${said}`);
  });

  it('finds an unreachable upstream, and an invalid database', async () => {
    writeFileSync(join(folder, 'notes'), 'marked '.repeat(1_000));
    const { of } = await examined(
      environment({
        UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
        DATABASE_URL: `sqlite:${join(folder, 'notes')}`,
        PORT: '9',
      }),
    );
    expect(of('upstream key')).toBe('bad: UPSTREAM_BASE_URL: 127.0.0.1:9 cannot be reached (ECONNREFUSED).');
    expect(of('clock')).toMatch(/^skipped: /);
    expect(of('database')).toMatch(/^bad: DATABASE_URL: the file .* it is no SQLite database \(SQLITE_NOTADB\)\.$/);
    expect(of('service')).toBe('skipped: No response from http://127.0.0.1:9.');
  });

  it('finds that a service does not respond at the address it is told', async () => {
    const { of, ok } = await examined(environment(), '--url', 'http://127.0.0.1:9');
    expect([ok, of('service')]).toEqual([false, 'bad: No response from http://127.0.0.1:9.']);
  });

  it.each([
    ['a login page', '<html>marked</html>', /responds with 200, but not in JSON; it is not upstream\.$/],
    ['nothing', '', /responds with 200, but not in JSON; it is not upstream\.$/],
    ['a text without end', 'marked'.repeat(20_000), /breaks off its response, or sends a longer one than upstream\.$/],
  ])('does not take a server that sends %s for upstream', async (_, body, said) => {
    const other = await serve(() => body);
    const { of } = await examined(environment({ UPSTREAM_BASE_URL: other.url }));
    expect(of('upstream key')).toMatch(/^bad: UPSTREAM_BASE_URL: 127\.0\.0\.1:\d+ /);
    expect(of('upstream key')).toMatch(said);
    await other.close();
  });

  it('names the fault of a certificate that it does not trust, and the remedy', async () => {
    const certificate = selfSigned();
    if (certificate === null) throw new Error('openssl is missing');
    const front = await TlsFront.of(Number(new URL(sandbox.url).port), certificate);
    const { of } = await examined(environment({ UPSTREAM_BASE_URL: `https://127.0.0.1:${front.port}` }));
    expect(of('upstream key')).toMatch(
      /cannot be reached \(\w+_CERT\w*\); name the CA of its certificate in NODE_EXTRA_CA_CERTS, if it is your own\.$/,
    );
    await front.close();
  });

  it('says what it waits for, and gives up an upstream that is silent', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as AddressInfo;
    const { err, out } = await runCli(['doctor'], environment({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` }));
    silent.closeAllConnections();
    silent.close();
    expect(err).toMatch(/^Waiting for .*upstream.*, for up to \d+ s\.$/m);
    expect(out).toMatch(/bad +upstream key/);
  });

  it('finds a folder that is not writable', async () => {
    const { of } = await examined(environment({ DATABASE_URL: 'sqlite:/proc/nope/x', DISK_LOW_BYTES: '1' }));
    expect(of('database')).toMatch(/^ok: \/proc\/nope\/x does not exist yet/);
    expect(of('disk')).toMatch(/^bad: .*\/proc\b/);
  });

  it.each(['', '.owner'])('finds a file that is not writable, with the ending %p', (suffix) => {
    const path = join(folder, 'written.sqlite');
    writeFileSync(path + suffix, '', { mode: 0o444 });
    const env = environment({ DATABASE_URL: `sqlite:${path}`, PORT: '0', UPSTREAM_BASE_URL: 'http://127.0.0.1:9' });
    const [program, ...args] = [
      ...withoutRights,
      process.execPath,
      `${process.env['PULSEKEEP_TEST_BUILD']}/src/main-cli.js`,
    ];
    const { stdout } = spawnSync(program, [...args, 'doctor'], { env, encoding: 'utf8' });
    rmSync(path + suffix, { force: true });
    expect(stdout).toContain(`DATABASE_URL: ${path}${suffix} cannot be written (EACCES).`);
  });

  it('finds a clock that is wrong, by the time of upstream', async () => {
    const upstream: Server = createServer((_, response) => {
      response.writeHead(404, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end('{"detail": "marked"}');
    });
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
    const { port } = upstream.address() as AddressInfo;
    const { of } = await examined(environment({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` }));
    expect(of('clock')).toMatch(/^bad: It is 3\d{3} s behind upstream's; deliveries are refused beyond 300 s\./);
    expect(of('upstream key')).toMatch(/^ok: /);
    await new Promise((closed) => upstream.close(closed));
  });

  it('prints all that as lines, too', async () => {
    const { code, out } = await runCli(['doctor'], environment({ PORT: '0' }));
    expect(code).toBe(0);
    expect(out).toMatch(/^ok +configuration +Complete/m);
    expect(out).toMatch(/^skipped +service +PORT is 0/m);
  });
});
