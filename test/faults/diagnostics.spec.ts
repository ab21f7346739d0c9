import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { nowhere } from '../support/environment.js';
import { testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

describe('a signal to the service', () => {
  it('opens no debugger and writes no report, whatever NODE_OPTIONS ask for', async () => {
    const database = await testDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-reports-'));
    const options = `--inspect-port=0 --report-on-signal --report-on-fatalerror --report-uncaught-exception --report-directory=${folder}`;
    const child = await ChildPulsekeep.start({ ...childEnvironment(database, nowhere), NODE_OPTIONS: options });
    try {
      for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const) child.tell(signal);
      await until(async () => child.output.some((line) => line.includes('config.secrets_reread')));
      expect((await fetch(`${child.url}/readyz`)).status).toBe(200);
      expect(await child.stop()).toBe(0);
      expect(child.output.filter((line) => /debugger|report/i.test(line))).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      await child.kill();
      rmSync(folder, { recursive: true, force: true });
      await database.drop();
    }
  });

  it('switches the log level to debug and back', async () => {
    const database = await testDatabase();
    const child = await ChildPulsekeep.start({ ...childEnvironment(database, nowhere), LOG_LEVEL: 'info' });
    const levels = (): unknown[] =>
      child.output
        .filter((line) => line.includes('config.log_level_changed'))
        .map((line) => JSON.parse(line) as { level: unknown; state: unknown })
        .map(({ level, state }) => [level, state]);
    try {
      child.tell('SIGUSR2');
      await until(async () => levels().length === 1);
      child.tell('SIGUSR2');
      await until(async () => levels().length === 2);
      expect(levels()).toEqual([
        ['info', 'debug'],
        ['info', 'info'],
      ]);
    } finally {
      await child.stop();
      await database.drop();
    }
  });
});
