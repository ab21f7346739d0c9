import type { BareCommands } from '../baselines/bare.process.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Bursts, rateOf } from '../load/bursts.js';
import type { Load } from '../load/looks.js';
import type { ApplyCommands } from '../process/apply.process.js';
import { Child, cores } from '../process/child.js';
import { PostgresDatabase } from '../process/postgres-database.js';
import { startApi } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved, type Side } from '../rounds.js';

const accounts = 50;
const stretchPoints = 20_000;
const ours = 'Pulsekeep';

/** Accepts and applies on the PostgreSQL of TEST_DATABASE_URL, compared with the raw limit and the ORM's own upsert. */
export async function postgres(plan: Plan): Promise<Figure[]> {
  return [...(await accepting(plan)), ...(await applying(plan))];
}

const bare = 'bare Fastify + HMAC + batched insert';

function accepting({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const { url } = keep(await PostgresDatabase.make(accounts));
    const bursts = keep(await Bursts.start(accounts));
    const raw = keep(await Child.start<BareCommands>('baselines/bare.process.js', cores.measured));
    const rawAt = await raw.ask('listen', { database: url });
    const api = keep(await startApi(url));
    const side = (name: string, port: number): Side => ({
      name,
      run: async () => ({ rate: rateOf(await bursts.send(name, port, Math.round(8_000 * scale))) }),
    });
    const of = await interleaved(rounds, [side(bare, rawAt.port), side(ours, api.port)], step);
    const baseline = { name: bare, values: of(bare, 'rate') };
    return [figureOf({ name: 'PostgreSQL accept', unit: 'messages/s', values: of(ours, 'rate'), baseline })];
  });
}

const upsert = 'repository.upsert, 1,000 rows';

function applying({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const { url } = keep(await PostgresDatabase.make(accounts));
    const child = keep(await Child.start<ApplyCommands>('process/apply.process.js', cores.any));
    await child.ask('open', { database: url });
    const count = (full: number): number => Math.max(2, Math.round(full * scale));
    const shapes: Readonly<Record<string, Omit<Load, 'from' | 'accounts'>>> = {
      'page of 5,000': { kind: 'sync', size: 5_000, looks: count(10), together: 1 },
      'message of 19': { kind: 'message', size: 19, looks: count(1_000), together: 50 },
    };
    const figures: Figure[] = [];
    let stretch = 0;
    for (const [shape, load] of Object.entries(shapes)) {
      const sides = ([ours, upsert] as const).map((name): Side => {
        const run = () => {
          const from = (stretch += 1) * stretchPoints;
          return child.ask('write', { side: name === ours ? 'ours' : 'upsert', load: { ...load, accounts, from } });
        };
        return { name, run };
      });
      const of = await interleaved(rounds, sides, step);
      for (const phase of ['first', 'changed'] as const) {
        const baseline = { name: upsert, values: of(upsert, phase) };
        const name = `PostgreSQL apply, ${shape}, ${phase}`;
        figures.push(figureOf({ name, unit: 'samples/s', values: of(ours, phase), baseline }));
      }
    }
    return figures;
  });
}
