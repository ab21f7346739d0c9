import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endingWithParent } from './child-pulsekeep.js';
import { until } from './until.js';

it('has children that end when the process that started them is killed', async () => {
  const child = JSON.stringify([...endingWithParent, '-e', 'setInterval(() => undefined, 1000)']);
  const program = `const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
    process.stdout.write(String(require('node:child_process').spawn(process.execPath, ${child}, { stdio }).pid))`;
  const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  parent.kill('SIGKILL');
  await until(async () => {
    try {
      return !process.kill(Number(pid), 0);
    } catch {
      return true;
    }
  });
});
