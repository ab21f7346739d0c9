import { type Figure, figureOf } from '../figures.js';
import { Child, cores } from '../process/child.js';
import type { ApplyCommands } from './apply.process.js';
import type { Plan } from './plan.js';

const accounts = 50;
const page = 5_000;

/** What a stored sample takes on disk, with where it came from and how new it is: pages of 5,000 into 50 series. */
export async function byteFigures({ scale, step }: Plan): Promise<Figure[]> {
  step('bytes of a sample');
  const child = await Child.start<ApplyCommands>('scenarios/apply.process.js', cores.measured);
  try {
    await child.ask('open', { accounts });
    const looks = Math.max(accounts, Math.round(200 * scale));
    const size = await child.ask('grow', { kind: 'sync', looks, size: page, together: 1, accounts, from: 0 });
    await child.ask('close');
    const bytes = (size.after - size.before) / (looks * page);
    const note = `${(looks * page).toLocaleString('en-US')} samples; the file's growth, observations and series included`;
    const goal = { of: 'value', atMost: 32 } as const;
    return [figureOf({ name: 'stored sample', unit: 'bytes', values: [bytes], goal, note })];
  } finally {
    await child.end();
  }
}
