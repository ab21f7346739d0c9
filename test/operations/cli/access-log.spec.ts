import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runCli } from '../../../src/operations/cli/program.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { access } from '../../privacy/access-log/support/access.js';
import { adminKeys, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const unneeded = (): never => {
  throw new Error('This needs nothing of the process.');
};

describe('the commands of the access log', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  let app: TestApp;
  let folder: string;
  let kept: string;
  let key: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kept-'));
    kept = join(folder, 'kept.jws');
    key = join(folder, 'key.pem');
    writeFileSync(key, publicKey.export({ format: 'pem', type: 'spki' }));
    app = await TestApp.create({
      upstream: { url: nowhere },
      env: { ACCESS_LOG_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64') },
    });
    for (let round = 0; round < 3; round++) {
      await app.get(AccessLog).record(access({ request_id: `request-${round}` }));
      appendFileSync(kept, (await cli(['checkpoint'])).out);
    }
  });

  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  const verify = (...more: string[]) => cli(['verify', ...more]);

  async function cli(args: string[], role: keyof typeof adminKeys = 'operator') {
    const said = { out: '', err: '' };
    const stream = (name: 'out' | 'err'): Writable =>
      new Writable({ write: (text: Buffer, _, done) => ((said[name] += text.toString()), done()) });
    const code = await runCli(['access-log', ...args, '--url', app.url], {
      out: stream('out'),
      err: stream('err'),
      clock: new SystemClock(),
      operatorKey: () => new Secret(adminKeys[role]),
      startLocal: unneeded,
      entities: unneeded,
      views: unneeded,
      daily: unneeded,
      configuration: unneeded,
      database: unneeded,
      onInterrupt: () => () => undefined,
    });
    return { code, ...said };
  }

  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));

  /** Everything after the first entry is written anew, as somebody can who owns the database. */
  async function rewrite(): Promise<void> {
    const on = app.store.dialect === 'postgres' ? ' ON access_log' : '';
    for (const name of ['unchanged', 'kept']) await execute(`DROP TRIGGER access_log_${name}${on}`);
    await execute('DELETE FROM access_log WHERE seq > 1');
    await execute('UPDATE access_log_chain SET last_seq = 1, last_hash = (SELECT hash FROM access_log WHERE seq = 1)');
    for (let n = 0; n < 4; n++) await app.get(AccessLog).record(access({ actor: 'another' }));
    await app.chainAccesses();
  }

  it('compares the log with every checkpoint of a file, with its own key or the key of the service', async () => {
    expect(await verify('--checkpoint', kept, '--public-key', key)).toMatchObject({ code: 0, err: '' });
    const { code, out } = await verify('--checkpoint', kept, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ intact: true, checkpoints: 3, unproven: [] });
  });

  it('prints one line, or JSON that verify also accepts, with a key for monitors', async () => {
    const { code, out } = await cli(['checkpoint'], 'monitor');
    expect([code, out]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
    appendFileSync(kept, (await cli(['checkpoint', '--json'], 'monitor')).out);
    const verified = await verify('--checkpoint', kept, '--public-key', key, '--json');
    expect(JSON.parse(verified.out)).toMatchObject({ intact: true, checkpoints: 4 });
  });

  it('accepts several keys after a change of the key', async () => {
    const other = join(folder, 'other.pem');
    writeFileSync(other, generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));
    expect((await verify('--checkpoint', kept, '--public-key', other)).code).toBe(1);
    expect((await verify('--checkpoint', kept, '--public-key', other, '--public-key', key)).code).toBe(0);
  });

  it('accepts a noted entry instead of checkpoints', async () => {
    const { hash } = (await app.store.reader.row<{ hash: string }>('SELECT hash FROM access_log WHERE seq = 2')) ?? {};
    expect((await verify('--seq', '2', '--hash', String(hash))).code).toBe(0);
    expect(await verify('--seq', '2', '--hash', '0'.repeat(64))).toMatchObject({
      code: 1,
      out: expect.stringMatching(/reason\s+not_as_noted/),
    });
    expect((await verify('--seq', 'x', '--hash', '0'.repeat(64))).code).toBe(2);
  });

  it('ends with 1 if the log was rewritten, even if a newer checkpoint matches it', async () => {
    await rewrite();
    appendFileSync(kept, (await cli(['checkpoint'])).out);
    expect(await verify()).toMatchObject({ code: 0 });
    const { code, out } = await verify('--checkpoint', kept, '--public-key', key);
    expect(code).toBe(1);
    expect(out).toMatch(/ALTERED[^]*broken_at\s+2\nreason\s+not_as_noted/);
  });

  it('ends with 1 for lines that the key has not signed, which prove nothing', async () => {
    const [first = '', second = '', third = ''] = readFileSync(kept, 'utf8').trim().split('\n');
    const [header, , signature] = second.split('.');
    const payload = third.split('.')[1];
    writeFileSync(kept, [first, `${header}.${payload}.${signature}`, 'nothing'].join('\n'));
    const { code, out } = await verify('--checkpoint', kept, '--public-key', key, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ intact: true, checkpoints: 1, wrong_signature: 1, unreadable: 1 });
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' });
    writeFileSync(key, other);
    const unknown = await verify('--checkpoint', kept, '--public-key', key, '--json');
    expect(JSON.parse(unknown.out)).toMatchObject({ checkpoints: 0, unknown_key: 2, unreadable: 1 });
  });

  it('reports the fault of a file', async () => {
    expect(await verify('--checkpoint', join(folder, 'none'))).toMatchObject({ code: 1, out: '' });
    writeFileSync(kept, '\n');
    expect((await verify('--checkpoint', kept)).err).toBe('The file of checkpoints is empty.\n');
    writeFileSync(key, 'x');
    expect((await verify('--checkpoint', kept, '--public-key', key)).code).toBe(1);
    expect((await verify('--public-key', key)).code).toBe(2);
    expect((await verify('--checkpoint', kept, '--seq', '1', '--hash', '0'.repeat(64))).code).toBe(2);
  });

  it('list entries by the filters of the service, as lines, JSON or CSV', async () => {
    await app.get(AccessLog).record(access({ actor: 'other', resource: 'glucose', window_end: 0 }));
    await app.get(AccessLog).record(access({ actor: 'other', resource: 'steps', request_id: 'request-9' }));
    const filters = [
      '--actor',
      'other',
      '--resource',
      'glucose',
      '--window-start',
      '1960-01-01',
      '--end',
      '2030-01-01',
    ];
    const lines = await cli(['list', ...filters]);
    expect([lines.code, lines.out.split('\n').length]).toEqual([0, 2]);
    expect(lines.out).toMatch(/^\S+\tother\tGET \S+\t200\t-\t-\tglucose\t-\t1970-01-01T00:00:00.000Z\t-\n$/);
    const json = JSON.parse((await cli(['list', '--actor', 'other', '--limit', '1', '--json'])).out) as object;
    expect(json).toMatchObject({ data: [{ request_id: 'request-9', resource: 'steps' }], more: true });
    const csv = (await cli(['list', ...filters, '--csv'])).out.split('\r\n');
    expect(csv).toEqual([expect.stringMatching(/^seq,at,actor,/), expect.stringMatching(/^4,.*,glucose,,1970/), '']);
  });

  it('fail for filters that match nothing known, and for options that exclude each other', async () => {
    expect(await cli(['list', '--account', 'nobody'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('account_ref'),
    });
    expect((await cli(['list', '--action', 'GET /nothing'])).code).toBe(2);
    expect((await cli(['list', '--csv', '--json'])).code).toBe(2);
    expect((await cli(['list', '--csv', '--limit', '3'])).code).toBe(2);
  });
});
