import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../harness/free-port.js';
import { childEnvironment } from '../support/child-env.js';
import { accessToken, nowhere } from '../support/environment.js';
import { testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const status = (url: string): Promise<number> =>
  fetch(url).then(
    (answer) => answer.status,
    () => 0,
  );

describe('a process whose log cannot be written', () => {
  it.each([
    ['to a full disk', () => openSync('/dev/full', 'w')],
    ['to a pipe that nobody reads', () => 'pipe' as const],
  ])('%s continues to serve, and ends when stopped', async (_, output) => {
    const database = await testDatabase();
    const port = await freePort();
    const env = childEnvironment(database, nowhere, { PORT: String(port), LOG_LEVEL: 'debug' });
    const program = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'src/main.js');
    const kind = output();
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], ...env },
      cwd: String(process.env['PULSEKEEP_TEST_BUILD']),
      stdio: ['ignore', kind, 'ignore'],
    });
    const url = `http://127.0.0.1:${port}`;
    await until(async () => (await status(`${url}/livez`)) === 200);
    // Each is some lines of the log; a pipe holds a few hundred before it is full.
    const calls = async (from: number): Promise<void> => {
      for (let count = from; count < from + (kind === 'pipe' ? 250 : 5); count++) {
        const authorization = `Bearer ${await accessToken(`log-${count}`, Date.now())}`;
        await (await fetch(`${url}/v1/me`, { headers: { authorization } })).arrayBuffer();
      }
    };
    await Promise.all([0, 1_000, 2_000, 3_000].map(calls));
    expect(await status(`${url}/readyz`)).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    child.stdout?.destroy();
    await database.drop();
  });
});
