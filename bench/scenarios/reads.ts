import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { accounts, fillLarge, large, small } from '../process/large-store.js';
import { PostgresDatabase } from '../process/postgres-database.js';
import { ask, deadPort, PulsekeepProcess, startApi } from '../process/pulsekeep.js';
import { type Keep, staged } from '../process/stage.js';
import { interleaved, median, type Numbers } from '../rounds.js';

/** Number of reads of one round. */
const requests = 20;

/** Reads of an app's first screens in a store of 20 million samples. */
export function reads(plan: Plan): Promise<Figure[]> {
  return reading(plan, async (keep) => {
    const fill = (path: string): Promise<void> => fillLarge(path, plan.scale);
    return keep(await PulsekeepProcess.start(accounts, deadPort, fill));
  });
}

/** The same reads on the PostgreSQL of TEST_DATABASE_URL. */
export function readsPostgres(plan: Plan): Promise<Figure[]> {
  return reading(plan, async (keep) => {
    const { url } = keep(await PostgresDatabase.make(accounts));
    await fillLarge(url, plan.scale);
    return keep(await startApi(url));
  });
}

type Start = (keep: Keep) => Promise<{ readonly port: number }>;

function reading({ rounds, step }: Plan, start: Start): Promise<Figure[]> {
  return staged(async (keep) => {
    step('20 million samples');
    const { port } = await start(keep);
    const year = `first_day=${dateOf(Date.now() - 365 * DAY_MS)}`;
    const asked = {
      today: 'today',
      latest: 'latest',
      'a year of daily steps': `daily?resources=steps&${year}`,
    };
    const sides = [large, small].flatMap((account) =>
      Object.entries(asked).map(([name, path]) => ({
        name: `${name}, ${account === large ? '2 million' : '4,000'} samples`,
        run: () => timed(() => ask(port, `/v1/accounts/bench-${account - 1}/${path}`)),
      })),
    );
    const of = await interleaved(rounds, sides, step);
    return sides.map(({ name }) => {
      const note = `the slowest of ${requests}: ${Math.round(median(of(name, 'most')))} ms`;
      return figureOf({ name, unit: 'ms', values: of(name, 'p50'), note });
    });
  });
}

async function timed(read: () => Promise<string>): Promise<Numbers> {
  const times: number[] = [];
  for (let request = 0; request < requests; request++) {
    const begun = performance.now();
    await read();
    times.push(performance.now() - begun);
  }
  return { p50: median(times), most: Math.max(...times) };
}
