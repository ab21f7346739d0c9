// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import fc from 'fast-check';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import { type Records, sliceRecords } from '../../../src/health/catalogue/records.js';
import { NewestRecordsReader } from '../../../src/health/reads/newest-records.reader.js';
import { RecordsReader } from '../../../src/health/reads/records.reader.js';
import { HealthDataRepository } from '../../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { observedAt, PER_MILLISECOND } from '../../../src/health/records/observation-ids.js';
import { observe } from '../../../src/health/records/observations.repository.js';
import { judgeSummary } from '../../../src/health/records/order-rule.js';

import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { utcDays } from './support/utc-days.js';

const heartrate = resourceByName('heartrate') as Resource;
const sleep = resourceByName('sleep') as Resource;
const noon = Date.UTC(2026, 10, 1, 12);
const iso = (ms: number): string => new Date(ms).toISOString();

function beats(values: Record<number, number>, source: Record<string, unknown> = { provider: 'oura', type: 'ring' }) {
  const data = Object.entries(values).map(([minute, value]) => ({
    timestamp: iso(noon + Number(minute) * 60_000),
    value,
    unit: 'bpm',
    timezone_offset: 3600,
  }));
  return mapGroups(heartrate, [{ source, data }]);
}

function night(id: string, version: number, score: number) {
  const updated = iso(noon + version * 1000);
  const object = { id, bedtime_start: iso(noon), bedtime_stop: iso(noon + 1), updated_at: updated, score };
  return { ...object, source: { provider: 'oura', type: 'ring' } };
}

describe('apply', () => {
  let store: TestStore;
  let service: HealthDataService;
  let account: number;

  beforeEach(async () => {
    store = await testStore();
    service = serviceAt(noon);
    account = await newAccount('a');
  });

  afterEach(() => store.close());

  function serviceAt(now: number): HealthDataService {
    return new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(now), utcDays);
  }

  async function newAccount(name: string): Promise<number> {
    const [row] = await store.lane.run((tx) =>
      tx.rows<{ id: number }>(
        `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`,
        [name],
      ),
    );
    return (row as { id: number }).id;
  }

  let ref = 0;
  function look(kind: 'message' | 'sync', at: number, records: Records, owner = account) {
    const own = ++ref;
    return store.lane.run((tx) => service.apply(tx, { account: owner, records, provenance: { kind, ref: own, at } }));
  }

  const samples = () =>
    store.reader.rows<{ time: number; value: number; observation_id: number }>(
      `SELECT time, value, observation_id FROM samples JOIN sample_groups g ON g.id = group_id
       ORDER BY series_id, time`,
    );
  const values = async () => Object.fromEntries((await samples()).map((r) => [(r.time - noon) / 60_000, r.value]));

  it('stores a page once however often it is applied', async () => {
    const first = await look('sync', 1000, beats({ 0: 60, 1: 61.5 }));
    const again = await look('sync', 2000, beats({ 0: 60, 1: 61.5 }));
    expect(first).toMatchObject({ written: 2, newest: noon + 60_000, conflicts: [], newSources: ['oura'] });
    expect(again).toMatchObject({ written: 2, conflicts: [], newSources: [] });
    expect(await values()).toEqual({ 0: 60, 1: 61.5 });
  });

  it('names the providers of new series as new sources, and none of summaries', async () => {
    expect((await look('message', 1000, mapSummaries(sleep, [night('s', 1, 80)]))).newSources).toEqual([]);
    expect((await look('message', 2000, beats({ 0: 60 }))).newSources).toEqual(['oura']);
    expect((await look('message', 3000, beats({ 1: 60 }))).newSources).toEqual([]);
  });

  it('lets the later observation win and never the earlier one [timeseries#key-of-a-sample]', async () => {
    await look('sync', 2000, beats({ 0: 60, 1: 61 }));
    await look('sync', 3000, beats({ 0: 70 }));
    await look('sync', 1000, beats({ 1: 50 }));
    expect(await values()).toEqual({ 0: 70, 1: 61 });
  });

  it('moves equal samples to the later observation, so that no late observation in between replaces them', async () => {
    await look('sync', 1000, beats({ 0: 60, 1: 61 }));
    await look('sync', 3000, beats({ 0: 60, 1: 61 }));
    await look('sync', 2000, beats({ 0: 70 }));
    expect(await values()).toEqual({ 0: 60, 1: 61 });
  });

  it('writes the changes of a message and requests a pull of the stretch', async () => {
    await look('sync', 1000, beats({ 0: 60, 1: 61, 2: 62, 3: 63 }));
    const changed = await look('message', 2000, beats({ 1: 71, 2: 72, 3: 63, 4: 64 }));
    expect(changed.conflicts).toEqual([{ provider: 'oura', start: noon + 60_000, end: noon + 120_000 }]);
    expect(await values()).toEqual({ 0: 60, 1: 71, 2: 72, 3: 63, 4: 64 });
  });

  it('requests a pull of what a page showed differently before a message arrived', async () => {
    await look('message', 2000, beats({ 0: 60, 1: 61 }));
    const page = await look('sync', 1000, beats({ 0: 60, 1: 99 }));
    expect(page.conflicts).toEqual([{ provider: 'oura', start: noon + 60_000, end: noon + 60_000 }]);
    expect(await values()).toEqual({ 0: 60, 1: 61 });
  });

  it('separates sources and sub-series of one instant, and siblings of one response [timeseries#source]', async () => {
    const sources = [
      { provider: 'oura', type: 'ring' },
      { provider: 'oura', type: 'watch' },
      { provider: 'fitbit', type: 'ring' },
      { provider: 'oura', type: 'ring', device_id: 'd1' },
      { provider: 'oura', type: 'ring', workout_id: 'w1' },
      { provider: 'oura', type: 'ring', sport: 'running' },
    ];
    const groups = sources.map((source) => ({ source, data: [{ timestamp: iso(noon), value: 1, unit: 'bpm' }] }));
    const typed = { source: sources[0], data: [{ timestamp: iso(noon), value: 1, unit: 'bpm', type: 'resting' }] };
    await look('message', 1000, mapGroups(heartrate, [...groups, typed]));
    expect(await samples()).toHaveLength(7);
  });

  it('replaces a sample whose unit is corrected [timeseries#key-of-a-sample]', async () => {
    const point = (unit: string, value: number) => ({ timestamp: iso(noon), unit, value });
    const group = (unit: string, value: number) => [{ source: { provider: 'oura' }, data: [point(unit, value)] }];
    await look('sync', 1000, mapGroups(heartrate, group('hz', 1)));
    await look('sync', 2000, mapGroups(heartrate, group('bpm', 60)));
    expect(await values()).toEqual({ 0: 60 });
  });

  it('separates accounts', async () => {
    const other = await newAccount('b');
    await look('sync', 1000, beats({ 0: 60 }));
    await look('sync', 1000, beats({ 0: 80 }), other);
    expect((await samples()).map((row) => row.value).sort()).toEqual([60, 80]);
  });

  it('stores the observation of every record and its time', async () => {
    await look('message', 1234, beats({ 0: 60 }));
    await look('sync', 5678, beats({ 1: 61 }));
    expect((await samples()).map((row) => observedAt(row.observation_id))).toEqual([1234, 5678]);
  });

  it('gives observations of the same millisecond different ids, and a repeated one its old id', async () => {
    const ids = await store.lane.run(async (tx) => {
      const made: number[] = [];
      const see = async (...refs: number[]): Promise<unknown> => {
        const seen = refs.map((own) => ({ kind: 'message' as const, ref: own, at: 7, times: null }));
        return made.push(...(await observe(tx, seen)).map(({ id }) => id));
      };
      for (let index = 0; index < 75; index++) await see(index);
      await see(...Array.from({ length: 75 }, (_, index) => 75 + index));
      await see(3);
      return made;
    });
    expect(new Set(ids).size).toBe(150);
    expect(ids[150]).toBe(ids[3]);
    expect([...ids.slice(0, 150)].sort((a, b) => a - b)).toEqual(ids.slice(0, 150));
  });

  it('undoes everything if the job fails after it, and continues afterwards', async () => {
    const attempt = store.lane.run(async (tx) => {
      await service.apply(tx, { account, records: beats({ 0: 60 }), provenance: { kind: 'sync', ref: 1, at: 1 } });
      throw new Error('planned');
    });
    await expect(attempt).rejects.toThrow('planned');
    expect(await samples()).toEqual([]);
    await look('sync', 1000, beats({ 0: 60 }));
    expect(await values()).toEqual({ 0: 60 });
  });

  it('ends in the same store for any order of the same observations', async () => {
    const arbitraryLook = fc.record({
      kind: fc.constantFrom('message' as const, 'sync' as const),
      at: fc.integer({ min: 1, max: 100_000 }),
      points: fc.dictionary(fc.constantFrom('0', '1', '2', '3'), fc.integer({ min: 50, max: 51 }), { minKeys: 1 }),
    });
    let name = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(arbitraryLook, { selector: (l) => l.at, minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        async (looks, dice) => {
          const shuffled = [...looks].sort(() => ((dice.next().value ?? 0) % 3) - 1);
          const owners = [await newAccount(`p${++name}`), await newAccount(`q${name}`)];
          for (const [index, order] of [looks, shuffled].entries()) {
            for (const { kind, at, points } of order) await look(kind, at, beats(points), owners[index]);
          }
          const stored = await Promise.all(owners.map((owner) => valuesOf(owner)));
          const newest = new Map<string, number>();
          for (const { points } of [...looks].sort((a, b) => a.at - b.at))
            for (const [minute, value] of Object.entries(points)) newest.set(minute, value);
          expect(stored[0]).toEqual(Object.fromEntries(newest));
          expect(stored[0]).toEqual(stored[1]);
        },
      ),
      { numRuns: 60 },
    );
  });

  async function valuesOf(owner: number): Promise<Record<string, number>> {
    const rows = await store.reader.rows<{ time: number; value: number }>(
      'SELECT p.time AS time, p.value AS value FROM samples p JOIN series s ON s.id = p.series_id WHERE s.account_id = ?',
      [owner],
    );
    return Object.fromEntries(rows.map((row) => [String((row.time - noon) / 60_000), row.value]));
  }

  it('stores the same from slices as from a complete page', async () => {
    const other = await newAccount('b');
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, minute) => [minute, 60 + (minute % 7)]));
    await look('sync', 1000, beats(many));
    for (const slice of sliceRecords(beats(many), 100)) await look('sync', 1000, slice, other);
    expect(await valuesOf(other)).toEqual(await valuesOf(account));
    expect(sliceRecords(beats(many), 100).map((s) => s.received)).toEqual([0, 0, 0, 0, 450]);
  });

  it('reads records oldest first in pages that stay correct while rows are inserted', async () => {
    const reader = new RecordsReader(store.reader);
    await look('sync', 1000, beats({ 0: 60, 2: 62, 4: 64 }));
    await look('sync', 1000, beats({ 0: 80, 2: 82, 4: 84 }, { provider: 'fitbit', type: 'watch' }));
    const query = { account, resource: heartrate, start: null, end: null, provider: null, sourceType: null, limit: 2 };
    const read: number[] = [];
    let after: [number, number, number] | null = null;
    for (let page = 0; page < 5; page++) {
      const records = await reader.list({ ...query, after });
      const last = records.at(-1);
      if (last?.kind !== 'sample') break;
      read.push(...records.map((record) => (record.kind === 'sample' ? Number(record.value) : -1)));
      after = [last.time, last.seriesId, last.sibling];
      if (page === 0) await look('sync', 1500, beats({ 1: 61 }));
    }
    expect(read).toEqual([60, 80, 61, 62, 82, 64, 84]);
    const until = (time: number) => ({ instant: time, local: time });
    const onlyFitbit = await reader.list({ ...query, after: null, provider: 'fitbit', start: noon + 1, limit: 10 });
    expect(onlyFitbit.map((record) => (record.kind === 'sample' ? record.value : null))).toEqual([82, 84]);
    expect(await new NewestRecordsReader(store.reader).newest(account, until(noon + 86_400_000))).toEqual(
      expect.arrayContaining([{ resource: 'heartrate', provider: 'fitbit', time: noon + 240_000, floating: 0 }]),
    );
    expect(await new NewestRecordsReader(store.reader).newest(account, until(noon + 1))).not.toContainEqual(
      expect.objectContaining({ time: noon + 240_000 }),
    );
  });

  async function scoreOf(summary: string): Promise<unknown> {
    const sql = 'SELECT raw FROM summaries WHERE summary_id = ?';
    const row = await store.reader.row<{ raw: string }>(sql, [summary]);
    return JSON.parse(row?.raw ?? '{}').score;
  }

  it('stores the summary that the rule selects, even for versions in the future [summaries#key-and-version]', async () => {
    let id = 0;
    const years = 70 * 365 * 86_400;
    service = serviceAt(noon + 1_500_000);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            at: fc.integer({ min: noon, max: noon + 1_500_000 }),
            version: fc.constantFrom(1, 2, 3, 700, 1_400, 3_000, years, years + 1),
          }),
          { selector: (l) => l.at, minLength: 1, maxLength: 8 },
        ),
        async (looks) => {
          const summary = `s${++id}`;
          let stored: { version: number; observation: number } | null = null;
          for (const { at, version } of looks) {
            await look('message', at, mapSummaries(sleep, [night(summary, version, at)]));
            const incoming = { version: (noon + version * 1_000) * 1_000, observation: at * PER_MILLISECOND };
            if (judgeSummary(stored, incoming)) stored = incoming;
          }
          expect(await scoreOf(summary)).toBe(observedAt(stored?.observation ?? 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('ends with the summary of upstream for any order of messages', async () => {
    let id = 0;
    const inTheFuture = 70 * 365 * 86_400;
    const told = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
    const arrival = told.chain((isWrong) => {
      const places = isWrong.map((_, place) => place);
      return fc.tuple(fc.constant(isWrong), fc.shuffledSubarray(places, { minLength: places.length }));
    });
    await fc.assert(
      fc.asyncProperty(arrival, async ([isWrong, places]) => {
        const summary = `t${++id}`;
        const nights = isWrong.map((wrong, place) => night(summary, wrong ? inTheFuture : place, place));
        let asked = false;
        for (const [turn, place] of places.entries()) {
          const message = mapSummaries(sleep, [nights[place]]);
          asked ||= (await look('message', noon + 10_000 + turn, message)).conflicts.length > 0;
        }
        if (asked) await look('sync', noon + 20_000, mapSummaries(sleep, [nights.at(-1)]));
        expect(await scoreOf(summary)).toBe(nights.length - 1);
      }),
      { numRuns: 100 },
    );
  });

  it('requests a pull if a message has other content for the same version', async () => {
    await look('sync', noon + 1_000, mapSummaries(sleep, [night('a', 1, 80)]));
    expect((await look('message', noon + 2_000, mapSummaries(sleep, [night('a', 1, 80)]))).conflicts).toEqual([]);
    const { conflicts } = await look('message', noon + 3_000, mapSummaries(sleep, [night('a', 1, 81)]));
    expect(conflicts).toEqual([{ provider: 'oura', start: noon - 1.5 * 86_400_000, end: noon + 86_400_000 }]);
    expect((await look('sync', noon + 4_000, mapSummaries(sleep, [night('a', 1, 80)]))).conflicts).toEqual([]);
    expect(await scoreOf('a')).toBe(80);
  });
});
