import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { NewestRecordsReader } from '../../../src/health/reads/newest-records.reader.js';
import { RecordsReader } from '../../../src/health/reads/records.reader.js';
import { RecordsOfDayReader } from '../../../src/health/reads/records-of-day.reader.js';
import { type Asked, NotingReader } from '../../support/noting-reader.js';
import { RecordPages, type Row } from './support/record-pages.js';

const ring = { provider: 'oura', type: 'ring' };
const watch = { provider: 'fitbit', type: 'watch' };

describe('pages of records', () => {
  const pages = new RecordPages();

  const clock = (minute: number): string => new Date(Date.UTC(2026, 10, 1) + minute * 60_000).toISOString();
  const beats = (source: object, ...minutes: number[]): Records =>
    mapGroups(resourceOf('heartrate'), [
      {
        source: { ...source },
        data: minutes.map((minute) => ({ timestamp: clock(minute), value: minute, unit: 'bpm' })),
      },
    ]);
  const night = (id: string, day: string, more: object = {}): object => ({
    id,
    calendar_date: day,
    bedtime_start: `${day}T00:00:00Z`,
    bedtime_stop: `${day}T08:00:00Z`,
    updated_at: `${day}T09:00:00Z`,
    source: ring,
    ...more,
  });
  const nights = (...objects: object[]): Records => mapSummaries(resourceOf('sleep'), objects);
  const ids = (rows: readonly Row[]): unknown[] => rows.map((row) => row['id']);

  describe('of a timeseries', () => {
    it('stay correct while rows are added before, at and after their position', async () => {
      await pages.apply(beats(ring, 10, 20, 30, 40, 50, 60));
      const seen = await pages.walk('heartrate?limit=2', async (page) => {
        if (page !== 1) return;
        await pages.apply(beats(ring, 5, 15));
        await pages.apply(beats(watch, 20));
        await pages.apply(beats(ring, 25, 65));
      });
      expect(seen.map((row) => [row['value'], (row['source'] as Row)['provider']])).toEqual([
        [10, 'oura'],
        [20, 'oura'],
        [20, 'fitbit'],
        [25, 'oura'],
        [30, 'oura'],
        [40, 'oura'],
        [50, 'oura'],
        [60, 'oura'],
        [65, 'oura'],
      ]);
    });

    it('of one record each have the same records as one page of all', async () => {
      await pages.apply(beats(ring, 1, 2, 3, 4));
      await pages.apply(beats(watch, 2, 3, 9));
      expect(await pages.walk('heartrate?limit=1')).toEqual((await pages.read('heartrate?limit=500')).body.data);
      expect(await pages.walk('heartrate?limit=1&provider=fitbit')).toHaveLength(3);
    });

    it.each([1, 3, 7])('of many series, %s at a time, are one statement each, without excess rows', async (limit) => {
      const types = Array.from({ length: 12 }, (_, index) => `type_${index}`);
      // Dense and sparse series, at equal times and apart; one begins where the others have ended.
      for (const [index, type] of types.entries()) {
        const minutes = Array.from(
          { length: 2 + ((index * 5) % 9) },
          (_, at) => at * (index + 1) + (index === 11 ? 400 : 0),
        );
        await pages.apply(beats({ ...watch, type }, ...minutes));
      }
      const noting = new NotingReader(pages.app.store.reader);
      const records = new RecordsReader(noting);
      const filter = { account: pages.ref, resource: resourceOf('heartrate'), start: null, end: null };
      const walked: [number, number, number][] = [];
      for (let more = true; more; ) {
        const asked = noting.asked.length;
        const query = { ...filter, provider: null, sourceType: null, after: walked.at(-1) ?? null, limit };
        const page = await records.list(query);
        expect([noting.asked.length - asked, noting.answered.at(-1)]).toEqual([1, page.length]);
        for (const row of page) if (row.kind === 'sample') walked.push([row.time, row.seriesId, row.sibling]);
        more = page.length === limit;
      }
      const inOrder = await pages.app.store.reader.rows<{ time: number; id: number; sibling: number }>(
        `SELECT p.time, s.id, p.sibling FROM series s JOIN samples p ON p.series_id = s.id WHERE s.account_id = ?
         ORDER BY p.time, s.id, p.sibling`,
        [pages.ref],
      );
      expect(inOrder.length).toBeGreaterThan(50);
      expect(walked).toEqual(inOrder.map(({ time, id, sibling }) => [time, id, sibling]));
    });

    it('accept a cursor together with a range that has moved', async () => {
      await pages.apply(beats(ring, 1, 2, 3, 4));
      const { body } = await pages.read('heartrate?limit=1');
      const later = await pages.read(`heartrate?start=${clock(3)}&cursor=${body.next_cursor}`);
      expect(later.body.data.map((row) => row['value'])).toEqual([3, 4]);
      const earlier = await pages.read(`heartrate?end=${clock(2)}&cursor=${body.next_cursor}`);
      expect(earlier.body).toEqual({ data: [], next_cursor: null });
    });

    it.each(['freestyle_libre', 'abbott_libreview'])(
      'show the floating time of %s as such [timeseries#floating-time]',
      async (provider) => {
        const point = { timestamp: '2026-11-01T08:00:00+00:00', unit: 'mmol/L', value: 5 };
        const groups = [ring, { provider }].map((source) => ({ source, data: [point] }));
        await pages.apply(mapGroups(resourceOf('glucose'), groups));
        const { body } = await pages.read('glucose');
        const shown = Object.fromEntries(body.data.map((row) => [(row['source'] as Row)['provider'], row]));
        expect(shown[provider]).toMatchObject({ floating_time: true, local_time: '2026-11-01T08:00:00.000' });
        expect(shown['oura']).toMatchObject({ floating_time: false, local_time: null });
      },
    );

    it.each([
      [5_400, '2026-11-01T01:30:00.000'],
      [-36_000, '2026-10-31T14:00:00.000'],
      [0, '2026-11-01T00:00:00.000'],
      [null, null],
    ])('show the local time at an offset of %s', async (timezone_offset, local_time) => {
      const point = { timestamp: clock(0), unit: 'bpm', value: 60, timezone_offset };
      await pages.apply(mapGroups(resourceOf('heartrate'), [{ source: ring, data: [point] }]));
      expect((await pages.read('heartrate')).body.data).toMatchObject([
        { time: '2026-11-01T00:00:00.000Z', timezone_offset, local_time },
      ]);
    });
  });

  describe('of summaries', () => {
    it('stay correct while rows are added before, at and after their position', async () => {
      await pages.apply(nights(night('b', '2026-11-02'), night('d', '2026-11-04'), night('f', '2026-11-06')));
      const seen = await pages.walk('sleep?limit=1', async (page) => {
        if (page !== 1) return;
        await pages.apply(nights(night('a', '2026-11-02'), night('c', '2026-11-02'), night('e', '2026-11-05')));
        await pages.apply(nights(night('z', '2026-11-01')));
      });
      expect(ids(seen)).toEqual(['b', 'c', 'd', 'e', 'f']);
    });

    it('are filtered by the local day of the person', async () => {
      const late = { bedtime_start: '2026-11-03T23:00:00Z' };
      await pages.apply(nights(night('a', '2026-11-02'), night('b', '2026-11-04', late), night('c', '2026-11-05')));
      expect(ids((await pages.read('sleep?first_day=2026-11-04')).body.data)).toEqual(['b', 'c']);
      expect(ids((await pages.read('sleep?last_day=2026-11-04')).body.data)).toEqual(['a', 'b']);
      expect(ids((await pages.read('sleep?first_day=2026-11-03&last_day=2026-11-04')).body.data)).toEqual(['b']);
    });
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=-1',
    'limit=99999999999999999999',
    'limit=1e3',
    'limit=',
    'cursor=%00',
    'cursor=AAAA',
    'cursor=W10',
    'cursor=bnVsbA',
    `cursor=${cursorOf(['a', 1])}`,
    `cursor=${cursorOf([1, 2, 3])}`,
    `cursor=${cursorOf([1.5, 'a'])}`,
    `cursor=${cursorOf([1e300, 'a'])}`,
    `cursor=${cursorOf([1, '\u0000'])}`,
    `cursor=${'A'.repeat(2_049)}`,
    'start=now',
    'first_day=2026-02-30',
    'first_day=2026-11-02T00:00:00Z',
    'first_day=2026-11-03&last_day=2026-11-02',
    'latest_per_day=yes',
    'latest_per_day=true&latest_per_day=false',
    'day=2026-11-02',
  ])('are refused for %s', async (query) => {
    const { status, body } = await pages.app.admin('GET', `/accounts/${pages.anna}/records/sleep?${query}`);
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
  });

  it('are refused with a cursor of another kind of list', async () => {
    await pages.apply(nights(night('a', '2026-11-02'), night('b', '2026-11-03')));
    const all = (await pages.read('sleep?limit=1')).body.next_cursor;
    const days = (await pages.read('sleep?limit=1&latest_per_day=true')).body.next_cursor;
    expect((await pages.read(`sleep?latest_per_day=true&cursor=${all}`)).status).toBe(400);
    expect((await pages.read(`sleep?cursor=${days}`)).status).toBe(400);
  });

  it('after the last possible cursor are empty', async () => {
    await pages.apply(nights(night('a', '2026-11-02')));
    await pages.apply(beats(ring, 1));
    const most = Number.MAX_SAFE_INTEGER;
    expect((await pages.read(`sleep?cursor=${cursorOf([most, 'a'])}`)).body.data).toEqual([]);
    expect((await pages.read(`heartrate?cursor=${cursorOf([most, most, most])}`)).body.data).toEqual([]);
    expect((await pages.read(`heartrate?cursor=${cursorOf([-most, -most, -most])}`)).body.data).toHaveLength(1);
    expect((await pages.read(`sleep?latest_per_day=true&cursor=${cursorOf(['9', '', '', ''])}`)).body.data).toEqual([]);
  });

  it('of workout streams are short, whatever the limit', async () => {
    const stream = resourceOf('workout_stream');
    const one = (index: number) => ({ summaryId: `w${index}`, time: index, endTime: null, calendarDate: null });
    const summaries = Array.from({ length: 12 }, (_, index) => {
      return { ...one(index), provider: 'garmin', sourceType: 'watch', version: 0, kind: null, raw: '{}' };
    });
    await pages.apply({ resource: stream, samples: [], summaries, received: 12, rejected: 0, rejections: [] });
    expect((await pages.read('workout_stream?limit=500')).body.data).toHaveLength(5);
    expect(await pages.walk('workout_stream?limit=500')).toHaveLength(12);
  });

  it('of large objects end before the limit, with a cursor for the rest', async () => {
    const notes = 'n'.repeat(400_000);
    const objects = Array.from({ length: 12 }, (_, index) =>
      night(`large-${String(index).padStart(2, '0')}`, '2026-11-02', { notes }),
    );
    await pages.apply(nights(...objects, night('z', '2026-11-02')));
    const { body } = await pages.read('sleep?limit=500');
    expect(ids(body.data)).toHaveLength(5);
    expect(ids(await pages.walk('sleep?limit=500'))).toEqual([...objects.map((object) => (object as Row)['id']), 'z']);
  });

  it('read tables only through an index', async () => {
    await pages.apply(beats(ring, 1));
    await pages.apply(nights(night('a', '2026-11-02')));
    const noting = new NotingReader(pages.app.store.reader);
    const records = new RecordsReader(noting);
    const days = { firstDay: '2026-11-01', lastDay: '2026-11-30' };
    const filter = {
      account: pages.ref,
      start: 0,
      end: pages.app.clock.now(),
      provider: 'oura',
      sourceType: 'ring',
      limit: 10,
    };
    const sleep = { ...filter, resource: resourceOf('sleep'), ...days };
    const beat = { ...filter, resource: resourceOf('heartrate') };
    await records.list({ ...beat, after: [1, 1, 0] });
    await records.list({ ...beat, after: null, ranges: [{ seriesId: 1, start: 0, end: 1 }] });
    await records.list({ ...sleep, after: [1, 'a'] });
    const ofDay = new RecordsOfDayReader(noting);
    const newest = new NewestRecordsReader(noting);
    const sources = ['ring', 'phone'].map((sourceType) => ({ provider: 'oura', sourceType }));
    await ofDay.sourcesOf({ ...sleep, after: null });
    await ofDay.ofDays({ ...sleep, after: ['2026-11-01'] }, sources);
    const workouts = { ...sleep, resource: resourceOf('workouts') };
    await ofDay.ofDays({ ...workouts, after: ['2026-11-01', 'a', 'ring', 'id'] }, sources);
    await records.timeOf(pages.ref, 'workouts', 'a');
    await newest.newest(pages.ref, { instant: pages.app.clock.now(), local: pages.app.clock.now() });
    const stream = { account_id: pages.ref, provider: 'oura' };
    const streams = ['heartrate', 'sleep'].map((resource) => ({ ...stream, resource }));
    await newest.newestEnds(streams, pages.app.clock.now());
    expect(noting.asked).toHaveLength(12);
    for (const asked of noting.asked) expect([asked.sql, await scansOf(asked)]).toEqual([asked.sql, []]);
  });

  /**
   * Tables that a query reads from end to end; `page` is what was found of one, `wanted` what it was given. PostgreSQL
   * is told not to, as it would for so few rows.
   */
  async function scansOf({ sql, parameters }: Asked): Promise<string[]> {
    const { reader, lane, dialect } = pages.app.store;
    if (dialect === 'sqlite') {
      const plan = await reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      const given = ['SCAN page', 'SCAN wanted', 'SCAN CONSTANT ROW'];
      return plan.map(({ detail }) => detail).filter((step) => step.startsWith('SCAN ') && !given.includes(step));
    }
    const plan = await lane.run(async (tx) => {
      await tx.execute('SET LOCAL enable_seqscan = off');
      return tx.rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
    });
    return plan.map((row) => row['QUERY PLAN']).filter((step) => step.includes('Seq Scan'));
  }
});

function cursorOf(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

function resourceOf(name: string): Resource {
  const resource = resourceByName(name);
  if (!resource) throw new TypeError('the catalogue has no such resource');
  return resource;
}
