import { type Figure, figureOf, type Plan } from '../figures.js';
import type { Load } from '../load/looks.js';
import type { ApplyCommands } from '../process/apply.process.js';
import { Child, cores } from '../process/child.js';
import { preparedDatabase } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved } from '../rounds.js';

const accounts = 50;
/** Every round uses its own time range, so that its first writes are inserts. */
const stretchPoints = 20_000;
const ours = 'Pulsekeep';
const raw = 'raw upserts, same table';

type Shape = Omit<Load, 'from' | 'accounts'>;

/** Writes new, changed and unchanged records through the write lane, compared with raw statements. */
export function applying({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const child = keep(await Child.start<ApplyCommands>('process/apply.process.js', cores.measured));
    await child.ask('open', { database: keep(await preparedDatabase(accounts)).path });
    const count = (full: number): number => Math.max(accounts, Math.round(full * scale));
    const shapes: Readonly<Record<string, Shape>> = {
      'page of 5,000': { kind: 'sync', size: 5_000, looks: count(50), together: 1 },
      'message of 19': { kind: 'message', size: 19, looks: count(5_000), together: 50 },
    };
    const figures: Figure[] = [];
    let stretch = 0;
    for (const [shape, load] of Object.entries(shapes)) {
      const sides = ([ours, raw] as const).map((name) => ({
        name,
        run: () => {
          const from = (stretch += 1) * stretchPoints;
          return child.ask('write', { side: name === ours ? 'ours' : 'raw', load: { ...load, accounts, from } });
        },
      }));
      const of = await interleaved(rounds, sides, step);
      for (const phase of ['first', 'changed', 'replay'] as const) {
        const baseline = { name: raw, values: of(raw, phase) };
        const name = `apply, ${shape}, ${phase}`;
        figures.push(figureOf({ name, unit: 'samples/s', values: of(ours, phase), baseline }));
      }
    }
    step('bytes of a sample');
    const load: Load = { kind: 'sync', size: 5_000, looks: count(200), together: 1, accounts, from: 1_000_000 };
    const bytes = (await child.ask('grow', load)) / (load.looks * load.size);
    const note = 'growth of the file, observations included';
    return [...figures, figureOf({ name: 'stored sample', unit: 'bytes', values: [bytes], note })];
  });
}
