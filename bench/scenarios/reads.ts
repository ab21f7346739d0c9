import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { accounts, fillLarge, large, small } from '../process/large-store.js';
import { deadPort, PulsekeepProcess } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved, median, type Numbers } from '../rounds.js';

/** Of one round. */
const requests = 20;

/** Reads of an app's first screens in a store of 20 million samples. */
export function reads({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    step('20 million samples');
    const pulsekeep = keep(await PulsekeepProcess.start(accounts, deadPort, (path) => fillLarge(path, scale)));
    const year = `start=${dateOf(Date.now() - 365 * DAY_MS)}`;
    const asked = {
      today: 'today',
      latest: 'latest',
      'a year of daily steps': `daily?resources=steps&${year}`,
    };
    const sides = [large, small].flatMap((account) =>
      Object.entries(asked).map(([name, path]) => ({
        name: `${name}, ${account === large ? '2 million' : '4,000'} samples`,
        run: () => timed(() => pulsekeep.ask(`/v1/accounts/bench-${account - 1}/${path}`)),
      })),
    );
    const of = await interleaved(rounds, sides, step);
    return sides.map(({ name }) => {
      const note = `the slowest of ${requests}: ${Math.round(median(of(name, 'most')))} ms`;
      return figureOf({ name, unit: 'ms', values: of(name, 'p50'), note });
    });
  });
}

async function timed(ask: () => Promise<string>): Promise<Numbers> {
  const times: number[] = [];
  for (let request = 0; request < requests; request++) {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  }
  return { p50: median(times), most: Math.max(...times) };
}
