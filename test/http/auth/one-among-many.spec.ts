import { setImmediate as turn } from 'node:timers/promises';
import type { OpenAPIObject } from '@nestjs/swagger';
import { requestContext } from '../../../src/platform/platform/request-context.js';
import { ConnectionTurns } from '../../../src/storage/database/connection-turns.js';
import type { Reader } from '../../../src/storage/database/reader.js';
import type { WriteLane } from '../../../src/storage/database/write-lane.js';
import { adminKeys, DAY, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/** Requests of one caller at the same time: more than a quarter of the places of most kinds. */
const FLOOD = 20;
/** Reads that run at the same time, as on a database with two cores. */
const READING = 2;
/**
 * Work of the flood of the same kind that another's may wait for, beside one for each of its own before it. A read:
 * those that run already, and a turn. A write: those of the transaction that runs, which takes many, and of the next.
 */
const most = { read: READING + 2, write: 2 * FLOOD };
/** Routes that end what the flood needs; their handlers are alike to those of other routes. */
const destructive = /^(?:DELETE \/v1\/me|DELETE \/admin\/v1\/accounts\/\w+|POST .*\/(?:block|relink))$/;

interface Turn {
  readonly kind: keyof typeof most;
  readonly caller: string;
}

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
  /** Callers of the reads and writes that began, in order. */
  let turns: Turn[];
  /** For each of them: its caller, and the number of turns between its request and its begin, by caller. */
  let waits: { readonly kind: keyof typeof most; readonly caller: string; readonly passed: readonly Turn[] }[];
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
    type Operation = {
      parameters?: { name: string; in: string; required?: boolean }[];
      security?: object[];
      'x-roles'?: string[];
    };
    routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).flatMap(
        ([method, { parameters = [], security, 'x-roles': roles }]) => {
          if (!security?.length) return [];
          const query = parameters.filter((each) => each.in === 'query' && each.required);
          const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
          const search = new URLSearchParams(
            Object.fromEntries(query.map(({ name }) => [name, values[name] ?? 'x'])),
          ).toString();
          const caller = roles ? 'key operator' : 'account greedy';
          const name = `${method.toUpperCase()} ${filled}`;
          return [{ name, method: method.toUpperCase(), path: search ? `${filled}?${search}` : filled, caller }];
        },
      ),
    );
    turns = [];
    waits = [];
    count(app.store.reader, app.store.lane);
  });

  afterAll(() => app.close());

  /** Notes the caller of each read and write when it begins; as many reads run at a time as in production. */
  function count(reader: Reader, lane: WriteLane): void {
    const reading = new ConnectionTurns(READING);
    const counted = <T extends unknown[], R>(
      kind: keyof typeof most,
      work: (...given: T) => R,
    ): ((...given: T) => R) => {
      const { caller = 'nobody' } = requestContext();
      const from = turns.length;
      return (...given) => {
        waits.push({ kind, caller, passed: turns.slice(from) });
        turns.push({ kind, caller });
        return work(...given);
      };
    };
    const rows = reader.rows.bind(reader);
    const run = lane.run.bind(lane);
    reader.rows = (...given) => {
      const begin = counted('read', () => rows(...given));
      return reading.run(() => turn().then(begin)) as never;
    };
    lane.run = (work, ...rest) => run(counted('write', work), ...rest);
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

  /** Sends `FLOOD` requests to a route, and meanwhile one of each other caller. Returns the waits until these end. */
  async function during(flooded: Route): Promise<typeof waits> {
    const stop = new AbortController();
    const flood = Array.from({ length: FLOOD }, () => send(flooded, tokenOf(flooded), stop.signal).catch(() => 0));
    turns.length = 0;
    waits = [];
    const statuses = await Promise.all(others.map((route) => send(route, tokenOf(route))));
    const seen = waits;
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
      expect([flooded.name, seen.filter(({ caller }) => caller === 'nobody')]).toEqual([flooded.name, []]);
      const waited = seen.flatMap(({ kind, caller, passed }) => {
        if (caller === flooded.caller) return [];
        const of = (name: string): number => passed.filter((one) => one.kind === kind && one.caller === name).length;
        return [{ kind, count: of(flooded.caller) - of(caller) }];
      });
      expect(waited.length).toBeGreaterThan(others.length);
      for (const { kind, count: turnsOfFlood } of waited) {
        if (turnsOfFlood > most[kind]) late.push(`${flooded.name}: a ${kind} after ${turnsOfFlood} of the flood`);
      }
    }
    expect(late).toEqual([]);
  });
});
