import { type Figure, figureOf } from '../figures.js';
import { ask, longestTurn, MOST_TURN_MS } from './operator.js';
import type { Plan } from './plan.js';
import { PulsekeepProcess, preparedDatabase } from './pulsekeep.js';
import { amounts, seedRecords } from './record-seed.js';

const heavy = '/admin/v1/accounts/bench-0';
const wide = '/admin/v1/accounts/bench-1';

/** What an operator or an app may ask of the two largest accounts, and of the whole. */
const routes: Readonly<Record<string, string>> = {
  'records, one series': `${heavy}/records/heartrate?limit=500`,
  'records, 3,000 series': `${wide}/records/heartrate?limit=500`,
  'records, middle of 3,000 series': `${wide}/records/heartrate?limit=500&start=2024-06-01`,
  'records, summaries': `${heavy}/records/sleep?limit=500`,
  'records, latest of each day': `${heavy}/records/sleep?limit=500&latest_per_day=true`,
  'account, one series': heavy,
  'account, 3,000 series': wide,
  'coverage of a year': `${heavy}/coverage?start=2024-01-01&end=2024-12-31`,
  'coverage, 3,000 series': `${wide}/coverage?start=2024-01-01&end=2024-12-31`,
  explain: `${heavy}/explain?resource=heartrate&day=2024-03-01`,
  timeline: `${heavy}/timeline?limit=500`,
  messages: '/admin/v1/messages?limit=500',
  accounts: '/admin/v1/accounts?limit=500',
  'accounts, searched': '/admin/v1/accounts?limit=500&q=no-such-account',
  overview: '/admin/v1/overview',
  verification: '/admin/v1/access-log/verification',
  export: `${heavy}/export`,
};

/** The longest turn of the event loop that each route causes, and what a delivery would have waited meanwhile. */
export async function loop({ scale, step }: Plan): Promise<Figure[]> {
  const database = await preparedDatabase(amounts.accounts);
  step('records are made');
  const samples = seedRecords(database.path, scale);
  const begun = performance.now();
  const pulsekeep = await PulsekeepProcess.on(database, 1);
  try {
    await ask(pulsekeep.port, '/readyz');
    const start = { name: 'start to ready', unit: 'ms', values: [performance.now() - begun] };
    const figures: Figure[] = [figureOf({ ...start, goal: { of: 'value', atMost: 1_000 } })];
    for (const [name, route] of Object.entries(routes)) {
      step(name);
      await ask(pulsekeep.port, route);
      figures.push(figureFor(name, await measured(pulsekeep.port, route)));
    }
    const memory = figureOf({ name: 'most memory', unit: 'MiB', values: [pulsekeep.peakMemory()] });
    return [...figures, { ...memory, note: `${samples.toLocaleString('en-US')} samples stored` }];
  } finally {
    await pulsekeep.end();
  }
}

interface Measured {
  readonly turn: number;
  readonly wait: number;
  readonly took: number;
}

function figureFor(name: string, { turn, wait, took }: Measured): Figure {
  const note = `answered in ${Math.round(took)} ms; the longest wait of a probe beside it was ${Math.round(wait)} ms`;
  return figureOf({ name, unit: 'ms', values: [turn], goal: { of: 'value', atMost: MOST_TURN_MS }, note });
}

/** One call, with a probe every few milliseconds beside it. */
async function measured(port: number, route: string): Promise<Measured> {
  await longestTurn(port);
  const ended = new AbortController();
  const probing = probe(port, ended.signal);
  const started = performance.now();
  await ask(port, route);
  const took = performance.now() - started;
  ended.abort();
  const wait = await probing;
  return { turn: await longestTurn(port), wait, took };
}

async function probe(port: number, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const started = performance.now();
    await ask(port, '/livez');
    longest = Math.max(longest, performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return longest;
}
