import { AccountsRepository } from '../../../src/accounts/accounts/accounts.repository.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import { StoredDays } from '../../../src/health/reads/stored-days.service.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { SampleBuckets } from '../../../src/health/statistics/sample-buckets.service.js';
import type { SlotStatistics } from '../../../src/health/statistics/slot-statistics.js';
import { SampleStatistics } from '../../../src/health/statistics/statistics.service.js';
import type { WireFields } from '../../../src/platform/platform/json-reader.js';
import { DAY_MS, dateOf, HOUR_MS, startOfDate, toIso } from '../../../src/platform/platform/time.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { TestApp } from '../../support/test-app.js';

/*
 * Random people with random moves, offsets, zones, units and devices: hourly sums give the numbers that the samples
 * gave (docs/meaning.md#hourly-sums).
 */

const SEED = Number(process.env['DAYS_SEED'] ?? 20_261_127);
const PEOPLE = Number(process.env['DAYS_PEOPLE'] ?? 6);
const DAYS = 12;
const MARGIN = 3;

jest.setTimeout(240_000 + PEOPLE * 15_000);

const zones = [
  ...['America/New_York', 'America/St_Johns', 'Europe/Berlin', 'Asia/Kathmandu', 'Asia/Tokyo', 'Australia/Lord_Howe'],
  ...['Pacific/Auckland', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Casablanca', 'UTC'],
];
/** Days near which clocks change somewhere, and an ordinary one. */
const around = ['2025-10-26', '2025-11-02', '2026-03-08', '2026-03-29', '2026-04-05', '2026-07-10'];
const sources = [
  { provider: 'oura', type: 'ring' },
  { provider: 'apple_health_kit', type: 'phone' },
  { provider: 'fitbit', type: 'watch' },
  { provider: 'freestyle_libre', type: 'cgm' },
];
const resources = ['heartrate', 'glucose', 'blood_pressure', 'body_temperature', 'hrv'].map(
  (name) => resourceByName(name) as Resource,
);
const units: Readonly<Record<string, readonly string[]>> = {
  glucose: ['mmol/L', 'mmol/L', 'mg/dL'],
  body_temperature: ['°C', '°F'],
};

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const formats = new Map(
  zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })]),
);

function offsetIn(zone: string, time: number): number {
  const parts = formats.get(zone)?.formatToParts(time) ?? [];
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60);
}

interface Person {
  readonly id: number;
  readonly name: string;
  readonly fallback_time_zone: string | null;
  readonly relinked_at: number | null;
  readonly from: string;
  readonly to: string;
}

/** Sums in another order differ in their last digits. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(10));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)]));
}

describe(`${PEOPLE} random people of ${DAYS} days (DAYS_PEOPLE), seed ${SEED} (DAYS_SEED)`, () => {
  let app: TestApp;
  let looks = 0;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false, env: { SAMPLES_KEEP_DAYS: '30' } });
  });
  afterAll(() => app.close());

  const next = random(SEED);
  const any = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;

  const apply = async (account: number, resource: Resource, source: WireFields, data: WireFields[]): Promise<void> => {
    const records = mapGroups(resource, [{ source, data }]);
    const provenance = { kind: 'message' as const, ref: ++looks, at: app.clock.now() + looks };
    await app.store.lane.run((tx) => app.get(HealthDataService).apply(tx, { account, records, provenance }));
  };

  const pointsOf = (resource: Resource, first: number, zoneAt: (time: number) => string): WireFields[] => {
    const points: { time: number; point: WireFields }[] = [];
    const habit = any(['own', 'own', 'some', 'none']);
    const isDense = next() < 0.3;
    const count = isDense ? 900 : 20 + Math.floor(next() * 150);
    const from = first + (isDense ? Math.floor(next() * 8) * DAY_MS : 0);
    for (let index = 0; index < count; index++) {
      const time = isDense
        ? from + index * 5 * 60_000 + Math.floor(next() * 3)
        : first + Math.floor((next() * DAYS * DAY_MS) / 1_000) * 1_000;
      const says = habit === 'own' || (habit === 'some' && next() < 0.5);
      const value = Math.round(next() * 1_000) / 10;
      points.push({
        time,
        point: {
          ...{ timestamp: toIso(time), start: toIso(time), end: toIso(time + 60_000) },
          ...(resource.family === 'pair' ? { systolic: 100 + value, diastolic: 60 + value / 2 } : { value }),
          unit: next() < 0.97 ? (units[resource.name]?.[0] ?? resource.unit) : any(units[resource.name] ?? ['x']),
          timezone_offset: says ? offsetIn(zoneAt(time), time) : null,
          ...(next() < 0.05 ? { sensor_location: any(['finger', 'ear']) } : {}),
        },
      });
    }
    return [...new Map(points.map((one) => [one.time, one])).values()]
      .sort((a, b) => a.time - b.time)
      .map(({ point }) => point);
  };

  const personOf = async (index: number): Promise<Person> => {
    const name = `person-${index}`;
    const first = startOfDate(any(around)) - Math.floor(next() * DAYS) * DAY_MS;
    const moves = [{ at: Number.NEGATIVE_INFINITY, zone: any(zones) }];
    for (let more = Math.floor(next() * 3); more > 0; more--)
      moves.push({ at: first + Math.floor(next() * DAYS * DAY_MS), zone: any(zones) });
    moves.sort((a, b) => a.at - b.at);
    const zone = any([null, any(zones), moves.at(-1)?.zone ?? null]);
    const id = await app.store.lane.run(async (tx) => {
      const { id: made } = await app.get(AccountsRepository).insertPending(tx, name, app.clock.now(), null);
      await tx.execute('UPDATE accounts SET fallback_time_zone = ? WHERE id = ?', [zone, made]);
      return made;
    });
    const zoneAt = (time: number): string => moves.findLast(({ at }) => at <= time)?.zone ?? 'UTC';
    let relinked: number | null = null;
    for (const resource of resources) {
      for (const source of sources) {
        if (next() < 0.5) continue;
        await apply(id, resource, source, pointsOf(resource, first, zoneAt));
        if (index % 5 !== 0) continue;
        relinked = app.clock.now() + looks;
        await apply(id, resource, source, pointsOf(resource, first + 6 * DAY_MS, zoneAt));
      }
    }
    await app.store.lane.run((tx) => tx.execute('UPDATE accounts SET relinked_at = ? WHERE id = ?', [relinked, id]));
    const [from, to] = [dateOf(first - MARGIN * DAY_MS), dateOf(first + (DAYS + MARGIN) * DAY_MS)];
    return { id, name, fallback_time_zone: zone, relinked_at: relinked, from, to };
  };

  const answers = async (person: Person) => {
    const found: Record<string, unknown> = {};
    const days = { from: person.from, to: person.to };
    let thinned = 0;
    for (const resource of resources) {
      for (const per of ['day', 'hour'] as const) {
        const { found: slots, present } = await app
          .get(SampleStatistics)
          .of(person, resource, days, { per, mode: 'merged' });
        thinned += slots.filter((slot) => slot.thinned).length;
        const shown = slots.map(({ thinned: _, ...slot }: SlotStatistics) => slot);
        found[`${resource.name} per ${per}`] = { slots: shown, present: [...present] };
      }
      const stored = await app.get(StoredDays).daysOf(person, resource, days);
      found[`${resource.name} stored`] = {
        spans: stored.spans,
        days: (await app.get(StoredDays).sampleDays(resource.name, stored)).sort((a, b) =>
          `${a.date} ${a.provider}` < `${b.date} ${b.provider}` ? -1 : 1,
        ),
        of: await app.get(StoredDays).ofDay(person.id, resource, stored),
        measures: (await app.get(StoredDays).measuresOf(resource, stored)).map((one) => JSON.stringify(one)).sort(),
      };
      if (resource.family === 'pair') continue;
      for (const every of [HOUR_MS, DAY_MS]) {
        const query = { account: person.id, resource, provider: null, sourceType: null, start: null, end: null };
        const page = await app
          .get(SampleBuckets)
          .page({ ...query, every, after: null, limit: 2_000, earlierUntil: null });
        found[`${resource.name} every ${every}`] = page.map(({ series, ...bucket }) => ({ ...bucket, id: series.id }));
      }
    }
    return { found: rounded(found), thinned };
  };

  const samples = async (): Promise<number> => {
    const [row] = await app.store.reader.rows<{ count: number }>('SELECT COUNT(*) AS count FROM samples');
    return row?.count ?? 0;
  };

  it('have the same days, hours, counts and spans from hourly sums as from samples', async () => {
    const people: Person[] = [];
    for (let index = 0; index < PEOPLE; index++) people.push(await personOf(index));
    const before = new Map<Person, unknown>();
    for (const person of people) before.set(person, (await answers(person)).found);
    const stored = await samples();
    await app.run(CleanerWorker);
    const left = await samples();
    expect(left).toBeLessThan(stored / 2);
    let thinned = 0;
    for (const person of people) {
      const after = await answers(person);
      thinned += after.thinned;
      expect([person.name, after.found]).toEqual([person.name, before.get(person)]);
    }
    expect(thinned).toBeGreaterThan(PEOPLE * 20);
    expect(await app.metric('samples_thinned_total', { resource: 'heartrate' })).toBeGreaterThan(0);
  });
});
