import { AccountsRepository } from '../../../src/accounts/accounts/accounts.repository.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import { type ResourceDays } from '../../../src/health/clock/person-clocks.service.js';
import { StoredDays } from '../../../src/health/reads/stored-days.service.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import type { SlotStatistics } from '../../../src/health/statistics/slot-statistics.js';
import { SampleStatistics } from '../../../src/health/statistics/statistics.service.js';
import { DAY_MS, dateOf, HOUR_MS, startOfDate, toIso } from '../../../src/platform/platform/time.js';
import { TestApp } from '../../support/test-app.js';

/*
 * Random people with random moves, offsets and zones: every sample is on exactly one day, the hours of a day add up to
 * it, `daily` counts what `explain` and coverage count, and a day is the same whether it is asked for alone or with
 * others (docs/meaning.md#a-persons-clock).
 */

const SEED = Number(process.env['DAYS_SEED'] ?? 20_261_127);
const PEOPLE = Number(process.env['DAYS_PEOPLE'] ?? 75);
/** Days of each person, with margins in which there are no samples. */
const DAYS = 14;
const MARGIN = 3;

jest.setTimeout(240_000 + PEOPLE * 1_000);

const zones = [
  ...['America/New_York', 'America/St_Johns', 'Europe/Berlin', 'Asia/Kathmandu', 'Asia/Tokyo', 'Australia/Lord_Howe'],
  ...['Pacific/Auckland', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Santiago', 'Africa/Casablanca', 'UTC'],
];
/** Days near which clocks change somewhere, and ordinary ones. */
const around = ['2025-10-26', '2025-11-02', '2026-03-08', '2026-03-29', '2026-04-05', '2026-07-10', '2025-12-31'];
const sources = [
  { provider: 'oura', type: 'ring' },
  { provider: 'apple_health_kit', type: 'phone' },
  { provider: 'fitbit', type: 'watch' },
  { provider: 'freestyle_libre', type: 'cgm' },
] as const;

interface Move {
  readonly at: number;
  readonly zone: string;
}
interface Point {
  readonly time: number;
  readonly duration: number;
  readonly value: number;
  readonly offset: number | null;
}
interface Person {
  readonly id: number;
  readonly zone: string | null;
  readonly from: string;
  readonly to: string;
}

/** A generator of numbers below 1 that is the same in every run of a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function offsetIn(zone: string, time: number): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60);
}

/** Of a day, how far its local time is ahead is not shown. */
function shown({ ahead: _, ...slot }: SlotStatistics): object {
  return slot;
}

describe(`${PEOPLE} random people of ${DAYS} days (DAYS_PEOPLE), seed ${SEED} (DAYS_SEED)`, () => {
  let next = random(SEED);
  const any = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  let app: TestApp;
  let looks = 0;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false });
  });
  afterAll(() => app.close());
  // Tests run in any order, and each has the people of the seed.
  beforeEach(() => void (next = random(SEED)));

  /** Samples of one source, while the person was in the zones of `moves`. */
  const pointsOf = (first: number, moves: readonly Move[], habit: string): Point[] => {
    const found = new Map<number, Point>();
    const count = 20 + Math.floor(next() * 120);
    for (let index = 0; index < count; index++) {
      const time = first + Math.floor((next() * DAYS * DAY_MS) / 60_000) * 60_000;
      const zone = moves.findLast(({ at }) => at <= time)?.zone ?? 'UTC';
      const says = habit === 'own' || (habit === 'some' && next() < 0.5);
      const offset = says ? offsetIn(zone, time) : null;
      const duration = next() < 0.7 ? 60_000 : Math.floor(next() * 600) * 60_000;
      found.set(time, { time, duration, value: Math.floor(next() * 100), offset });
    }
    return [...found.values()].sort((a, b) => a.time - b.time);
  };

  const apply = async (
    account: number,
    resource: Resource,
    source: object,
    points: readonly Point[],
  ): Promise<void> => {
    const data = points.map(({ time, duration, value, offset }) => {
      const times = { timestamp: toIso(time), start: toIso(time), end: toIso(time + duration) };
      return { ...times, value, unit: resource.unit, timezone_offset: offset };
    });
    const records = mapGroups(resource, [{ source: { ...source }, data }]);
    const provenance = { kind: 'message' as const, ref: ++looks, at: app.clock.now() + looks };
    await app.store.lane.run((tx) => app.get(HealthDataService).apply(tx, { account, records, provenance }));
  };

  const people = async (
    resource: Resource,
    check: (person: Person, points: ReadonlyMap<string, readonly Point[]>) => Promise<void>,
  ): Promise<void> => {
    for (let one = 0; one < PEOPLE; one++) {
      const name = `${resource.name}-${one}`;
      const first = startOfDate(any(around)) - Math.floor(next() * DAYS) * DAY_MS;
      const moves: Move[] = [{ at: Number.NEGATIVE_INFINITY, zone: any(zones) }];
      for (let more = Math.floor(next() * 3); more > 0; more--)
        moves.push({ at: first + Math.floor(next() * DAYS * DAY_MS), zone: any(zones) });
      moves.sort((a, b) => a.at - b.at);
      // Upstream may know the zones of the person, others, or none.
      const known = any(['right', 'right', 'wrong', 'none']);
      const zone = known === 'none' ? null : known === 'right' ? (moves.at(-1)?.zone ?? null) : any(zones);
      const id = await app.store.lane.run(async (tx) => {
        const { id: made } = await app.get(AccountsRepository).insertPending(tx, name, app.clock.now(), null);
        await tx.execute('UPDATE accounts SET fallback_time_zone = ? WHERE id = ?', [zone, made]);
        if (known !== 'right') return made;
        for (const [index, { zone: before }] of moves.slice(0, -1).entries()) {
          const sql = 'INSERT INTO former_time_zones (account_id, until, time_zone) VALUES (?, ?, ?)';
          await tx.execute(sql, [made, moves[index + 1]?.at ?? 0, before]);
        }
        return made;
      });
      const points = new Map<string, Point[]>();
      for (const source of sources) {
        if (next() < 0.4) continue;
        const own = pointsOf(first, moves, any(['own', 'own', 'some', 'none']));
        points.set(source.provider, own);
        await apply(id, resource, source, own);
      }
      const [from, to] = [dateOf(first - MARGIN * DAY_MS), dateOf(first + (DAYS + MARGIN) * DAY_MS)];
      try {
        await check({ id, zone, from, to }, points);
      } catch (error) {
        throw new Error(`person ${name}, zone ${zone}, moves ${JSON.stringify(moves)}, from ${from}`, { cause: error });
      }
    }
  };

  const owner = ({ id, zone }: Person) => ({ id, fallback_time_zone: zone });
  const daysOf = (person: Person, resource: Resource, from = person.from, to = person.to): Promise<ResourceDays> =>
    app.get(StoredDays).daysOf(owner(person), resource, { from, to });
  const statistics = async (
    person: Person,
    resource: Resource,
    per: 'day' | 'hour',
    [from, to] = [person.from, person.to],
  ) => app.get(SampleStatistics).of(owner(person), resource, { from, to }, { per, mode: 'merged' });
  const perDate = (slots: readonly SlotStatistics[], figure: (slot: SlotStatistics) => number): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const slot of slots) sums.set(slot.date, (sums.get(slot.date) ?? 0) + figure(slot));
    return sums;
  };

  const expectSame = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): void => {
    expect([...one.keys()].sort()).toEqual([...other.keys()].sort());
    for (const [date, value] of one) expect([date, other.get(date)]).toEqual([date, expect.closeTo(value, 6)]);
  };

  /** What holds for every resource: one day for every sample, and the same day alone. */
  const expectOneDay = async (
    person: Person,
    resource: Resource,
    points: ReadonlyMap<string, readonly Point[]>,
  ): Promise<Map<string, number>> => {
    const stored = app.get(StoredDays);
    const days = await daysOf(person, resource);
    const slots = days.slots(DAY_MS);
    for (const series of days.series) {
      const own = slots.filter((slot) => slot.series.id === series.id);
      const times = points.get(series.provider) ?? [];
      for (const { time } of times)
        expect([toIso(time), own.filter(({ start, end }) => start <= time && time < end).length]).toEqual([
          toIso(time),
          1,
        ]);
    }
    for (const [index, { start, end, date }] of days.spans.entries()) {
      const after = days.spans[index + 1];
      if (!after) continue;
      // A date that a person skips at the date line still has a span.
      const isSkipped = end - start === HOUR_MS && after.start < end;
      if (!isSkipped) expect([date, end]).toEqual([date, after.start]);
    }
    const counted = await stored.sampleDays(resource.name, days);
    const counts = new Map(counted.map(({ provider, date, records }) => [`${provider} ${date}`, records]));
    for (const [provider, own] of points) {
      const sum = [...counts].reduce(
        (before, [key, count]) => before + (key.startsWith(`${provider} `) ? count : 0),
        0,
      );
      // A day with nothing but a part of an interval has a record, too.
      const least = resource.statistics === 'total' ? sum : own.length;
      expect([provider, sum, own.length <= sum]).toEqual([provider, least, true]);
    }
    const date = dateOf(startOfDate(person.from) + Math.floor(next() * (DAYS + 2 * MARGIN)) * DAY_MS);
    const alone = await stored.ofDay(person.id, resource, await daysOf(person, resource, date, date));
    const expected = [...counts].flatMap(([key, count]) =>
      key.endsWith(` ${date}`) ? [[key.split(' ')[0], count]] : [],
    );
    expect([date, alone.map(({ provider, records }) => [provider, records])]).toEqual([date, expected.sort()]);
    const withOthers = (await statistics(person, resource, 'day')).found.filter((slot) => slot.date === date);
    const asked = await statistics(person, resource, 'day', [date, date]);
    expect(asked.found.map(shown)).toEqual(withOthers.map(shown));
    return counts;
  };

  it('have days of a measure that count what is explained, and hours that add up to them', async () => {
    const resource = resourceByName('heartrate') as Resource;
    await people(resource, async (person, points) => {
      const counts = await expectOneDay(person, resource, points);
      const days = await daysOf(person, resource);
      const standing = await app.get(StoredDays).standingOf({ ...owner(person), relinked_at: null }, resource, days);
      const { found } = await statistics(person, resource, 'day');
      for (const { date, count, source } of found) {
        const own = standing.filter((one) => one.date === date && one.provider === source.provider);
        const noReadings = own.reduce((sum, one) => sum + (one.noReadings ?? 0), 0);
        expect([date, source.provider, count + noReadings]).toEqual([
          date,
          source.provider,
          counts.get(`${source.provider} ${date}`),
        ]);
      }
      const hours = (await statistics(person, resource, 'hour')).found;
      expectSame(
        perDate(found, ({ count }) => count),
        perDate(hours, ({ count }) => count),
      );
      expectSame(
        perDate(found, ({ value }) => value.sum),
        perDate(hours, ({ value }) => value.sum),
      );
    });
  });

  it('have totals of which nothing is lost, and hours that add up to their days', async () => {
    const resource = resourceByName('steps') as Resource;
    await people(resource, async (person, points) => {
      await expectOneDay(person, resource, points);
      const { found, shares } = await statistics(person, resource, 'day');
      const hours = (await statistics(person, resource, 'hour')).found;
      expectSame(
        perDate(found, ({ value }) => value.sum),
        perDate(hours, ({ value }) => value.sum),
      );
      const leftOut = [...shares.values()].flat().reduce((sum, share) => sum + share.leftOut.value, 0);
      const counted = found.reduce((sum, { value }) => sum + value.sum, 0);
      const all = [...points.values()].flat().reduce((sum, { value }) => sum + value, 0);
      expect(counted + leftOut).toBeCloseTo(all, 6);
    });
  });
});
