import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runCli } from '../../../src/operations/cli/program.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';

const nowhere = 'http://127.0.0.1:9';
const verify = ['access-log', 'verify'];

/** The program without a process around it: nothing that is asked wrongly gets as far as to need one. */
async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const unneeded = (): never => {
    throw new Error('Wrong usage needs nothing of the process.');
  };
  const stream = (name: 'out' | 'err'): Writable =>
    new Writable({ write: (text: Buffer, _, done) => ((said[name] += text.toString()), done()) });
  const code = await runCli(args, {
    out: stream('out'),
    err: stream('err'),
    clock: new SystemClock(),
    operatorKey: () => undefined,
    startLocal: unneeded,
    entities: unneeded,
    configuration: unneeded,
    database: unneeded,
    onInterrupt: () => () => undefined,
  });
  return { code, ...said };
}

describe('the command line', () => {
  it.each([
    ['an unknown command', ['dance']],
    ['no command', []],
    ['half a command', ['sync']],
    ['an unknown option', [...verify, '--fast']],
    ['a time that is none', ['sync', 'run', '--start', 'yesterday', '--url', nowhere]],
    ['a missing option', ['sync', 'recover', '--from', '2026-11-01']],
    ['an address that is none', [...verify, '--url', 'localhost']],
    ['an address with a password', [...verify, '--url', 'http://ops:marked@127.0.0.1:9']],
    ['an address without a key', [...verify, '--url', nowhere]],
    ['a replay of nothing in particular', ['inbox', 'replay']],
    ['one message and a reason', ['inbox', 'replay', '--message', 'msg_1', '--reason', 'unknown_user']],
    ['one message and a filter', ['inbox', 'replay', '--message', 'msg_1', '--status', 'dead']],
    ['a reason that is none', [...verify, '--access-reason', 'Grüße']],
    ['half of a noted entry', [...verify, '--seq', '4']],
    ['a backup to nowhere', ['backup']],
  ])('ends with 2 for %s', async (_, args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).not.toBe('');
  });

  it.each([
    ['an unknown command', ['dance', '--json']],
    ['an unknown option', [...verify, '--fast', '--json']],
    ['a replay of nothing in particular', ['inbox', 'replay', '--json']],
  ])('prints one JSON object for %s with --json', async (_, args) => {
    const { code, out, err } = await run(args);
    expect([code, JSON.parse(out)]).toEqual([2, { error: { code: 'wrong_usage', message: expect.any(String) } }]);
    expect(err).not.toBe('');
  });

  it('is installed as pulsekeep, which says so where nothing is built', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toEqual(['pulsekeep']);
    const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-'));
    const copy = join(folder, 'scripts', 'pulsekeep.mjs');
    cpSync(String(bin['pulsekeep']), copy);
    const { status, stderr, stdout } = spawnSync(copy, ['--help'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stderr, stdout]).toEqual([1, 'This copy is not built yet: npm run build\n', '']);
  });

  it('explains itself', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    for (const word of ['accounts', 'sync', 'inbox', 'access-log', 'backup', 'restore']) expect(out).toContain(word);
  });
});
