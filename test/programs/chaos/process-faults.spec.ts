import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { processFaults } from '../../../chaos/process-faults.js';
import { until } from '../../support/until.js';

/** Not every machine has them. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

const opensAndWrites = `
  const fs = await import('node:fs');
  const file = fs.openSync(process.argv[1], 'w');
  const codeOf = (act) => { try { act(); return 'ok'; } catch (error) { return error.code; } };
  setInterval(() => {
    const opened = codeOf(() => fs.closeSync(fs.openSync('/dev/null')));
    console.log(opened, codeOf(() => fs.writeSync(file, 'x', 0)));
  }, 10);`;

const tellsTime = `setInterval(() => console.log(Date.now(), new Date().getTime(), new Date(5).getTime()), 10);`;

describe('faults that chaos injects into a process', () => {
  let folder: string;
  let child: ChildProcessWithoutNullStreams;
  let said: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chaos-faults-'));
    said = [];
  });

  afterEach(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true });
  });

  async function run(options: readonly string[], code: string, env: Record<string, string> = {}): Promise<void> {
    const args = [...options, '--input-type=module', '-e', code, join(folder, 'file')];
    child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } });
    createInterface({ input: child.stdout }).on('line', (line) => void said.push(line));
    await until(async () => said.length > 0);
  }

  const lately = (): string | undefined => said.at(-1);

  /** Strikes until the process says so; answers how often, and what the process says afterwards. */
  async function struck(name: string, failing: string): Promise<{ after: string; times: number }> {
    const fault = processFaults.withFile.find((one) => one.name === name);
    await run([], opensAndWrites);
    const isFailing = until(async () => said.includes(failing));
    const times = (await fault?.strike(Number(child.pid), isFailing)) ?? 0;
    await isFailing;
    const then = said.length;
    await until(async () => said.length > then + 2);
    return { after: String(lately()), times };
  }

  (hasPrlimit ? it : it.skip)('leaves it no handles, and gives them back', async () => {
    expect(await struck('process.no_handles', 'EMFILE ok')).toEqual({ times: 1, after: 'ok ok' });
  });

  (canTrace ? it : it.skip).each([
    ['disk.full', 'ok ENOSPC'],
    ['disk.read_only', 'ok EROFS'],
    ['disk.broken', 'ok EIO'],
  ])('makes its writes fail: %s', async (name, failing) => {
    const { after, times } = await struck(name, failing);
    expect(times).toBeGreaterThan(0);
    expect(after).toBe('ok ok');
  });

  it('do not strike a process that is gone', async () => {
    await run([], opensAndWrites);
    // Linux gives no id above 4,194,304, and one that has been free may be in use again.
    const nobody = 4_194_305;
    for (const fault of processFaults.withFile)
      expect([fault.name, await fault.strike(nobody, new Promise(() => undefined))]).toEqual([fault.name, 0]);
  });

  it('set its clock, and correct it again', async () => {
    const file = join(folder, 'ahead');
    const module = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'chaos/stepped-clock.js');
    await run(['--import', module], tellsTime, { CHAOS_CLOCK_FILE: file });
    const ahead = (): number => Math.round((Number(lately()?.split(' ')[0]) - Date.now()) / 60_000) + 0;
    expect(ahead()).toBe(0);
    writeFileSync(file, String(-2 * 3_600_000));
    await until(async () => ahead() === -120);
    const [now, made, given] = String(lately()).split(' ').map(Number);
    expect(Math.abs(Number(now) - Number(made))).toBeLessThan(60_000);
    expect(given).toBe(5);
    writeFileSync(file, '0');
    await until(async () => ahead() === 0);
  });
});
