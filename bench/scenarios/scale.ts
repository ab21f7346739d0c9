import pg from 'pg';
import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { Child, cores, endChild } from '../process/child.js';
import { interleaved, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import { PostgresDatabase } from './postgres-database.js';
import { type Started, startRole } from './pulsekeep.js';

const accounts = 500;
/** Few, so that each waits for the disk more than for a core. */
const connections = 8;
const counts = [1, 2, 4] as const;

const accepting = (processes: number): string => `accept, processes: ${processes}`;
const applying = (processes: number): string => `apply, processes: ${processes}`;

/**
 * How accepting and applying grow with processes on one PostgreSQL, TEST_DATABASE_URL. Processes share the machine's
 * cores with the database and the load, so growth ends where these are full.
 */
export async function scale({ rounds, scale: share, step }: Plan): Promise<Figure[]> {
  const stage = await Stage.start(Math.round(4_000 * share));
  try {
    const series = await interleaved(rounds, stage.variants(), step);
    return [accepting, applying].flatMap((side) => {
      const baseline = { name: side(1), values: valuesOf(series, side(1), 'rate') };
      return counts.map((count) =>
        figureOf({
          name: `PostgreSQL ${side(count)}`,
          unit: 'messages/s',
          values: valuesOf(series, side(count), 'rate'),
          ...(count > 1 && { baseline }),
        }),
      );
    });
  } finally {
    await stage.end();
  }
}

class Stage {
  private readonly accepting: Started[] = [];
  private sent = 0;

  private constructor(
    private readonly database: PostgresDatabase,
    private readonly load: Child<LoadCommands>,
    private readonly count: number,
  ) {}

  static async start(count: number): Promise<Stage> {
    const database = await PostgresDatabase.make(accounts);
    const load = await Child.start<LoadCommands>('load/load.process.js', cores.any);
    const stage = new Stage(database, load, count);
    for (let index = 0; index < Math.max(...counts); index++) stage.accepting.push(await stage.process('api'));
    return stage;
  }

  variants(): Variant<string>[] {
    return counts.flatMap((count) => [
      { name: accepting(count), run: async () => ({ rate: await this.accept(count) }) },
      { name: applying(count), run: async () => ({ rate: await this.apply(count) }) },
    ]);
  }

  async end(): Promise<void> {
    for (const { child } of this.accepting) await endChild(child);
    await this.load.end();
    await this.database.drop();
  }

  /** Messages a second, taken by so many processes together. */
  private async accept(processes: number): Promise<number> {
    const begun = performance.now();
    const results = await Promise.all(
      this.accepting.slice(0, processes).map(({ port }) => {
        const deliveries = { path: '/webhooks', label: 'bench', accounts, first: this.sent, count: this.count };
        this.sent += this.count;
        return this.load.ask('burst', { port, connections, deliveries });
      }),
    );
    if (results.some(({ refused }) => refused > 0)) throw new Error('Messages were refused.');
    const seconds = Math.max(...results.map((result) => result.seconds));
    if (performance.now() - begun < seconds * 1000) throw new Error('The clock of the load is wrong.');
    return (processes * this.count) / seconds;
  }

  /** Messages a second applied by so many processes together, of all that wait: those taken before as well. */
  private async apply(processes: number): Promise<number> {
    const reader = new pg.Client({ connectionString: this.database.url });
    await reader.connect();
    try {
      const before = await one(reader, 'SELECT COALESCE(max(finished_at), 0) AS value FROM messages');
      await this.accept(1);
      const workers = await Promise.all(Array.from({ length: processes }, () => this.process('worker')));
      const waiting = `SELECT (SELECT count(*) FROM arrivals)
        + (SELECT count(*) FROM messages WHERE due_at IS NOT NULL) AS value`;
      while ((await one(reader, waiting)) > 0) {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      for (const { child } of workers) await endChild(child);
      const done = `FROM messages WHERE finished_at > ${before} AND status = 'done'`;
      const spent = await one(reader, `SELECT max(finished_at) - min(finished_at) AS value ${done}`);
      return ((await one(reader, `SELECT count(*) AS value ${done}`)) * 1000) / spent;
    } finally {
      await reader.end();
    }
  }

  private process(role: 'api' | 'worker'): Promise<Started> {
    return startRole(role, this.database.url, cores.any);
  }
}

async function one(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query<{ value: string }>(sql);
  return Number(rows[0]?.value);
}
