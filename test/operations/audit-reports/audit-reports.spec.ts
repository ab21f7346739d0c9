// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { runCli } from '../../../src/operations/cli/program.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';
import { adminKeys, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const keyPair = () => generateKeyPairSync('ed25519');
const privateText = ({ privateKey }: ReturnType<typeof keyPair>): string =>
  privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const publicText = ({ publicKey }: ReturnType<typeof keyPair>): string =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString();

const unneeded = (): never => {
  throw new Error('This needs nothing of the process.');
};

const signing = keyPair();
const people = ['one person', 'another person', 'a third person'];
const days = ['2026-11-01', '2026-11-02', '2026-11-03'];
const range = '?first_day=2026-11-01&last_day=2026-11-03';
let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
  app = await begin(privateText(signing), {});
  for (const account_id of people)
    expect((await app.admin('POST', '/accounts', { account_id })).status).toBeLessThan(300);
  for (const [index, account] of people.entries()) {
    for (const day of days) await prove({ account, day, resource: 'sleep', hash: `${index}${day}` });
  }
  await prove({ account: 'one person', day: '2026-11-02', resource: 'steps', hash: 'ab' });
  await prove({ account: 'one person', day: '2026-11-03', resource: 'steps', state: 'different', hash: 'cd' });
  await prove({ account: 'one person', day: '2026-10-31', resource: 'steps', hash: 'ef' });
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const begin = (keys?: string, options: object = { upstream: { url: nowhere } }): Promise<TestApp> =>
  TestApp.create({ ...options, env: keys === undefined ? {} : { AUDIT_REPORT_KEYS: keys } });

interface Planted {
  readonly account: string;
  readonly day: string;
  readonly resource: string;
  readonly hash: string;
  readonly state?: string;
}

async function prove({ account, day, resource, hash, state = 'proven' }: Planted): Promise<void> {
  const sql = `INSERT INTO day_proofs (account_id, resource, provider, day, state, hash, objects, looked_at, proven_at,
      missing, extra, differing, fields, cause, audit_id, task_id, looks, look_due_at)
    SELECT id, ?, 'oura', ?, ?, ?, 2, ?, ?, 0, 0, 0, '[]', NULL, 1, NULL, 0, NULL FROM accounts WHERE account_id = ?`;
  const now = app.clock.now();
  await app.store.lane.run((tx) => tx.execute(sql, [resource, day, state, hash.padEnd(64, '0'), now, now, account]));
}

async function report(query = range): Promise<string> {
  const { status, body } = await app.admin<string>('GET', `/audit-report${query}`);
  expect(status).toBe(200);
  return body;
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const key = (): string => file('key.pem', publicText(signing));

async function keySet(of = app): Promise<JSONWebKeySet> {
  return (await of.call<JSONWebKeySet>('GET', '/.well-known/jwks.json')).body;
}

async function cli(...args: string[]) {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err'): Writable =>
    new Writable({ write: (text: Buffer, _, done) => ((said[name] += text.toString()), done()) });
  const code = await runCli(['audit', ...args], {
    ...{ out: stream('out'), err: stream('err'), clock: new SystemClock() },
    operatorKey: () => new Secret(adminKeys.operator),
    ...{
      startLocal: unneeded,
      entities: unneeded,
      views: unneeded,
      daily: unneeded,
      configuration: unneeded,
      database: unneeded,
    },
    onInterrupt: () => () => undefined,
  });
  return { code, ...said };
}

const verify = (content: string, keyFile = key()) => cli('verify', file('report', content), '--public-key', keyFile);

interface Line {
  readonly account_ref: string;
  readonly day: string;
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const leavesOf = (text: string): Line[] =>
  linesOf(text)
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

const headOf = (text: string): Record<string, unknown> => {
  const { report: jws } = JSON.parse(linesOf(text).at(-1) ?? '') as { report: string };
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
};

describe('a report about proven days', () => {
  it('has a line for each proven day, and names no account', async () => {
    const text = await report();
    expect(leavesOf(text)).toHaveLength(10);
    expect(new Set(leavesOf(text).map(({ account_ref }) => account_ref)).size).toBe(3);
    expect(linesOf(text)[0]).toMatch(
      /^\{"account_ref":"[\w-]{22}","day":"2026-11-0\d","hash":"[^"]{64}","proven_at":"[^"]+","resource":"\w+","source":"oura"\}$/,
    );
    expect(headOf(text)).toMatchObject({
      ...{ first_day: '2026-11-01', last_day: '2026-11-03', resource: null, accounts: 3, objects: 20, leaves: 10 },
      not_proven: { different: 1, held: 0, repairing: 0 },
    });
    for (const name of people) expect(text).not.toContain(name);
  });

  it('has other names for accounts each time', async () => {
    const [one, other] = [await report(), await report()].map((text) => leavesOf(text).map((leaf) => leaf.account_ref));
    expect(one?.filter((ref) => other?.includes(ref))).toEqual([]);
  });

  it.each([
    ['', 10],
    ['&resource=steps', 1],
    ['&account_id=another%20person', 3],
    ['&resource=glucose', 0],
  ])('is valid, with the filter "%s"', async (filter, leaves) => {
    const text = await report(`${range}${filter}`);
    const { code, out } = await verify(text);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`valid.*leaves +${leaves}\\n`, 's'))]);
  });

  it('is valid for other programs: jose and the checker', async () => {
    const text = await report();
    const { report: jws } = JSON.parse(linesOf(text).at(-1) ?? '') as { report: string };
    const { payload } = await compactVerify(jws, createLocalJWKSet(await keySet()));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(headOf(text));
    if (!hasPython) return;
    const keys = file('jwks.json', JSON.stringify(await keySet()));
    const check = (content: string) =>
      spawnSync('python3', ['examples/checker/report.py', file('checked', content), keys], { encoding: 'utf8' });
    expect(check(text)).toMatchObject({ status: 0, stdout: expect.stringContaining('"leaves": 10'), stderr: '' });
    expect(check(await report('?first_day=2020-01-01&last_day=2020-01-02')).status).toBe(0);
    expect(check(text.replace('"oura"', '"ours"'))).toMatchObject({
      status: 1,
      stdout: 'the lines are not those that were signed\n',
    });
    const forged = text.replace(
      /(.)(.{85})"\}\n$/,
      (_, one: string, rest: string) => `${one === 'A' ? 'B' : 'A'}${rest}"}\n`,
    );
    expect(check(forged)).toMatchObject({ status: 1, stdout: 'the signature is wrong\n' });
  });

  it.each<[string, (lines: string[]) => string[], string]>([
    ['a line is changed', ([one = '', ...rest]) => [one.replace('oura', 'ours'), ...rest], 'lines_changed'],
    ['a line is removed', ([, ...rest]) => rest, 'lines_changed'],
    ['a line is there twice', ([one = '', ...rest]) => [one, one, ...rest], 'lines_changed'],
    ['two lines are swapped', ([one = '', two = '', ...rest]) => [two, one, ...rest], 'lines_changed'],
    ['the head is missing', (lines) => lines.slice(0, -1), 'no_head'],
    ['the head is empty', (lines) => [...lines.slice(0, -1), '{"report":"a.b.c"}'], 'unreadable'],
  ])('is not valid if %s', async (_, change, reason) => {
    const text = change(linesOf(await report())).join('\n');
    const { code, out } = await cli('verify', file('report', text), '--public-key', key(), '--json');
    expect([code, JSON.parse(out)]).toEqual([1, { valid: false, reason }]);
  });

  it('is not valid with the head of another report, or with another key', async () => {
    const [one, other] = [linesOf(await report()), linesOf(await report())];
    expect((await verify([...one.slice(0, -1), other.at(-1)].join('\n'))).code).toBe(1);
    const wrong = await verify(await report(), file('wrong.pem', publicText(keyPair())));
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('Another key signed')]);
  });

  it('stays valid when its key is an older one', async () => {
    const text = await report();
    const older = publicText(signing);
    const later = await begin(`${privateText(keyPair())},${older}`);
    const keys = await keySet(later);
    await later.close();
    expect(keys.keys).toHaveLength(2);
    expect((await verify(text, file('jwks.json', JSON.stringify(keys)))).code).toBe(0);
  });

  it('has its root in the access log', async () => {
    const { report_id, root } = headOf(await report());
    const { body } = await app.admin<{ data: { action: string; target: string }[] }>('GET', '/access-log?actor=system');
    expect(body.data[0]).toMatchObject({
      action: 'sign a report of audits',
      target: `audit_report:${String(report_id)} leaves:10 root:${String(root)}`,
    });
  });

  it('can be about the days of one audit', async () => {
    const days = { account_id: 'one person', first_day: '2026-11-02', last_day: '2026-11-02' };
    const audit = await app.admin<{ audit_id: number }>('POST', '/audits', { ...days, resource: 'sleep' });
    const { status, body } = await app.admin<string>('GET', `/audits/${audit.body.audit_id}/report`);
    const { account_id: _, ...window } = days;
    expect([status, headOf(body)]).toMatchObject([200, { ...window, resource: 'sleep', accounts: 1 }]);
    expect((await app.admin('GET', '/audits/999/report')).status).toBe(404);
  });

  it('is refused without a key, and for days in the wrong order', async () => {
    expect((await app.admin('GET', '/audit-report?first_day=2026-11-03&last_day=2026-11-01')).status).toBe(400);
    const without = await begin();
    const { status, body } = await without.admin<{ detail: string }>('GET', `/audit-report${range}`);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('AUDIT_REPORT_KEYS is not set')]);
    expect(await keySet(without)).toEqual({ keys: [] });
    await without.close();
  });
});

describe('an inclusion proof', () => {
  const proofOf = (path: string, ...more: string[]) =>
    cli('prove', path, '--account', 'one person', '--day', '2026-11-02', ...more, '--url', app.url);

  it('shows the day of one person and is valid without the report', async () => {
    const text = await report();
    const { code, out } = await proofOf(file('whole', text));
    expect(code).toBe(0);
    const { days: proven } = JSON.parse(out) as { days: { leaf: string }[] };
    const own = proven.map(({ leaf }) => JSON.parse(leaf) as Line);
    expect(own.map(({ day }) => day)).toEqual(['2026-11-02', '2026-11-02']);
    const others = leavesOf(text).filter(({ account_ref }) => account_ref !== own[0]?.account_ref);
    expect(others).toHaveLength(6);
    for (const { account_ref } of others) expect(out).not.toContain(account_ref);
    expect(await verify(out)).toMatchObject({ code: 0, out: expect.stringContaining('The proof is valid') });
    const changed = out.replace('2026-11-02', '2026-11-01');
    expect(await verify(changed)).toMatchObject({ code: 1, out: expect.stringContaining('NOT in the report') });
  });

  it('proves nothing without a day', async () => {
    const { report: head } = JSON.parse(linesOf(await report()).at(-1) ?? '') as { report: string };
    expect(await verify(JSON.stringify({ report: head, days: [] }))).toMatchObject({
      code: 1,
      out: expect.stringContaining('NOT in the report'),
    });
  });

  it('is no longer made for a person who was erased, whose reports stay valid', async () => {
    const [account, day] = ['erased person', '2026-10-20'];
    await app.admin('POST', '/accounts', { account_id: account });
    await prove({ account, day, resource: 'sleep', hash: 'aa' });
    const query = `?first_day=${day}&last_day=${day}`;
    const text = await report(query);
    const proofOfDay = () => cli('prove', file('whole', text), '--account', account, '--day', day, '--url', app.url);
    const proof = await proofOfDay();
    expect(proof.code).toBe(0);
    await app.admin('DELETE', `/accounts/${encodeURIComponent(account)}`);
    await app.advance(60);
    expect(await verify(text)).toMatchObject({ code: 0 });
    expect(await verify(proof.out)).toMatchObject({ code: 0 });
    expect((await proofOfDay()).code).toBe(1);
    expect(leavesOf(await report(query))).toEqual([]);
  });

  it('is refused for a day that was not proven, an unknown account, and another report', async () => {
    const path = file('whole', await report());
    expect((await proofOf(path, '--resource', 'glucose')).err).toContain('it was not proven');
    const stranger = await cli('prove', path, '--account', 'nobody', '--day', '2026-11-02', '--url', app.url);
    expect(stranger.code).toBe(1);
    const { status } = await app.admin('GET', `/accounts/one%20person/audit-ref?report_id=${crypto.randomUUID()}`);
    expect(status).toBe(404);
    expect(readFileSync(path, 'utf8')).not.toContain('one person');
  });
});
