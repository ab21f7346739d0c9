import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';

const build = String(process.env['PULSEKEEP_TEST_BUILD']);

describe('npm run dev', () => {
  let folder: string;
  let dev: ChildProcessWithoutNullStreams;
  let said = '';
  const value = (name: string): string => new RegExp(`^${name} +(\\S+)`, 'm').exec(said)?.[1] ?? '';

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dev-'));
    dev = spawn(process.execPath, [join(build, 'demo/dev.js')], { cwd: folder });
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => void (said += String(text)));
    await until(async () => said.includes('Ctrl-C ends all.'));
  });

  afterEach(async () => {
    // It ends its children itself.
    if (dev.exitCode === null && dev.kill('SIGTERM')) await once(dev, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  const answered = async (command: string): Promise<Record<string, unknown>> => {
    const curl = spawn('/bin/sh', ['-c', `${command} --silent --show-error`]);
    let body = '';
    curl.stdout.on('data', (text) => void (body += String(text)));
    await once(curl, 'close');
    return JSON.parse(body) as Record<string, unknown>;
  };

  it('prints calls that work as they stand, restarts the service on a change, and ends with all of it at Ctrl-C', async () => {
    const [me = '', records = '', overview = ''] = said.split('\n').filter((line) => line.startsWith('  curl '));
    expect(await answered(me)).toMatchObject({ account: { account_id: value('user') } });
    expect(await answered(overview)).toMatchObject({ accounts: { active: 1 } });
    await until(async () => ((await answered(records))['data'] as unknown[]).length > 0);
    expect((await fetch(`${value('upstream')}/control/faults`)).status).toBe(200);

    const now = new Date();
    utimesSync(join(build, 'src/main.js'), now, now);
    await until(async () => said.includes('The service has restarted.'));
    expect(await answered(overview)).toMatchObject({ accounts: { active: 1 } });
    expect(readFileSync(join(value('logs'), 'pulsekeep.log'), 'utf8')).not.toContain('"level":"error"');

    dev.kill('SIGINT');
    const [code] = (await once(dev, 'exit')) as [number | null];
    expect(code).toBe(0);
    for (const address of [value('service'), value('upstream')]) await expect(fetch(address)).rejects.toThrow();
    expect(existsSync(value('logs'))).toBe(false);
  }, 180_000);
});
