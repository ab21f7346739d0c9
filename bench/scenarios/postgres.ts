import type { BareCommands } from '../baselines/bare.process.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Bursts, rateOf } from '../load/bursts.js';
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
    const looks = Math.max(2, Math.round(10 * scale));
    let stretch = 0;
    const sides = [ours, upsert].map((name): Side => {
      const run = () => {
        const from = (stretch += 1) * stretchPoints;
        const load = { kind: 'sync', size: 5_000, looks, together: 1, accounts, from } as const;
        return child.ask('write', { side: name === ours ? 'ours' : 'upsert', load });
      };
      return { name, run };
    });
    const of = await interleaved(rounds, sides, step);
    return (['first', 'changed'] as const).map((phase) => {
      const baseline = { name: upsert, values: of(upsert, phase) };
      const name = `PostgreSQL apply, page of 5,000, ${phase}`;
      return figureOf({ name, unit: 'samples/s', values: of(ours, phase), baseline });
    });
  });
}
