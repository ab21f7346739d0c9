import { catalogue, isWhole, type Resource } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import { type Records, sliceRecords } from '../../../src/health/catalogue/records.js';
import { HealthDataRepository } from '../../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import type { Provenance } from '../../../src/health/records/record.entity.js';
import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { utcDays } from './support/utc-days.js';

/** Jest prints it: run the same answers again with `--seed=...`. */
const seed = Math.abs(jest.getSeed()) % 1_000_000;
const noon = Date.UTC(2026, 10, 1, 12);

function random(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Point = Record<string, unknown>;

interface Answer {
  readonly source: Record<string, unknown>;
  readonly point: Point;
}

const traits: readonly Point[] = [
  ...[{}, {}, { delivery_mode: 'bolus' }, { delivery_mode: 'basal' }, { intensity: 'low' }, { intensity: 'high' }],
  ...[{ sensor_location: 'mouth' }, { sensor_location: 'wrist' }, { tags: ['food'] }, { tags: ['exercise'] }],
];

/** One answer: points of a few times, no two of them equal in everything but their value. */
function answerOf({ family }: Resource, next: () => number): Answer[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const byIdentity = new Map<string, Answer>();
  for (let count = 1 + Math.floor(next() * 12); count > 0; count--) {
    const source = {
      ...{ provider: pick(['oura', 'garmin']), type: 'watch' },
      ...{ device_id: pick([null, 'x', 'y']), app_id: pick([null, null, 'org.example.a', 'org.example.b']) },
    };
    const start = noon + Math.floor(next() * 3) * 60_000;
    const isInterval = family === 'interval' || family === 'text';
    const iso = (ms: number): string => new Date(ms).toISOString();
    const time = isInterval
      ? { start: iso(start), end: iso(start + Math.floor(next() * 2) * 60_000) }
      : { timestamp: iso(start) };
    const value = Math.floor(next() * 50);
    const values =
      family === 'pair'
        ? { systolic: value + 90, diastolic: value }
        : { value: family === 'text' ? `note ${value}` : value };
    const common = { timezone_offset: pick([null, 0, 3_600]), unit: pick(['x', 'y']), type: pick([null, 'a', 'b']) };
    const point = { ...time, ...common, ...pick(traits) };
    const text = family === 'text' ? values : {};
    byIdentity.set(JSON.stringify([source, point, text]), { source, point: { ...point, ...values } });
  }
  return [...byIdentity.values()];
}

const form = (source: Point, { start, timestamp, end, app_id = source['app_id'], ...others }: Point): string => {
  const time = Date.parse((start ?? timestamp) as string);
  const kept = Object.entries({ ...others, app_id }).filter(([, value]) => value !== null && value !== undefined);
  const duration = end === undefined ? null : Date.parse(end as string) - time;
  return JSON.stringify([source['provider'], source['device_id'] ?? '', time, duration, kept.sort()]);
};

describe('what one answer shows side by side', () => {
  let store: TestStore;
  let service: HealthDataService;
  let refs = 0;

  beforeAll(async () => {
    store = await testStore();
    service = new HealthDataService(
      new HealthDataRepository(),
      new SeriesIndex(),
      new FakeClock(noon + 86_400_000),
      utcDays,
    );
  });
  afterAll(() => store.close());

  async function newAccount(): Promise<number> {
    const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
    const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [`i${++refs}`]));
    return row?.id ?? 0;
  }

  const recordsOf = (resource: Resource, answer: readonly Answer[]): Records =>
    mapGroups(
      resource,
      answer.map(({ source, point }) => ({ source, data: [point] })),
    );

  async function apply(account: number, records: Records, provenance: Provenance): Promise<void> {
    for (const slice of sliceRecords(records, 3)) {
      await store.lane.run((tx) => service.apply(tx, { account, records: slice, provenance }));
    }
  }

  async function pull(account: number, resource: Resource, answer: readonly Answer[], at: number): Promise<void> {
    const ref = ++refs;
    const half = Math.ceil(answer.length / 2);
    for (const [page, points] of [answer.slice(0, half), answer.slice(half)].entries()) {
      await apply(account, recordsOf(resource, points), { kind: 'sync', ref, page, at: at + page });
    }
  }

  async function message(account: number, resource: Resource, answer: readonly Answer[], at: number): Promise<void> {
    await apply(account, recordsOf(resource, answer), { kind: 'message', ref: ++refs, at });
  }

  async function stored(account: number, { family }: Resource): Promise<string[]> {
    const rows = await store.reader.rows<{
      provider: string;
      device_id: string;
      sub_series: string;
      time: number;
      value: number | null;
      text_value: string | null;
      duration_ms: number | null;
      content: string;
    }>(
      `SELECT s.provider, a.device_id, s.sub_series, p.time, p.value, p.text_value, p.duration_ms, a.content
       FROM samples p JOIN series s ON s.id = p.series_id JOIN sample_groups g ON g.id = p.group_id
         JOIN sample_attributes a ON a.id = g.attributes_id WHERE s.account_id = ?`,
      [account],
    );
    return rows
      .map(({ provider, device_id, sub_series, time, value, text_value, duration_ms, content }) => {
        const pair =
          family === 'pair' ? { systolic: value, diastolic: Number(text_value) } : { value: value ?? text_value };
        const end = duration_ms === null ? {} : { end: new Date(time + duration_ms).toISOString() };
        const point = { start: new Date(time).toISOString(), ...end, ...pair, type: sub_series || null };
        return form({ provider, device_id }, { ...point, ...(JSON.parse(content) as Point) });
      })
      .sort();
  }

  it('is read again as it was, by message, by pull, in both orders and twice, for every resource', async () => {
    const next = random(seed);
    for (const resource of catalogue.filter((one) => !isWhole(one))) {
      const answer = answerOf(resource, next);
      const expected = answer.map(({ source, point }) => form(source, point)).sort();
      const ways: readonly ((account: number) => Promise<void>)[] = [
        (account) => message(account, resource, answer, noon),
        (account) => pull(account, resource, answer, noon),
        async (account) => {
          await message(account, resource, answer, noon);
          await pull(account, resource, answer, noon + 60_000);
        },
        async (account) => {
          await pull(account, resource, answer, noon);
          await message(account, resource, answer, noon + 60_000);
          await pull(account, resource, answer, noon + 120_000);
        },
      ];
      for (const [way, run] of ways.entries()) {
        const account = await newAccount();
        await run(account);
        expect([resource.name, way, await stored(account, resource)]).toEqual([resource.name, way, expected]);
      }
    }
  });

  it('counts as rejected what it shows again with another value', () => {
    const glucose = catalogue.find(({ name }) => name === 'glucose') as Resource;
    const point = { timestamp: new Date(noon).toISOString(), unit: 'mmol/L' };
    const data = [5, 6, 6].map((value) => ({ ...point, value }));
    const records = mapGroups(glucose, [{ source: { provider: 'oura' }, data }]);
    expect(records.samples[0]?.samples.map(({ value }) => value)).toEqual([6]);
    expect(records.rejections).toMatchObject([{ reason: 'repeated', provider: 'oura', time: noon, count: 1 }]);
  });
});
