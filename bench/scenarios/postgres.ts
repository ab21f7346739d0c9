import type { BareCommands } from '../baselines/bare.process.js';
import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { Child, cores, cpuOf, endChild } from '../process/child.js';
import { interleaved, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import type { PostgresCommands, Side } from './postgres.process.js';
import { PostgresDatabase } from './postgres-database.js';
import { startRole } from './pulsekeep.js';

const accounts = 50;
const connections = 64;
const stretchPoints = 20_000;

/** Storing and accepting on PostgreSQL, TEST_DATABASE_URL, against what most would write and against the raw limit. */
export async function postgres(plan: Plan): Promise<Figure[]> {
  return [...(await storing(plan)), ...(await accepting(plan))];
}

const ours = 'Pulsekeep';
const upsert = 'repository.upsert, 1,000 rows';
const rowByRow = 'guarded upserts, row by row';
const sideOf: Readonly<Record<string, Side>> = { [ours]: 'ours', [upsert]: 'upsert', [rowByRow]: 'row by row' };

async function storing({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const database = await PostgresDatabase.make(accounts);
  const child = await Child.start<PostgresCommands>('scenarios/postgres.process.js', cores.any);
  try {
    await child.ask('open', { url: database.url });
    let stretch = 0;
    const looks = Math.max(2, Math.round(10 * scale));
    const variants = Object.entries(sideOf).map(([name, side]): Variant<string> => {
      const run = () => {
        const from = (stretch += 1) * stretchPoints;
        return child.ask('write', { side, load: { kind: 'sync', size: 5_000, looks, together: 1, accounts, from } });
      };
      return { name, run };
    });
    const series = await interleaved(rounds, variants, step);
    await child.ask('close');
    return (['first', 'changed'] as const).flatMap((phase) => {
      const against = (name: string, atLeast: number): Figure => {
        const baseline = { name, values: valuesOf(series, name, phase) };
        const values = valuesOf(series, ours, phase);
        const name_ = `PostgreSQL apply, page of 5,000, ${phase}`;
        return figureOf({ name: name_, unit: 'samples/s', values, baseline, goal: { of: 'ratio', atLeast } });
      };
      return [against(upsert, 2.5), against(rowByRow, 4)];
    });
  } finally {
    await child.end();
    await database.drop();
  }
}

const bareSide = 'bare Fastify + HMAC + batched insert';

async function accepting({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const database = await PostgresDatabase.make(accounts);
  const bare = await Child.start<BareCommands>('baselines/bare.process.js', cores.measured);
  const load = await Child.start<LoadCommands>('load/load.process.js', cores.driver);
  const api = await startRole('api', database.url, cores.measured);
  let sent = 0;
  const count = Math.round(8_000 * scale);
  const burst = (name: string, port: number, cpu: () => number): Variant<string> => {
    const run = async (): Promise<Record<string, number>> => {
      const before = cpu();
      const deliveries = { path: '/webhooks', label: 'bench', accounts, first: sent, count };
      sent += count;
      const { accepted, refused, seconds } = await load.ask('burst', { port, connections, deliveries });
      if (refused > 0) throw new Error(`${name} refused messages.`);
      return { rate: accepted / seconds, cpu: ((cpu() - before) * 1_000) / count };
    };
    return { name, run };
  };
  try {
    const bareAt = await bare.ask('listen', { database: database.url });
    const variants = [burst(bareSide, bareAt.port, () => bare.cpu()), burst(ours, api.port, () => cpuOf(api.child))];
    const series = await interleaved(rounds, variants, step);
    const baseline = { name: bareSide, values: valuesOf(series, bareSide, 'rate') };
    const values = valuesOf(series, ours, 'rate');
    const goal = { of: 'ratio', atLeast: 0.8 } as const;
    const cpu = (name: string) => ({ name: `processor time, ${name}`, values: valuesOf(series, name, 'cpu') });
    return [
      figureOf({ name: 'PostgreSQL accept', unit: 'messages/s', values, baseline, goal }),
      figureOf({ ...cpu(ours), unit: 'us/message', baseline: cpu(bareSide) }),
    ];
  } finally {
    for (const child of [bare, load]) await child.end();
    await endChild(api.child);
    await database.drop();
  }
}
