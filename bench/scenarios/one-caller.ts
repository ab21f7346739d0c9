import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { SignJWT } from 'jose';
import { places } from '../../src/http/auth/limits.js';
import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { accounts, fillLarge, large, small } from '../process/large-store.js';
import { PostgresDatabase } from '../process/postgres-database.js';
import { appSecret, deadPort, operatorKey, PulsekeepProcess, startApi } from '../process/pulsekeep.js';
import { type Keep, staged } from '../process/stage.js';
import { interleaved, median, type Numbers } from '../rounds.js';

/** Reads of the other caller in a round. */
const requests = 30;
/** Latency of one caller's reads, alone and while another caller has as many requests open as it may. */
export function oneCaller(plan: Plan): Promise<Figure[]> {
  return measured(plan, async (keep) => {
    const fill = (path: string): Promise<void> => fillLarge(path, plan.scale / 10);
    return keep(await PulsekeepProcess.start(accounts, deadPort, fill));
  });
}

/** The same on the PostgreSQL of TEST_DATABASE_URL. */
export function oneCallerPostgres(plan: Plan): Promise<Figure[]> {
  return measured(plan, async (keep) => {
    const { url } = keep(await PostgresDatabase.make(accounts));
    await fillLarge(url, plan.scale / 10);
    return keep(await startApi(url));
  });
}

type Start = (keep: Keep) => Promise<{ readonly port: number }>;

function measured({ rounds, step }: Plan, start: Start): Promise<Figure[]> {
  return staged(async (keep) => {
    step('2 million samples');
    const { port } = await start(keep);
    const year = `first_day=${dateOf(Date.now() - 365 * DAY_MS)}`;
    const person = (number: number): string => `/v1/accounts/bench-${number - 1}`;
    const greedy = { key: operatorKey, account: await tokenOf(large) };
    const other = { key: await tokenOf(small), account: operatorKey };
    const floods = {
      'a key reads days': ['key', 'keys', `${person(large)}/daily?resources=steps&${year}`],
      'a key exports': ['key', 'keys', `/admin/v1/accounts/bench-${large - 1}/export`],
      'a key reads the overview': ['key', 'keys', '/admin/v1/overview'],
      'a key makes snapshots': ['key', 'snapshots', 'POST /v1/snapshots'],
      'a person reads days': ['account', 'requests', `/v1/me/daily?resources=steps&${year}`],
    } as const;
    const sides = Object.entries(floods).flatMap(([name, [kind, limit, path]]) => {
      const read = (): Promise<number | undefined> =>
        ask(port, kind === 'key' ? '/v1/me/latest' : `${person(small)}/latest`, other[kind]);
      return [
        { name: alone(name), run: () => timed(read) },
        {
          name,
          run: () =>
            beside(
              places[limit].share,
              (over) => ask(port, path, greedy[kind], over),
              () => timed(read),
            ),
        },
      ];
    });
    const of = await interleaved(rounds, sides, step);
    return Object.keys(floods).map((name) => {
      const baseline = { name: 'alone', values: of(alone(name), 'p50') };
      const note = `the slowest of ${requests}: ${Math.round(median(of(name, 'most')))} ms`;
      return figureOf({ name: `another's read while ${name}`, unit: 'ms', values: of(name, 'p50'), baseline, note });
    });
  });
}

const alone = (name: string): string => `alone, for: ${name}`;

function tokenOf(account: number): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(`bench-${account - 1}`)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(appSecret));
}

/** Keeps `count` requests open while `work` runs, and hangs up afterwards. */
async function beside<T>(
  count: number,
  flood: (over: AbortSignal) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const flooding = Array.from({ length: count }, async () => {
    while (!over.signal.aborted) await flood(over.signal).catch(() => undefined);
  });
  try {
    return await work();
  } finally {
    over.abort();
    await Promise.all(flooding);
  }
}

async function timed(read: () => Promise<number | undefined>): Promise<Numbers> {
  const times: number[] = [];
  for (let count = 0; count < requests; count++) {
    const begun = performance.now();
    if ((await read()) !== 200) throw new Error('The other caller was refused.');
    times.push(performance.now() - begun);
  }
  return { p50: median(times), most: Math.max(...times) };
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Reads a response to its end; returns its status. */
function ask(port: number, line: string, token: string, signal?: AbortSignal): Promise<number | undefined> {
  if (signal) setMaxListeners(0, signal);
  const [path = '', method = 'GET'] = line.split(' ').reverse();
  const headers = { authorization: `Bearer ${token}`, 'x-access-reason': 'benchmark', 'content-length': 0 };
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, method, headers, agent, ...(signal && { signal }) },
      (response) => {
        response
          .on('end', () => resolve(response.statusCode))
          .on('error', reject)
          .resume();
      },
    );
    call.on('error', reject).end();
  });
}
