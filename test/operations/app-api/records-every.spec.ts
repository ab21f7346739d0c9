import { Rng } from '../../../sandbox/engine/random.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { RecordPages, type Row } from './support/record-pages.js';

const ring = { provider: 'oura', type: 'ring' };
const watch = { provider: 'fitbit', type: 'watch' };
const MINUTE = 60_000;
const start = Date.UTC(2026, 10, 1);
const lengths = { '1m': MINUTE, '5m': 5 * MINUTE, '15m': 15 * MINUTE, '1h': 60 * MINUTE };

interface Point {
  readonly at: number;
  readonly value: number;
  readonly unit?: string;
}

function samples(name: string, source: object, points: readonly Point[]): Records {
  const data = points.map(({ at, value, unit }) => ({ timestamp: new Date(at).toISOString(), value, unit }));
  return mapGroups(resourceByName(name) as Resource, [{ source: { ...source }, data }]);
}

describe('records with every', () => {
  const pages = new RecordPages();
  const read = (path: string) => pages.app.as<Page<Row>>(pages.anna, 'GET', `/me/records/${path}`);
  const walk = async (path: string): Promise<Row[]> => {
    const { body } = await read(path);
    const seen = [...body.data];
    for (let cursor = body.next_cursor; cursor !== null; ) {
      const next = (await read(`${path}&cursor=${cursor}`)).body;
      seen.push(...next.data);
      cursor = next.next_cursor;
    }
    return seen;
  };

  const refused = async (query: string): Promise<unknown> => {
    const { status, body } = await read(query);
    return [status, (body as unknown as { errors: Row[] }).errors.map(({ field }) => field)];
  };

  it.each(Object.entries(lengths))('have count, minimum, mean and maximum of each %s', async (every, length) => {
    const rng = new Rng('every', every);
    const of = (source: { provider: string }): (Point & { provider: string })[] =>
      Array.from({ length: 120 }, () => ({
        // Dense at first, then a few a day.
        at: start + rng.int(0, rng.next() < 0.8 ? 180 : 40 * 1440) * MINUTE + rng.int(0, MINUTE - 1),
        value: rng.int(40, 140),
        unit: 'bpm',
        provider: source.provider,
      }));
    const all = [...of(ring), ...of(watch)];
    for (const source of [ring, watch]) {
      await pages.apply(
        samples(
          'heartrate',
          source,
          all.filter(({ provider }) => provider === source.provider),
        ),
      );
    }
    // Of two samples of a source at one time, which both have no details, the later one replaces the earlier one.
    const stored = new Map(all.map((point) => [`${point.provider} ${point.at}`, point]));
    const spans = new Map<string, Point[]>();
    for (const point of stored.values()) {
      const key = `${new Date(point.at - (point.at % length)).toISOString()} ${point.provider}`;
      spans.set(key, [...(spans.get(key) ?? []), point]);
    }
    const shown = (row: Row): string => `${String(row['time'])} ${String((row['source'] as Row)['provider'])}`;
    for (const limit of [1, 7, 500]) {
      const rows = await walk(`heartrate?every=${every}&limit=${limit}`);
      expect(rows.map(({ time }) => time)).toEqual(rows.map(({ time }) => time).toSorted());
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(rows.map(shown).toSorted()).toEqual([...spans.keys()].toSorted());
      for (const row of rows) {
        const values = (spans.get(shown(row)) ?? []).map(({ value }) => value);
        expect(row).toMatchObject({ min: Math.min(...values), max: Math.max(...values), count: values.length });
        expect(row['mean']).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9);
        expect(Date.parse(String(row['end_time'])) - Date.parse(String(row['time']))).toBe(length);
        expect(row).not.toHaveProperty('value');
      }
    }
  });

  it('are in the unit of the data dictionary, and apart in a unit that cannot be converted', async () => {
    await pages.apply(
      samples('glucose', ring, [
        { at: start, value: 5, unit: 'mmol/L' },
        { at: start + MINUTE, value: 126.1092, unit: 'mg/dL' },
        { at: start + 2 * MINUTE, value: 3, unit: 'furlong' },
      ]),
    );
    const { body } = await read('glucose?every=15m');
    expect(body.data).toMatchObject([
      { unit: 'furlong', count: 1, mean: 3 },
      { unit: 'mmol/L', count: 2, min: 5, mean: expect.closeTo(6, 2), max: expect.closeTo(7, 2) },
    ]);
    expect(await walk('glucose?every=15m&limit=1')).toEqual(body.data);
  });

  it('can be of one source, of a range and of local days', async () => {
    const at = (minutes: number): Point => ({ at: start + minutes * MINUTE, value: 60, unit: 'bpm' });
    await pages.apply(samples('heartrate', ring, [at(0), at(1), at(1441)]));
    await pages.apply(samples('heartrate', watch, [at(0)]));
    const counts = async (query: string): Promise<unknown[]> =>
      (await read(`heartrate?every=1h&${query}`)).body.data.map(({ count }) => count);
    expect(await counts('provider=oura')).toEqual([2, 1]);
    expect(await counts('source_type=watch')).toEqual([1]);
    expect(await counts('provider=oura&start=2026-11-01T00:01:00Z&end=2026-11-02')).toEqual([1]);
    expect(await counts('provider=oura&first_day=2026-11-02&last_day=2026-11-02')).toEqual([1]);
    // As without every: nothing is known about a resource that is not pulled.
    expect((await read('heartrate?every=1h&provider=garmin')).body).toMatchObject({ code: 'not_synced' });
  });

  it('are refused for what has no such numbers, and beside what speaks of single records', async () => {
    for (const name of ['steps', 'blood_pressure', 'sleep', 'note', 'workout_stream']) {
      expect(await refused(`${name}?every=1h`)).toEqual([400, ['every']]);
    }
    expect(await refused('heartrate?every=2m')).toEqual([400, ['every']]);
    expect(await refused('heartrate?every=1h&order=newest')).toEqual([400, ['order']]);
    expect(await refused('heartrate?every=1h&updated_since=2026-11-01')).toEqual([400, ['updated_since']]);
    expect((await read('dreams?every=1h')).status).toBe(404);
    expect((await read('heartrate?every=1h&cursor=abc')).status).toBe(400);
  });
});
