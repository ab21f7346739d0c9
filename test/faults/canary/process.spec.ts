import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SignJWT } from 'jose';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { variables } from '../../../src/platform/config/variables.js';
import { childEnvironment, operatorKey } from '../../support/child-env.js';
import { ChildPulsekeep, programRun } from '../../support/child-pulsekeep.js';
import { appSecret, webhookSecret } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { Marks } from './support/marks.js';

const marks = new Marks();
const text = marks.text('a text');

/** Makes a process throw what no code of ours throws, where nobody catches it, at a SIGUSR2 or by `crash`. */
const saboteur = `
const text = ${JSON.stringify(text)};
class QueryFailedError extends Error {
  query = text; parameters = [text]; driverError = Object.assign(new Error(text), { code: 'SQLITE_CONSTRAINT', detail: text });
}
const thrown = {
  'an error of the database': new QueryFailedError(text),
  'an error of an HTTP call': Object.assign(new Error(text), { config: { headers: { key: text }, data: text }, response: { status: 500, data: text } }),
  'an error with causes': new AggregateError([new Error(text)], text, { cause: new Error(text) }),
  'a text': text,
}[process.env.CANARY_WHAT];
const crash = () => {
  if (process.env.CANARY_HOW === 'rejected') Promise.reject(thrown);
  else throw thrown;
};
process.on('SIGUSR2', crash);
`;

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

const crashes = [
  ['an error of the database', 'thrown'],
  ['an error of an HTTP call', 'rejected'],
  ['an error with causes', 'thrown'],
  ['a text', 'rejected'],
] as const;

describe('no value is in the output of a process', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    marks.known('an admin key', operatorKey);
    marks.known('the secret of access tokens', appSecret);
    marks.known('the webhook secret', webhookSecret.replace('whsec_', ''));
    marks.known('the upstream key', 'sk_us_sandbox');
  });

  afterEach(async () => {
    await sandbox.close();
    await database.drop();
  });

  async function busy(more: Readonly<Record<string, string>> = {}): Promise<ChildPulsekeep> {
    const child = await ChildPulsekeep.start(childEnvironment(database, sandbox.url, { LOG_LEVEL: 'debug', ...more }));
    const account = marks.text('an account');
    const login = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(account).setExpirationTime('5m');
    const token = marks.known('an access token', await login.sign(new TextEncoder().encode(appSecret)));
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${child.url}/v1/me/sign-in-token?`, { method: 'POST', headers });
    const { user_id, sign_in_token } = (await answer.json()) as Record<string, string>;
    marks.known('a sign-in token', String(sign_in_token));
    const points = [
      { timestamp: '2026-11-20T12:00:00Z', value: marks.number('a heart rate'), unit: 'bpm', remark: text },
    ];
    const data = { source: { provider: 'oura', type: 'ring' }, data: points };
    const event = { event_type: 'daily.data.heartrate.created', user_id, client_user_id: account, data };
    const message = signedMessage('msg_1', event);
    expect((await fetch(`${child.url}/webhooks`, { method: 'POST', ...message })).status).toBe(204);
    return child;
  }

  it('that dies of an uncaught error', async () => {
    const [[what, how]] = crashes;
    const sabotage = { NODE_OPTIONS: `--import=${asModule(saboteur)}`, CANARY_WHAT: what, CANARY_HOW: how };
    const child = await busy(sabotage);
    expect(await child.end('SIGUSR2')).toBe(1);
    expect(child.output.join('\n')).toContain('"event":"app.crashed"');
    expect(marks.in(child.output.join('\n'))).toEqual([]);
  });

  it.each(crashes)('that dies of %s, %s, uncaught', async (what, how) => {
    const crash = pathToFileURL(join(String(process.env['PULSEKEEP_TEST_BUILD']), 'src/app/crash.js'));
    const code = `import { endOnCrash } from '${crash.href}'; ${saboteur} endOnCrash(); crash();`;
    const env = { PATH: process.env['PATH'], CANARY_WHAT: what, CANARY_HOW: how };
    const args = ['--input-type=module', '--eval', code];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, expect.stringContaining('"event":"app.crashed"')]);
    expect(marks.in(stdout + stderr)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('that is ended by %s', async (signal) => {
    const child = await busy();
    const inHand = Array.from({ length: 20 }, () => {
      const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ account_id: marks.text('an account') });
      return fetch(`${child.url}/admin/v1/accounts`, { method: 'POST', headers, body }).catch(() => null);
    });
    await child.end(signal);
    await Promise.all(inHand);
    expect(child.output.length).toBeGreaterThan(2);
    expect(marks.in(child.output.join('\n'))).toEqual([]);
  });

  it.each(['src/main.js', 'src/main-migrate.js', 'src/main-health.js'])(
    'that is %s and has a wrong value in every variable',
    async (program) => {
      const wrong = Object.keys(variables).map((name): [string, string] => [name, `${text} ${name}=`]);
      const { code, output } = await programRun(program, { ...Object.fromEntries(wrong), UPSTREAM_SECRET: text });
      expect(code).toBe(1);
      if (program !== 'src/main-health.js') expect(output).toContain('UPSTREAM_BASE_URL');
      expect(marks.in(output)).toEqual([]);
    },
  );

  it.each([
    ['cannot be reached', `postgres://someone:${text}@127.0.0.1:9/${text}`],
    ['cannot be named', `postgres://someone:${text}%zz@127.0.0.1:9/a`],
  ])('that is given a database that %s', async (_, DATABASE_URL) => {
    const env = childEnvironment(database, sandbox.url, { DATABASE_URL });
    for (const program of ['src/main.js', 'src/main-migrate.js']) {
      const { code, output } = await programRun(program, env);
      expect([program, code]).toEqual([program, 1]);
      expect(marks.in(output)).toEqual([]);
    }
  });

  it('that is given a file that is no database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'canary-'));
    writeFileSync(join(folder, 'notes'), text.repeat(1_000));
    const env = childEnvironment(database, sandbox.url, { DATABASE_URL: `sqlite:${join(folder, 'notes')}` });
    const { code, output } = await programRun('src/main.js', env);
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(output).toContain('SQLITE_NOTADB');
    expect(marks.in(output)).toEqual([]);
  });
});
