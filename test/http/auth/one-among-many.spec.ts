import { setImmediate as turn } from 'node:timers/promises';
import type { OpenAPIObject } from '@nestjs/swagger';
import { callerKindOf, places } from '../../../src/http/auth/limits.js';
import { requestContext } from '../../../src/platform/platform/request-context.js';
import { ConnectionTurns } from '../../../src/storage/database/connection-turns.js';
import type { Reader } from '../../../src/storage/database/reader.js';
import type { WriteLane } from '../../../src/storage/database/write-lane.js';
import { adminKeys, DAY, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/** Requests of one caller at the same time: more than a quarter of the places of most kinds. */
const FLOOD = 20;
/** Handlers of one caller that run at the same time. */
const RUNNING = places.keys.atOnce / 4;
/** Reads that run at the same time, as on a database with two cores. */
const READING = 2;
/** Routes that end what the flood needs; their handlers are alike to those of other routes. */
const destructive = /^(?:DELETE \/v1\/me|DELETE \/admin\/v1\/accounts\/\w+|POST .*\/(?:block|relink))$/;

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Name of the caller, as the turns have it. */
  readonly caller: string;
}

const others: readonly Route[] = [
  { name: 'own', method: 'GET', path: '/v1/me/today', caller: 'account patient' },
  { name: 'account', method: 'GET', path: '/admin/v1/accounts/patient', caller: 'key viewer' },
];

const day = (daysAgo: number): string => new Date(START - daysAgo * DAY).toISOString().slice(0, 10);

/** Values of parameters with which a route does its work. */
const values: Readonly<Record<string, string>> = {
  account_id: 'greedy',
  resource: 'sleep',
  start_date: day(20),
  end_date: day(0),
  date: day(1),
};

/** More than a hundred routes, each with many requests. */
jest.setTimeout(400_000);

describe('with the most that one caller may do at once, another', () => {
  let app: TestApp;
  let routes: Route[];
  /** Callers of the reads and writes that ended, in order. */
  let turns: string[];
  let tokens: Readonly<Record<string, string>>;

  beforeAll(async () => {
    app = await TestApp.create({ sandbox: { seed: 'many' } });
    for (const account of ['greedy', 'patient']) await app.connect(account, 'oura', { days: 20, per_day: 4 });
    await app.settle();
    tokens = {
      'account greedy': await app.appToken('greedy'),
      'account patient': await app.appToken('patient'),
      'key operator': adminKeys.operator,
      'key viewer': adminKeys.viewer,
    };
    const { paths } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    type Operation = { parameters?: { name: string; in: string; required?: boolean }[] };
    routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).flatMap(([method, { parameters = [] }]) => {
        const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
        const kind = callerKindOf(template);
        if (kind === null) return [];
        const query = parameters.filter((each) => each.in === 'query' && each.required);
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
        const search = new URLSearchParams(
          Object.fromEntries(query.map(({ name }) => [name, values[name] ?? 'x'])),
        ).toString();
        const caller = kind === 'key' ? 'key operator' : 'account greedy';
        const name = `${method.toUpperCase()} ${filled}`;
        return [{ name, method: method.toUpperCase(), path: search ? `${filled}?${search}` : filled, caller }];
      }),
    );
    turns = [];
    count(app.store.reader, app.store.lane);
  });

  afterAll(() => app.close());

  /** Notes the caller of each read and write once it has ended; as many reads run at a time as in production. */
  function count(reader: Reader, lane: WriteLane): void {
    const reading = new ConnectionTurns(READING);
    const counted = async <T>(work: Promise<T>): Promise<T> => {
      const { caller = 'nobody' } = requestContext();
      try {
        return await work;
      } finally {
        turns.push(caller);
      }
    };
    const rows = reader.rows.bind(reader);
    const run = lane.run.bind(lane);
    reader.rows = (...given) => counted(reading.run(() => turn().then(() => rows(...given)))) as never;
    lane.run = (...given) => counted(run(...given));
  }

  async function send({ method, path }: Route, token: string, signal?: AbortSignal): Promise<number> {
    const isStream = path === '/v1/changes';
    const headers = {
      authorization: `Bearer ${token}`,
      'x-access-reason': 'test',
      ...(isStream && { accept: 'text/event-stream' }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    };
    const body = method === 'GET' ? {} : { body: '{}' };
    const response = await fetch(`${app.url}${path}`, { method, headers, ...body, ...(signal && { signal }) });
    await response.arrayBuffer();
    return response.status;
  }

  const tokenOf = ({ caller }: Route): string => tokens[caller] ?? '';

  /** Sends `FLOOD` requests to a route, and meanwhile one of each other caller. Returns the turns until these end. */
  async function during(flooded: Route): Promise<readonly string[]> {
    const stop = new AbortController();
    const flood = Array.from({ length: FLOOD }, () => send(flooded, tokenOf(flooded), stop.signal).catch(() => 0));
    turns.length = 0;
    const statuses = await Promise.all(others.map((route) => send(route, tokenOf(route))));
    const seen = [...turns];
    // A handler goes on after its caller has left, and would count as one of the next route.
    if (flooded.path === '/v1/changes') stop.abort();
    await Promise.all(flood);
    expect(statuses).toEqual(others.map(() => 200));
    return seen;
  }

  it('is served within a bounded number of turns, on every route', async () => {
    const late: string[] = [];
    for (const flooded of routes.filter(({ name }) => !destructive.test(name))) {
      const seen = await during(flooded);
      const of = (caller: string): number => seen.filter((each) => each === caller).length;
      const own = others.reduce((sum, { caller }) => sum + of(caller), 0);
      expect([flooded.name, of('nobody')]).toEqual([flooded.name, 0]);
      if (of(flooded.caller) > RUNNING + 2 * own) {
        late.push(`${flooded.name}: ${of(flooded.caller)} turns of the flood, ${own} of the others`);
      }
    }
    expect(late).toEqual([]);
  });
});
