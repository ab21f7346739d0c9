// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { SourcePriorities } from '../../../src/health/priorities/source-priorities.service.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { RejectedRecords } from '../../../src/health/records/rejected-records.service.js';
import type { MeDto } from '../../../src/operations/app-api/me.dto.js';
import type { DailyDto, HourlyDto } from '../../../src/operations/app-api/statistics.dto.js';
import type { TodayDto } from '../../../src/operations/app-api/today.dto.js';
import type { CoverageStreamDto } from '../../../src/operations/explain/coverage.dto.js';
import type { ExplanationDto, OwnExplanationDto } from '../../../src/operations/explain/explain.dto.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import { DAY, HOUR, MINUTE, newAccountId, START } from '../../support/environment.js';
import type { Answer, AnswerBody } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

interface Point {
  readonly time: number;
  readonly value: number;
  /** Seconds; null for none. */
  readonly offset: number | null;
}

interface Listed<T> {
  readonly data: readonly T[];
}

const ring = { provider: 'oura', type: 'ring' };
const phone = { provider: 'apple_health_kit', type: 'phone' };
const resource = (name: string): Resource => resourceByName(name) as Resource;
const iso = (time: number): string => new Date(time).toISOString();

describe('days of a person', () => {
  let app: TestApp;
  let looks = 0;

  beforeAll(async () => {
    app = await TestApp.create({ env: { SYNC_RESOURCES: 'steps,heartrate,blood_pressure,glucose,sleep,activity' } });
    // Each test has people of its own, together more than a sandbox permits.
    await app.sandbox.control.configure({ user_limit: null });
  });
  afterAll(() => app.close());

  const person = async (zone?: string): Promise<string> => {
    const account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id, ...(zone && { fallback_time_zone: zone }) });
    return account_id;
  };
  const apply = async (account: string, records: Records): Promise<void> => {
    const { id } = await app.get(AccountsService).get(account);
    const provenance = { kind: 'message' as const, ref: ++looks, at: app.clock.now() + looks };
    await app.store.lane.run((tx) => app.get(HealthDataService).apply(tx, { account: id, records, provenance }));
  };
  const put = (
    account: string,
    name: string,
    source: Readonly<Record<string, unknown>>,
    points: readonly Point[],
  ): Promise<void> => {
    const data = points.map(({ time, value, offset }) => {
      const times = { timestamp: iso(time), start: iso(time), end: iso(time + MINUTE) };
      return { ...times, value, unit: 'count', timezone_offset: offset };
    });
    return apply(account, mapGroups(resource(name), [{ source, data }]));
  };
  const read = <T>(account: string, path: string): Promise<Answer<T>> =>
    app.as<T>(account, 'GET', `/me${path && `/${path}`}`);
  const backend = <T>(account: string, path: string): Promise<Answer<T>> =>
    app.call<T>('GET', `/v1/accounts/${account}/${path}`, 'Bearer backend-key');
  const daily = async (account: string, query: string): Promise<DailyDto> => {
    const { body } = await read<Listed<DailyDto>>(account, `daily?resources=${query}`);
    return body.data[0] as DailyDto;
  };

  /** What a person is told of a day. */
  const notes = async (account: string, name: string, day: string): Promise<string[]> => {
    const { body } = await read<OwnExplanationDto>(account, `explain?resource=${name}&day=${day}`);
    return body.notes.map(({ code }) => code);
  };

  it('omit numbers that no sum can represent', async () => {
    const account = await person();
    const time = Date.UTC(2026, 10, 19, 12);
    const points = [1e308, 1e308, -1e308, 5].map((value, index) => ({ time: time + index * MINUTE, value, offset: 0 }));
    await put(account, 'steps', ring, points);
    const [day] = (await daily(account, 'steps&start=2026-11-19&end=2026-11-20')).days;
    expect(day).toMatchObject({ count: 1, sum: 5, first: 5, last: 5 });
    const huge = { timestamp: iso(time), unit: 'mmHg', systolic: 120, diastolic: 1e308, timezone_offset: 0 };
    const pairs = [
      huge,
      { ...huge, timestamp: iso(time + MINUTE) },
      { ...huge, timestamp: iso(time + 1), diastolic: 80 },
    ];
    await apply(account, mapGroups(resource('blood_pressure'), [{ source: ring, data: pairs }]));
    const [pressure] = (await daily(account, 'blood_pressure&start=2026-11-19&end=2026-11-20')).days;
    expect(pressure).toMatchObject({ count: 1, systolic: { mean: 120 }, diastolic: { mean: 80 } });
  });

  it('are converted to one unit, and have no numbers of units that no conversion joins [units]', async () => {
    const account = await person();
    const at = Date.UTC(2026, 10, 19, 12);
    const points = (rows: readonly (readonly [minute: number, unit: string, value: number])[]): object[] =>
      rows.map(([minute, unit, value]) => {
        return { timestamp: iso(at + minute * MINUTE), unit, value, timezone_offset: 0 };
      });
    const first = [
      [0, 'mg/dL', 180.156],
      [1, 'mmol/L', 5],
      [2, 'mg/dL', 180.156],
    ] as const;
    const data = points([...first, [60, 'mmol/L', 6], [61, 'mmol/L', 8]]);
    await apply(account, mapGroups(resource('glucose'), [{ source: ring, data }]));
    const query = 'glucose&start=2026-11-19&end=2026-11-20';
    const [day] = (await daily(account, query)).days;
    expect(day).toMatchObject({ count: 5, unit: 'mmol/L', min: 5, max: 10, mean: 7.8, first: 10, last: 8 });
    expect(day).toMatchObject({ incomparable: null, source: ring, other_sources: [], last_at: iso(at + 61 * MINUTE) });
    const { body } = await read<Listed<HourlyDto>>(account, `hourly?resources=${query}`);
    const [mixed, plain] = body.data[0]?.hours ?? [];
    expect(mixed).toMatchObject({ count: 3, unit: 'mmol/L', mean: expect.closeTo(25 / 3, 9) });
    expect(plain).toMatchObject({ count: 2, unit: 'mmol/L', mean: 7, first: 6, last: 8 });
    const other = points([[62, 'FSU', 7]]);
    await apply(account, mapGroups(resource('glucose'), [{ source: ring, data: other }]));
    const [none] = (await daily(account, query)).days;
    expect(none).toMatchObject({ count: 6, unit: null, incomparable: 'units' });
    expect(await notes(account, 'glucose', '2026-11-19')).toEqual(['incomparable_units']);
    for (const name of ['sum', 'mean', 'min', 'max', 'first', 'last']) expect(none).not.toHaveProperty(name);
  });

  it('have no common number of different places of the body, or of alerts of different types [units]', async () => {
    const account = await person();
    const at = Date.UTC(2026, 10, 19, 12);
    const point = (value: number, sensor_location: string): object => {
      return { start: iso(at), end: iso(at), unit: '°C', value, timezone_offset: 0, sensor_location };
    };
    const data = [point(39.1, 'mouth'), point(33, 'wrist')];
    await apply(account, mapGroups(resource('body_temperature'), [{ source: ring, data }]));
    const alerts = ['low_heart_rate', 'high_heart_rate'].map((type) => {
      return { start: iso(at), end: iso(at), unit: 'count', value: 1, timezone_offset: 0, type };
    });
    await apply(account, mapGroups(resource('heart_rate_alert'), [{ source: ring, data: alerts }]));
    for (const name of ['body_temperature', 'heart_rate_alert']) {
      const [day] = (await daily(account, `${name}&start=2026-11-19&end=2026-11-20`)).days;
      expect(day).toMatchObject({ count: 2, unit: null, incomparable: 'kinds' });
      for (const number of ['sum', 'mean', 'min', 'max']) expect(day).not.toHaveProperty(number);
      if (name === 'heart_rate_alert') expect(day?.sources).toEqual([{ ...ring, minutes: 0, samples: 2 }]);
      expect(await notes(account, name, '2026-11-19')).toEqual(['incomparable_kinds']);
    }
  });

  it('have no number of a week with alerts of different types on different days [units]', async () => {
    const account = await person();
    const alert = (day: number, type: string): object => {
      const at = iso(Date.UTC(2026, 10, day, 12));
      return { start: at, end: at, unit: 'count', value: 1, timezone_offset: 0, type };
    };
    const low = [alert(17, 'low_heart_rate'), alert(18, 'low_heart_rate')];
    await apply(account, mapGroups(resource('heart_rate_alert'), [{ source: ring, data: low }]));
    const week = async (): Promise<unknown> => {
      return (await daily(account, 'heart_rate_alert&start=2026-11-16&end=2026-11-23&per=week')).days[0];
    };
    expect(await week()).toMatchObject({ count: 2, sum: 2, incomparable: null });
    const high = [alert(19, 'high_heart_rate')];
    await apply(account, mapGroups(resource('heart_rate_alert'), [{ source: ring, data: high }]));
    expect(await week()).toMatchObject({ count: 3, incomparable: 'kinds' });
    expect(await week()).not.toHaveProperty('sum');
  });

  it('have a total of one unit also where an interval of another unit reaches over midnight [units]', async () => {
    const account = await person('UTC');
    const burnt = (time: string, hours: number, value: number, unit: string): Promise<void> => {
      const at = Date.parse(time);
      const times = { timestamp: time, start: time, end: iso(at + hours * HOUR) };
      const data = [{ ...times, value, unit, timezone_offset: 0 }];
      return apply(account, mapGroups(resource('calories_active'), [{ source: { ...phone }, data }]));
    };
    await burnt('2026-11-18T22:00:00Z', 4, 4.184 * 200, 'kJ');
    await burnt('2026-11-19T10:00:00Z', 1, 300, 'kcal');
    const query = 'calories_active&start=2026-11-18&end=2026-11-20';
    const [first, second] = (await daily(account, query)).days;
    expect(first).toMatchObject({ unit: 'kJ', sum: expect.closeTo(4.184 * 100, 9) });
    expect(second).toMatchObject({ unit: 'kcal', sum: expect.closeTo(400, 9), incomparable: null });
    const { body } = await read<Listed<HourlyDto>>(account, `hourly?resources=${query}`);
    expect(body.data[0]?.hours.map(({ unit, sum }) => [unit, Math.round(Number(sum))])).toEqual([
      ...[
        ['kJ', 209],
        ['kJ', 209],
        ['kcal', 50],
        ['kcal', 50],
      ],
      ['kcal', 300],
    ]);
    const [week] = (await daily(account, `${query}&per=week`)).days;
    expect(week).toMatchObject({ unit: 'kcal', sum: expect.closeTo(500, 9), count: 3 });
    expect(week?.sources).toEqual([expect.objectContaining({ samples: 3, sum: expect.closeTo(500, 9) })]);
    await burnt('2026-11-19T12:00:00Z', 1, 300, 'FSU');
    const [, incomparable] = (await daily(account, query)).days;
    expect(incomparable).toMatchObject({ incomparable: 'units', sources: [{ ...phone, minutes: 240, samples: 3 }] });
    expect(incomparable?.sources?.[0]).not.toHaveProperty('sum');
  });

  it('add up samples by their wall-clock time, on journeys and when clocks change', async () => {
    const account = await person('America/New_York');
    const first = Date.UTC(2026, 9, 20);
    const offsets: (number | null)[] = [null, 3_600, -18_000, 19_800, null, 32_400];
    const points = Array.from({ length: 30 * 24 * 3 }, (_, index): Point => {
      const time = first + index * 20 * MINUTE + (index % 7) * 1_000;
      return { time, value: index % 101, offset: offsets[Math.floor(index / 257) % offsets.length] ?? null };
    });
    await put(account, 'steps', ring, points);
    const floating = { provider: 'freestyle_libre', type: 'cgm' };
    await put(
      account,
      'glucose',
      floating,
      points.map((point) => ({ ...point, value: point.value + 1, offset: null })),
    );
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' });
    // The offset of the nearest sample that says one, unless the zone agrees with it or it is too far away.
    const known = points.filter(({ offset }) => offset !== null);
    const newYork = (time: number): number => (time < Date.UTC(2026, 10, 1, 6) ? -14_400 : -18_000);
    const nearestOf = (time: number): number | null => {
      const distance = (point: Point): number => Math.abs(point.time - time);
      const best = known.reduce((one, other) => (distance(other) < distance(one) ? other : one));
      return distance(best) > 48 * HOUR || best.offset === newYork(best.time) ? null : (best.offset ?? null);
    };
    const sums = new Map<string, number>();
    const means = new Map<string, number[]>();
    for (const { time, value, offset } of points) {
      const ahead = offset ?? nearestOf(time);
      const day = ahead === null ? format.format(time) : iso(time + ahead * 1_000).slice(0, 10);
      sums.set(day, (sums.get(day) ?? 0) + value);
      means.set(iso(time).slice(0, 10), [...(means.get(iso(time).slice(0, 10)) ?? []), value + 1]);
    }
    const steps = await daily(account, 'steps&start=2026-10-18&end=2026-11-22');
    const counted = steps.days.flatMap(({ day, sum }) => (sum === undefined ? [] : [[day, sum]]));
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(sums));
    expect(steps.days).toHaveLength(35);
    const glucose = await daily(account, 'glucose&start=2026-10-18&end=2026-11-22');
    for (const { day, count, mean, min, max, first: one, last } of glucose.days.filter((row) => row.count > 0)) {
      const own = means.get(day) ?? [];
      expect([day, count, min, max, one, last]).toEqual([
        day,
        own.length,
        Math.min(...own),
        Math.max(...own),
        own[0],
        own.at(-1),
      ]);
      expect(mean).toBeCloseTo(own.reduce((sum, value) => sum + value, 0) / own.length, 9);
    }
    expect(glucose.days.filter(({ count }) => count > 0)).toHaveLength(means.size);
  });

  it('have 25 hours when clocks are set back, and the sums of their hours match', async () => {
    const account = await person();
    const midnight = Date.parse('2026-11-01T04:00:00Z');
    const change = Date.parse('2026-11-01T06:00:00Z');
    const offset = (time: number): number => (time < change ? -14_400 : -18_000);
    const times = Array.from({ length: 26 }, (_, hour) => midnight + hour * HOUR + 30 * MINUTE);
    await put(
      account,
      'steps',
      ring,
      times.map((time) => ({ time, value: 1, offset: offset(time) })),
    );
    const query = 'steps&start=2026-11-01&end=2026-11-02';
    expect((await daily(account, query)).days).toEqual([expect.objectContaining({ count: 25, sum: 25 })]);
    const { body } = await read<Listed<HourlyDto>>(account, `hourly?resources=${query}`);
    const hours = body.data[0]?.hours ?? [];
    expect(hours.map(({ start }) => start)).toEqual(times.slice(0, 25).map((time) => iso(time - 30 * MINUTE)));
    expect(hours.map(({ local_time }) => local_time.slice(11, 13)).slice(0, 4)).toEqual(['00', '01', '01', '02']);
  });

  it('have hours of the wall clock, even if a journey sets it back or forward within an hour', async () => {
    const account = await person();
    const [noon, day] = [Date.parse('2026-11-10T12:00:00Z'), '2026-11-10'];
    const at = (minutes: number, value: number, hours: number): Point => {
      return { time: noon + minutes * MINUTE, value, offset: hours * 3_600 };
    };
    const before = Array.from({ length: 20 }, (_, back) => at(-back * 30, 1, 1)).reverse();
    await put(account, 'steps', ring, [...before, at(20, 10, 1), at(30, 20, 5.5), at(40, 40, 5.5), at(400, 80, 5.5)]);
    const { body } = await read<Listed<HourlyDto>>(account, `hourly?resources=steps&start=${day}&end=2026-11-11`);
    const hours = body.data[0]?.hours
      .filter(({ start }) => start > '2026-11-10T11:45')
      .map((hour) => {
        return [hour.start.slice(11, 16), hour.local_time.slice(11, 16), hour.sum];
      });
    expect(hours).toEqual([
      ['12:00', '13:00', 11],
      ['12:30', '18:00', 60],
    ]);
    const moved = await person();
    await put(moved, 'steps', ring, [...before, at(20, 10, 1), at(30, 20, 6), at(40, 40, 6)]);
    const other = await read<Listed<HourlyDto>>(moved, `hourly?resources=steps&start=${day}&end=2026-11-11`);
    expect(other.body.data[0]?.hours.slice(-2)).toMatchObject([
      {
        start: '2026-11-10T12:00:00.000Z',
        local_time: '2026-11-10T13:00:00.000',
        sum: 11,
        last_at: iso(noon + 20 * MINUTE),
      },
      { start: '2026-11-10T12:00:00.000Z', local_time: '2026-11-10T18:00:00.000', sum: 60 },
    ]);
  });

  it('have totals of all sources, name what each contributed, and keep one source on demand', async () => {
    const account = await person();
    const at = Date.parse('2026-11-18T10:00:00Z');
    const hour = (source: object, time: number, value: number, more: object = {}): Promise<void> => {
      const times = { timestamp: iso(time), start: iso(time), end: iso(time + HOUR) };
      const point = { ...times, value, unit: 'count', timezone_offset: 0, ...more };
      return apply(account, mapGroups(resource('steps'), [{ source: { ...source }, data: [point] }]));
    };
    await hour(ring, at, 9_000);
    await hour(ring, at + HOUR, 0);
    for (const time of [at, at + HOUR, at + DAY]) await hour(phone, time, 2_000);
    const query = 'steps&start=2026-11-18&end=2026-11-20';
    const { days } = await daily(account, query);
    expect(days).toEqual([
      expect.objectContaining({
        ...{ sum: 11_000, count: 2, source: ring, other_sources: [phone], day: '2026-11-18', last_day: '2026-11-18' },
        sources: [
          { ...ring, minutes: 60, samples: 1, sum: 9_000 },
          { ...phone, minutes: 60, samples: 1, sum: 2_000 },
        ],
        left_out: [
          { ...ring, samples: 1, sum: 0 },
          { ...phone, samples: 1, sum: 2_000 },
        ],
      }),
      expect.objectContaining({ sum: 2_000, source: phone, other_sources: [], left_out: [] }),
    ]);
    const [single] = (await daily(account, `${query}&source_mode=single`)).days;
    expect(single).toMatchObject({ sum: 9_000, source: ring, left_out: [{ ...phone, samples: 2, sum: 4_000 }] });
    const [week, none] = (await daily(account, `${query}&per=week`)).days;
    expect(week).toMatchObject({ day: '2026-11-18', last_day: '2026-11-19', sum: 13_000, count: 3, source: ring });
    expect(none).toBeUndefined();
    const { body } = await read<Listed<HourlyDto>>(account, `hourly?resources=${query}`);
    expect(body.data[0]?.hours.map(({ source, sum }) => [source, sum])).toEqual([
      [ring, 9_000],
      [phone, 2_000],
      [phone, 2_000],
    ]);
  });

  it('have their part of an interval that began on the next date, before the person moved west', async () => {
    const account = await person();
    const points = [
      // 03:00 on the 19th in Kiritimati, and then 23:20 on the 18th in Tokyo.
      { time: '2026-11-18T13:00:00Z', hours: 6, value: 6_000, offset: 50_400 },
      { time: '2026-11-18T14:20:00Z', hours: 1 / 60, value: 10, offset: 32_400 },
    ].map(({ time, hours, value, offset }) => {
      const [at, end] = [Date.parse(time), Date.parse(time) + hours * HOUR];
      return { timestamp: iso(at), start: iso(at), end: iso(end), value, unit: 'count', timezone_offset: offset };
    });
    await apply(account, mapGroups(resource('steps'), [{ source: { ...phone }, data: points }]));
    const sums = async (end: string): Promise<unknown[]> =>
      (await daily(account, `steps&start=2026-11-18&end=${end}`)).days.map(({ sum }) => sum);
    const [first, second] = await sums('2026-11-20');
    expect(await sums('2026-11-19')).toEqual([first]);
    expect([first, second].every((sum) => Number(sum) > 500)).toBe(true);
  });

  it('have their part of an interval that reaches over midnight', async () => {
    const account = await person();
    const at = Date.parse('2026-11-18T21:00:00Z');
    const point = { timestamp: iso(at), start: iso(at), end: iso(at + 6 * HOUR), value: 6_000, timezone_offset: 0 };
    await apply(account, mapGroups(resource('steps'), [{ source: { ...phone }, data: [point] }]));
    const sums = async (start: string): Promise<unknown[]> =>
      (await daily(account, `steps&start=${start}&end=2026-11-20`)).days.map(({ sum }) => sum);
    expect(await sums('2026-11-18')).toEqual([3_000, 3_000]);
    expect(await sums('2026-11-19')).toEqual([3_000]);
  });

  it('have it also where all of their own intervals are equal', async () => {
    const account = await person();
    const hours = (source: object, time: number, count: number, value: number): Promise<void> => {
      const times = { timestamp: iso(time), start: iso(time), end: iso(time + count * HOUR) };
      const data = [{ ...times, value, unit: 'count', timezone_offset: 0 }];
      return apply(account, mapGroups(resource('steps'), [{ source: { ...source }, data }]));
    };
    await hours(phone, Date.parse('2026-11-18T21:00:00Z'), 6, 6_000);
    await hours(phone, Date.parse('2026-11-19T10:00:00Z'), 1, 2_000);
    await hours(ring, Date.parse('2026-11-19T10:00:00Z'), 1, 9_000);
    const { days } = await daily(account, 'steps&start=2026-11-18&end=2026-11-20');
    expect(days.map(({ sum }) => sum)).toEqual([3_000, 12_000]);
  });

  it('have the last night of 36 hours with its reason, never a bare null', async () => {
    const account = await person('UTC');
    const lastNight = async (): Promise<TodayDto['last_night']> =>
      (await read<TodayDto>(account, 'today')).body.last_night;
    expect(await lastNight()).toMatchObject({
      ...{ record: null, state: 'none', reason: 'never_pulled' },
      ...{ resting_heart_rate: null, hrv: null, respiratory_rate: null },
    });
    const now = app.clock.now();
    const sleep = (id: string, ended: number, hours: number, more: object = {}): Promise<void> =>
      apply(
        account,
        mapSummaries(resource('sleep'), [
          {
            ...{ id, calendar_date: iso(now - ended).slice(0, 10), source: ring, updated_at: iso(now - ended) },
            ...{ bedtime_start: iso(now - ended - hours * HOUR), bedtime_stop: iso(now - ended), ...more },
          },
        ]),
      );
    await sleep(`nap of ${account}`, 10 * MINUTE, 1, { type: 'short_sleep' });
    expect(await lastNight()).toMatchObject({ state: 'stored', reason: 'short_sleep_only' });
    const measured = { hr_resting: 52, average_hrv: 61.5, respiratory_rate: 14.2 };
    await sleep(`night of ${account}`, 30 * HOUR, 7, { type: 'long_sleep', source: phone, ...measured });
    expect(await lastNight()).toMatchObject({
      ...{ record: { id: `night of ${account}` }, reason: 'earlier_night', other_nights: 0 },
      ...{ resting_heart_rate: 52, hrv: 61.5, respiratory_rate: 14.2 },
    });
    await sleep(`bed of ${account}`, HOUR, 8, { type: 'long_sleep', total: 0, hr_resting: 66 });
    expect(await lastNight()).toMatchObject({ record: { id: `night of ${account}` }, resting_heart_rate: 52 });
    // A clock that is a day ahead, and a nap of the better source: neither is the night that is shown.
    await sleep(`ahead of ${account}`, -30 * HOUR, 7, { type: 'long_sleep' });
    await sleep(`short of ${account}`, 5 * MINUTE, 0.5, { type: 'long_sleep', hr_resting: 71 });
    const { body } = await read<TodayDto>(account, 'today');
    expect(body).toMatchObject({
      last_night: { record: { id: `night of ${account}` }, hrv: 61.5 },
      resting_heart_rate: { value: 52, resource: 'sleep', source: phone },
    });
  });

  it('have no resting heart rate of a nap, and none of zero, where the night has none', async () => {
    const account = await person('UTC');
    const now = app.clock.now();
    const [today, ended] = [iso(now).slice(0, 10), now - 3 * HOUR];
    const sleep = (id: string, from: number, to: number, more: object): object => ({
      ...{ id: `${id} of ${account}`, calendar_date: iso(to).slice(0, 10), source: ring, updated_at: iso(to) },
      ...{ bedtime_start: iso(from), bedtime_stop: iso(to), ...more },
    });
    const night = sleep('night', ended - 30 * HOUR, ended - 22 * HOUR, { type: 'long_sleep', hr_resting: 0 });
    const nap = sleep('nap', ended - HOUR, ended, { type: 'short_sleep', hr_resting: 71 });
    await apply(account, mapSummaries(resource('sleep'), [night, nap]));
    const heartRate = { heart_rate: { resting_bpm: 54 } };
    const activity = { id: `activity of ${account}`, calendar_date: today, source: ring, updated_at: iso(ended) };
    await apply(account, mapSummaries(resource('activity'), [{ ...activity, ...heartRate }]));
    const { body } = await read<TodayDto>(account, 'today');
    expect(body).toMatchObject({
      last_night: { record: { id: `night of ${account}` }, resting_heart_rate: null, hrv: null },
      resting_heart_rate: { value: 54, resource: 'activity' },
    });
  });

  it('begin again when a person crosses the date line to the east', async () => {
    const account = await person('Pacific/Kiritimati');
    const day = async (): Promise<string> => (await read<TodayDto>(account, 'today')).body.day;
    const there = iso(app.clock.now() + 14 * HOUR).slice(0, 10);
    expect(await day()).toBe(there);
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'Pacific/Pago_Pago' });
    app.clock.advance(1_000);
    expect(await day()).toBe(iso(app.clock.now() - 11 * HOUR).slice(0, 10));
  });

  it('never have a forecast as the latest record, and tell the person that there is only one', async () => {
    const account = await person('UTC');
    const cycle = (period_start: string, is_predicted: boolean): object => ({
      ...{ id: `${period_start} of ${account}`, period_start, is_predicted, source: phone },
      updated_at: '2026-11-01T00:00:00Z',
    });
    const cycles = [cycle('2026-10-20', false), cycle('2026-11-17', true)];
    await apply(account, mapSummaries(resource('menstrual_cycle'), cycles));
    const { body } = await read<Listed<{ record: object }>>(account, 'latest?resources=menstrual_cycle');
    expect(body.data[0]?.record).toMatchObject({ id: `2026-10-20 of ${account}` });
    const own = await read(account, 'explain?resource=menstrual_cycle&day=2026-11-17');
    expect(own.body).toMatchObject({
      ...{ resource: 'menstrual_cycle', day: '2026-11-17', reason: 'forecast_only' },
      conclusion: 'For 2026-11-17 there is only a forecast of menstrual cycle.',
    });
    expect(own.body).not.toHaveProperty('evidence');
    expect(await notes(account, 'menstrual_cycle', '2026-11-17')).toContain('forecasts');
  });

  it('place a time without zone before they compare it with a true one', async () => {
    const libre = { provider: 'freestyle_libre', type: 'cgm' };
    const glucose = async (zone: string | undefined, floating: number, exact: number, ahead = 0): Promise<unknown> => {
      const account = await person(zone);
      await put(account, 'glucose', libre, [{ time: app.clock.now() + floating, value: 1, offset: null }]);
      await put(account, 'glucose', ring, [{ time: app.clock.now() + exact, value: 2, offset: ahead / 1_000 }]);
      const { body } = await read<Listed<{ record: { value: number } }>>(account, 'latest?resources=glucose');
      return body.data[0]?.record.value;
    };
    const brisbane = 10 * HOUR;
    expect(await glucose('Australia/Brisbane', brisbane - 3 * HOUR, -5 * MINUTE, brisbane)).toBe(2);
    expect(await glucose('America/Phoenix', -7 * HOUR - 5 * MINUTE, -6 * HOUR, -7 * HOUR)).toBe(1);
    expect(await glucose(undefined, brisbane - 5 * MINUTE, -HOUR)).toBe(2);
  });

  it('have the newest time of a source without zone as an instant', async () => {
    const account = await person('Asia/Tokyo');
    const at = app.clock.now() - HOUR;
    const libre = { provider: 'freestyle_libre', type: 'cgm' };
    await put(account, 'glucose', libre, [{ time: at + 9 * HOUR, value: 5, offset: null }]);
    const { body } = await read<MeDto>(account, '');
    expect(body.resources).toMatchObject([{ resource: 'glucose', newest_at: iso(at) }]);
  });

  it('have the samples that daily counts, page by page, for records of a day', async () => {
    const [account, traveller] = [await person('America/New_York'), await person('America/New_York')];
    const first = Date.parse('2026-11-01T00:00:00Z');
    const points = (offset: number | null): Point[] =>
      Array.from({ length: 40 }, (_, hour) => ({ time: first + hour * HOUR + MINUTE, value: 1, offset }));
    await put(account, 'steps', phone, points(null));
    await put(traveller, 'steps', phone, points(9 * 3_600));
    const days = 'first_day=2026-11-01&last_day=2026-11-01';
    type Page = Listed<{ time: string }> & { next_cursor: string | null };
    const walk = async (of: string, query: string): Promise<unknown[]> => {
      const times: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path: string = `records/steps?${days}&${query}${cursor && `&cursor=${cursor}`}`;
        const { body }: Answer<Page> = await read<Page>(of, path);
        times.push(...body.data.map(({ time }) => time.slice(8, 13)));
        cursor = body.next_cursor;
      }
      times.sort();
      const [day] = (await daily(of, 'steps&start=2026-11-01&end=2026-11-02')).days;
      return [day?.count, times.length, times[0], times.at(-1)];
    };
    for (const query of ['limit=7', 'limit=7&order=newest', 'limit=100']) {
      // Clocks are set back: the day ends at 05:00 UTC.
      expect(await walk(account, query)).toEqual([25, 25, '01T04', '02T04']);
      expect(await walk(traveller, query)).toEqual([15, 15, '01T00', '01T14']);
    }
    const refused = async (query: string): Promise<unknown> =>
      (await read<AnswerBody>(account, `records/steps?${query}`)).body['errors'];
    expect(await refused('first_day=2026-11-01')).toMatchObject([{ field: 'last_day' }]);
    expect(await refused('last_day=2026-11-01')).toMatchObject([{ field: 'first_day' }]);
    expect(await refused('first_day=2025-01-01&last_day=2026-11-01')).toMatchObject([{ field: 'last_day' }]);
    expect((await read<Page>(account, `records/heartrate?${days}`)).body.data).toEqual([]);
  });

  it('have each interval once after a relink, also if it was sent again in other parts', async () => {
    const account = await person('UTC');
    const at = Date.parse('2026-11-18T08:00:00Z');
    const steps = (parts: readonly (readonly [from: number, minutes: number])[]): Promise<void> => {
      const data = parts.map(([from, minutes]) => {
        const [start, end] = [iso(at + from * MINUTE), iso(at + (from + minutes) * MINUTE)];
        return { timestamp: start, start, end, value: minutes, unit: 'count', timezone_offset: 0 };
      });
      return apply(account, mapGroups(resource('steps'), [{ source: { ...ring }, data }]));
    };
    // The last hour is of the former user alone.
    await steps([...Array.from({ length: 12 }, (_, part) => [part * 10 + 1, 10] as const), [180, 60]]);
    const sql = 'UPDATE accounts SET relinked_at = ? WHERE account_id = ?';
    await app.store.lane.run((tx) => tx.execute(sql, [app.clock.now() + looks, account]));
    await steps([
      [0, 60],
      [60, 60],
    ]);
    for (const query of ['limit=500', 'limit=2', 'first_day=2026-11-18&last_day=2026-11-18']) {
      const { body } = await read<Listed<{ value: number }> & { next_cursor: string | null }>(
        account,
        `records/steps?${query}`,
      );
      expect(body.data.map(({ value }) => value)).toEqual(query === 'limit=2' ? [60, 60] : [60, 60, 60]);
      expect(body.next_cursor === null).toBe(query !== 'limit=2');
    }
    const all = await app.admin<Listed<object>>('GET', `/accounts/${account}/records/steps`);
    expect(all.body.data).toHaveLength(15);
  });

  it('have each measure once after a relink, also if it was sent again at other times', async () => {
    const account = await person('UTC');
    const at = Date.parse('2026-11-18T08:00:00Z');
    const rates = (late: number, value: number, places: readonly number[]): Promise<void> =>
      put(
        account,
        'heartrate',
        ring,
        places.map((place) => ({ time: at + place * 5 * MINUTE + late, value, offset: 0 })),
      );
    // Of the former user alone: the evening, and the hours of a gap in what was sent again.
    await rates(0, 60, [0, 1, 2, 3, 40, 120]);
    const sql = 'UPDATE accounts SET relinked_at = ? WHERE account_id = ?';
    await app.store.lane.run((tx) => tx.execute(sql, [app.clock.now() + looks, account]));
    await rates(20_000, 70, [0, 1, 2, 3, 80]);
    const [day] = (await daily(account, 'heartrate&start=2026-11-18&end=2026-11-19')).days;
    expect(day).toMatchObject({
      count: 7,
      min: 60,
      max: 70,
      mean: expect.closeTo((5 * 70 + 2 * 60) / 7, 9),
      first: 70,
    });
    const { body } = await read<Listed<{ value: number }>>(account, 'records/heartrate');
    expect(body.data.map(({ value }) => value)).toEqual([70, 70, 70, 70, 60, 70, 60]);
    const buckets = await read<Listed<{ count: number }>>(account, 'records/heartrate?every=1h');
    expect(buckets.body.data.map(({ count }) => count)).toEqual([4, 1, 1, 1]);
    const told = await read<OwnExplanationDto>(account, 'explain?resource=heartrate&day=2026-11-18');
    expect(told.body.notes).toMatchObject([{ code: 'superseded', provider: 'oura', records: 4 }]);
    const all = await app.admin<Listed<object>>('GET', `/accounts/${account}/records/heartrate`);
    expect(all.body.data).toHaveLength(11);
  });

  it('count a walk once if two devices of a source that it does not name overlap', async () => {
    const account = await person('UTC');
    const at = Date.parse('2026-11-18T08:00:00Z');
    const intervals = (unit: string, late: number, value: number): object[] =>
      Array.from({ length: 4 }, (_, hour) => {
        const [start, end] = [at + hour * HOUR + late, at + (hour + 1) * HOUR + late].map(iso);
        return { timestamp: start, start, end, value, unit, timezone_offset: 0 };
      });
    const sum = async (name: string, unit: string): Promise<unknown> => {
      const data = [...intervals(unit, 0, 950), ...intervals(unit, 2 * MINUTE, 900)];
      await apply(account, mapGroups(resource(name), [{ source: { ...phone }, data }]));
      const [day] = (await daily(account, `${name}&start=2026-11-18&end=2026-11-19`)).days;
      return day?.sum;
    };
    expect(await sum('steps', 'count')).toBe(3_800 + 30);
    // Doses that overlap are different ones.
    expect(await sum('caffeine', 'g')).toBe(4 * 1_850);
  });

  it('count once what two apps of one phone wrote', async () => {
    const account = await person('UTC');
    const at = Date.parse('2026-11-18T08:00:00Z');
    const ofApp = (app_id: string): Record<string, string> => ({
      provider: 'apple_health_kit',
      type: 'unknown',
      app_id,
    });
    const drunk = (hour: number, value: number, late = 0): object => {
      return { timestamp: iso(at + hour * HOUR + late), value, unit: 'ml', timezone_offset: 0 };
    };
    const groups = [
      { source: ofApp('org.example.a'), data: [drunk(0, 250), drunk(3, 300)] },
      { source: ofApp('org.example.b'), data: [drunk(0, 200), drunk(3, 300, MINUTE), drunk(5, 100)] },
    ];
    const records = mapGroups(resource('water'), groups);
    expect(records.rejections).toEqual([]);
    await apply(account, records);
    const [day] = (await daily(account, 'water&start=2026-11-18&end=2026-11-19')).days;
    expect(day).toMatchObject({ sum: 600, count: 3 });
    expect(day?.left_out).toEqual([expect.objectContaining({ samples: 2, sum: 550 })]);
    const { body } = await read<Listed<{ attributes: { app_id: string } }>>(account, 'records/water');
    expect(body.data.map(({ attributes }) => attributes.app_id.at(-1)).sort()).toEqual(['a', 'a', 'b', 'b', 'b']);
  });

  it('show each night once after a relink, and both to operators', async () => {
    const account = await person('UTC');
    const night = (id: string): Promise<void> =>
      apply(
        account,
        mapSummaries(resource('sleep'), [
          {
            ...{ id: `${id} of ${account}`, calendar_date: '2026-11-18', source: ring },
            ...{ bedtime_start: '2026-11-17T22:00:00Z', bedtime_stop: '2026-11-18T06:00:00Z' },
            updated_at: '2026-11-18T07:00:00Z',
          },
        ]),
      );
    await night('before');
    const relinkedAt = app.clock.now() + looks;
    const sql = 'UPDATE accounts SET relinked_at = ? WHERE account_id = ?';
    await app.store.lane.run((tx) => tx.execute(sql, [relinkedAt, account]));
    await night('after');
    const ids = async (query: string): Promise<string[]> =>
      (await read<Listed<{ id: string }>>(account, `records/sleep${query}`)).body.data.map(({ id }) => id);
    expect(await ids('')).toEqual([`after of ${account}`]);
    expect(await ids('?latest_per_day=true')).toEqual([`after of ${account}`]);
    const all = await app.admin<Listed<object>>('GET', `/accounts/${account}/records/sleep`);
    expect(all.body.data).toHaveLength(2);
    expect(await notes(account, 'sleep', '2026-11-18')).toEqual(['superseded']);
  });

  it('are those of the person in entries of the feed, also of samples that do not say their offset', async () => {
    const account = await person('America/New_York');
    const { id } = await app.get(AccountsService).get(account);
    const point = (time: string): Point => ({ time: Date.parse(time), value: 1, offset: null });
    const noted = async (): Promise<string[]> => {
      const sql = `SELECT first_day, last_day FROM pending_changes WHERE account_id = ? AND kind = 'samples' ORDER BY id`;
      const rows = await app.store.reader.rows<{ first_day: number; last_day: number }>(sql, [id]);
      return rows.map(({ first_day, last_day }) =>
        [first_day, last_day].map((day) => iso(day * DAY).slice(5, 10)).join(' '),
      );
    };
    await put(account, 'steps', ring, [point('2026-11-10T03:00:00Z'), point('2026-11-12T06:00:00Z')]);
    await put(account, 'steps', phone, [{ ...point('2026-11-18T20:00:00Z'), offset: 9 * 3_600 }]);
    await put(account, 'steps', ring, [point('2026-11-18T20:30:00Z')]);
    const floating = { provider: 'freestyle_libre', type: 'cgm' };
    await put(account, 'glucose', floating, [point('2026-11-18T20:00:00Z')]);
    expect(await noted()).toEqual(['11-09 11-12', '11-19 11-19', '11-19 11-19', '11-18 11-18']);
  });

  it('have an entry in the feed when a rule changes them, once for each change', async () => {
    const account = await person();
    const { id } = await app.get(AccountsService).get(account);
    const noted = async (): Promise<unknown[]> => {
      const sql = `SELECT account_id, subject FROM pending_changes WHERE kind = 'answers' ORDER BY id`;
      const rows = await app.store.reader.rows<{ account_id: number | null; subject: string }>(sql);
      return rows.filter(({ account_id }) => account_id === null || account_id === id).map(({ subject }) => subject);
    };
    const before = (await noted()).length;
    for (const time_zone of ['Asia/Tokyo', 'Asia/Tokyo', 'Europe/Paris'])
      expect((await app.as(account, 'PATCH', '/me', { time_zone })).status).toBe(200);
    const sleep = (sources: object[] | null): object => ({ data_type: 'sleep', sources });
    const own = `/accounts/${account}/source-priorities`;
    for (const sources of [[ring], [ring], null])
      expect((await app.admin('PATCH', own, sleep(sources))).status).toBe(200);
    const keep = (sources: (typeof ring)[]): Promise<void> =>
      app.store.lane.run((tx) => app.get(SourcePriorities).keep(tx, { dataType: 'meal', sources, unreadable: 0 }));
    for (const sources of [[phone], [phone], [ring, phone]]) await keep(sources);
    const zones = ['time_zone', 'time_zone'];
    const orders = ['sleep', 'sleep', 'meal', 'meal'].map((type) => `source_priorities/${type}`);
    expect((await noted()).slice(before)).toEqual([...zones, ...orders]);
    await app.store.lane.run((tx) => tx.execute('DELETE FROM source_priorities'));
  });

  it('are explained with notes in stable codes, to operators and to the person', async () => {
    const account = await person('America/New_York');
    const day = '2026-11-18';
    const noon = Date.parse(`${day}T17:00:00Z`);
    const point = (minute: number, unit: string): object => {
      return { timestamp: iso(noon + minute * MINUTE), value: 5, unit, timezone_offset: null };
    };
    const again = { ...point(3, 'mg/dL'), value: 6 };
    const data = [point(0, 'mg/dL'), point(1, 'mmol/L'), point(3, 'mg/dL'), again];
    const records = mapGroups(resource('glucose'), [{ source: { ...ring }, data }]);
    await apply(account, records);
    const { id } = await app.get(AccountsService).get(account);
    const message = { account: id, seq: ++looks, at: noon + HOUR, now: noon + HOUR, records };
    await app.store.lane.run((tx) => app.get(RejectedRecords).ofMessages(tx, [message]));
    const night = (id: string, type: string, start: string): object => ({
      ...{
        id: `${id} of ${account}`,
        calendar_date: day,
        type,
        bedtime_start: start,
        bedtime_stop: `${day}T11:00:00Z`,
      },
      ...{ source: { ...ring }, updated_at: `${day}T12:00:00Z` },
    });
    const nights = [
      night('long', 'long_sleep', `${day}T03:00:00Z`),
      night('nap', 'acknowledged_nap', `${day}T10:30:00Z`),
    ];
    await apply(account, mapSummaries(resource('sleep'), nights));
    const told = async (name: string): Promise<string[]> => {
      const query = `explain?resource=${name}&day=${day}`;
      const [{ body: own }, { body: all }] = [
        await read<OwnExplanationDto>(account, query),
        await app.admin<ExplanationDto>('GET', `/accounts/${account}/${query}`),
      ];
      const codes = own.notes.map(({ code }) => code);
      expect(all.notes.map(({ code }) => code)).toEqual(codes);
      const coverage = await app.admin<Listed<CoverageStreamDto>>(
        'GET',
        `/accounts/${account}/coverage?resource=${name}&first_day=${day}&last_day=${day}`,
      );
      expect(coverage.body.data[0]?.runs[0]?.notes).toEqual(codes);
      return codes;
    };
    expect(await told('glucose')).toEqual(['zone_assumed', 'points_repeated', 'mixed_units']);
    expect(await told('sleep')).toEqual(['hidden_by_better']);
    const stranger = await person();
    await put(stranger, 'steps', ring, [{ time: noon, value: 1, offset: null }]);
    expect(await notes(stranger, 'steps', day)).toEqual(['zone_unknown']);
  });

  it('of pairs have numbers of both, and readings have no sum', async () => {
    const account = await person();
    const at = Date.parse('2026-11-19T10:00:00Z');
    const data = [120, 140].map((systolic, index) => {
      return {
        timestamp: iso(at + index * HOUR),
        systolic,
        diastolic: systolic - 50,
        unit: 'mmHg',
        timezone_offset: 0,
      };
    });
    await apply(account, mapGroups(resource('blood_pressure'), [{ source: ring, data }]));
    const [day] = (await daily(account, 'blood_pressure&start=2026-11-19&end=2026-11-20')).days;
    expect(day).toMatchObject({
      ...{ count: 2, unit: 'mmHg' },
      systolic: { min: 120, max: 140, mean: 130, first: 120, last: 140 },
      diastolic: { min: 70, max: 90, mean: 80, first: 70, last: 90 },
    });
    expect(day?.systolic?.sum).toBeUndefined();
  });

  it('are partial until proven complete, and always while they are not over', async () => {
    const account = newAccountId();
    await app.as(account, 'POST', '/me/sign-in-token', {});
    const { body } = await app.as<{ link_token: string }>(account, 'POST', '/me/link-token', { provider: 'oura' });
    const history = { days: 20, per_day: 3 };
    await app.sandbox.control.link({ link_token: body.link_token, provider: 'oura', history, resources: ['steps'] });
    await app.advance(6 * 3_600, 6);
    const { days } = await daily(account, 'steps');
    expect(days).toHaveLength(30);
    // A person far enough east of UTC has the next day already.
    const day = expect.stringMatching(/^2026-11-2[01]$/) as string;
    expect(days.at(-1)).toMatchObject({ day, partial: true, reason: 'not_over' });
    const whole = days.filter(({ reason }) => reason === 'whole');
    expect(whole.length).toBeGreaterThan(10);
    expect(whole.at(-1)).toMatchObject({ partial: false, source: { provider: 'oura' } });
    expect(days.filter(({ partial, reason }) => partial === (reason === 'whole'))).toEqual([]);
  });

  it('of a resource that is not pulled report that, unless something of it is stored', async () => {
    const account = await person();
    const query = 'steps,water&start=2026-11-19&end=2026-11-20';
    const states = async (): Promise<unknown[]> => {
      const { body } = await read<Listed<DailyDto>>(account, `daily?resources=${query}`);
      return body.data.map(({ state, days }) => [state, days.length]);
    };
    expect(await states()).toEqual([
      ['none', 1],
      ['not_synced', 0],
    ]);
    await put(account, 'water', phone, [{ time: Date.parse('2026-11-19T10:00:00Z'), value: 200, offset: null }]);
    expect(await states()).toEqual([
      ['none', 1],
      ['stored', 1],
    ]);
    const latest = await read<Listed<object>>(account, 'latest?resources=water,caffeine,sleep');
    expect(latest.body.data).toMatchObject([{ state: 'stored' }, { state: 'not_synced' }, { state: 'none' }]);
  });

  it('come in one call with what else a first screen shows', async () => {
    const account = await person('Europe/Berlin');
    expect((await read<TodayDto>(account, 'today')).body).toMatchObject({ sleep: null, latest: [] });
    const today = iso(app.clock.now()).slice(0, 10);
    const at = Date.parse(today);
    const night = (id: string, source: object, hours: number): object => ({
      ...{ id, source, type: 'long_sleep', calendar_date: today, hr_resting: 48 + hours, total: hours * 3_600 },
      ...{ bedtime_start: iso(at - 2 * HOUR), bedtime_stop: iso(at + (hours - 2) * HOUR), updated_at: iso(at) },
    });
    const nights = [
      night('00000000-0000-4000-8000-000000000001', phone, 9),
      night('00000000-0000-4000-8000-000000000002', ring, 7),
    ];
    await apply(account, mapSummaries(resource('sleep'), nights));
    await put(account, 'steps', ring, [{ time: app.clock.now() - HOUR, value: 321, offset: 3_600 }]);
    await put(account, 'heartrate', ring, [{ time: app.clock.now() - 5 * MINUTE, value: 61, offset: 3_600 }]);
    const { body } = await read<TodayDto>(account, 'today');
    expect(body).toMatchObject({
      day: today,
      sleep: { source: ring, data: { total: 7 * 3_600 } },
      steps: { sum: 321, partial: true },
      resting_heart_rate: { value: 55, resource: 'sleep', source: ring },
      latest: [
        { resource: 'heartrate', record: { value: 61 } },
        { resource: 'steps', age_seconds: HOUR / 1_000 - 60 },
      ],
      history: { complete: 0, pending: 0 },
    });
  });

  it('name the newest reading until now, not that of a device whose clock is ahead', async () => {
    const account = await person();
    const now = app.clock.now();
    const at = (time: number): Point => ({ time, value: time < now ? 1 : 2, offset: 36_000 });
    await put(account, 'heartrate', ring, [at(now - HOUR), at(now + 10 * HOUR)]);
    await put(account, 'glucose', { provider: 'freestyle_libre', type: 'cgm' }, [at(now - HOUR), at(now + 10 * HOUR)]);
    const { body } = await read<Listed<{ age_seconds: number | null; record: { value: number } }>>(
      account,
      'latest?resources=heartrate,glucose',
    );
    expect(body.data.map(({ age_seconds, record }) => [age_seconds, record.value])).toEqual([
      [3_600 - 60, 1],
      [0, 2],
    ]);
    const me = await read<MeDto>(account, '');
    const newest = me.body.resources.map(({ resource: name, newest_at }) => [name, newest_at]);
    expect(Object.fromEntries(newest)).toEqual({ heartrate: iso(now - HOUR), glucose: iso(now) });
  });

  it('need no polling: a read with its tag is 304 until any record changes', async () => {
    const account = await person();
    const at = Date.parse('2026-11-10T10:00:00Z');
    const store = async (value: number): Promise<void> => {
      await put(account, 'steps', ring, [{ time: at, value, offset: 0 }]);
      await app.run(SequencerWorker);
    };
    const paths = ['', '/latest', '/today', '/daily?resources=steps&start=2026-11-10&end=2026-11-11', '/records/steps'];
    const get = async (path: string, tag = ''): Promise<Response> => {
      const headers = { authorization: `Bearer ${await app.appToken(account)}`, 'if-none-match': tag };
      return fetch(`${app.url}/v1/me${path}`, { headers });
    };
    const changed = async (): Promise<unknown> => (await read<MeDto>(account, '')).body.resources[0]?.changed_at;
    await store(1);
    const tags = await Promise.all(paths.map(async (path) => (await get(path)).headers.get('etag') ?? ''));
    const before = await changed();
    app.clock.advance(1_000);
    await store(1);
    for (const [index, path] of paths.entries()) {
      const response = await get(path, tags[index]);
      const { status, headers } = response;
      const text = await response.text();
      expect([path, status, text, headers.get('etag')]).toEqual([path, 304, '', tags[index]]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
    expect(await changed()).toBe(before);
    await store(2);
    const statuses = await Promise.all(paths.map(async (path, index) => (await get(path, tags[index])).status));
    expect(statuses).toEqual(paths.map(() => 200));
    const after = await changed();
    expect([before, after].toSorted()).toEqual([before, after]);
    expect(after).not.toBe(before);
    const entries = await app.admin<Listed<{ status: number }>>('GET', `/access-log?account_id=${account}&limit=500`);
    expect(entries.body.data.filter(({ status }) => status === 304)).toHaveLength(paths.length);
  });

  it('are from the new best source immediately after any change of the order, without a stale 304', async () => {
    const account = await person();
    const today = START - 2 * HOUR;
    const day = iso(today).slice(0, 10);
    const night = (id: string, source: object): object => ({
      ...{ id, calendar_date: day, source, updated_at: iso(today), hr_resting: id === 'ring' ? 51 : 62 },
      ...{ bedtime_start: `${day}T00:00:00Z`, bedtime_stop: `${day}T08:00:00Z`, timezone_offset: 0 },
    });
    await put(account, 'steps', ring, [{ time: today, value: 9_000, offset: 0 }]);
    await put(account, 'steps', phone, [{ time: today, value: 2_000, offset: 0 }]);
    await apply(account, mapSummaries(resource('sleep'), [night('ring', ring), night('phone', phone)]));
    const paths = ['/today', `/daily?resources=steps&start=${day}`, `/hourly?resources=steps&start=${day}`].concat(
      '/records/sleep?latest_per_day=true',
    );
    const get = async (path: string, tag = ''): Promise<{ status: number; tag: string; source: unknown }> => {
      const headers = { authorization: `Bearer ${await app.appToken(account)}`, 'if-none-match': tag };
      const response = await fetch(`${app.url}/v1/me${path}`, { headers });
      const text = await response.text();
      const source = /"source":\{"provider":"(\w+)"/.exec(text)?.[1] ?? null;
      return { status: response.status, tag: response.headers.get('etag') ?? '', source };
    };
    let tags = (await Promise.all(paths.map((path) => get(path)))).map(({ tag }) => tag);
    const showsNow = async (source: string): Promise<void> => {
      const answers = await Promise.all(paths.map((path, place) => get(path, tags[place])));
      expect(answers.map((one) => [one.status, one.source])).toEqual(paths.map(() => [200, source]));
      tags = answers.map(({ tag }) => tag);
      const again = await Promise.all(paths.map((path, place) => get(path, tags[place])));
      expect(again.map(({ status }) => status)).toEqual(paths.map(() => 304));
    };
    const order = async (at: string, sources: readonly object[] | null): Promise<void> => {
      for (const data_type of ['sleep', 'timeseries']) {
        await app.admin('PATCH', `${at}/source-priorities`, { data_type, sources });
      }
    };
    const first = (provider: string): object[] => [{ provider, type: null }];
    const upstreams = { sources: [{ provider: phone.provider, type: null }], listed: [], unreadable: 0 };
    await app.store.lane.run(async (tx) => {
      for (const dataType of ['sleep', 'timeseries'])
        await app.get(SourcePriorities).keep(tx, { dataType, ...upstreams });
    });
    await showsNow(phone.provider);
    await order('', first(ring.provider));
    await showsNow(ring.provider);
    await order(`/accounts/${account}`, first(phone.provider));
    await showsNow(phone.provider);
    await order(`/accounts/${account}`, null);
    await showsNow(ring.provider);
    await order('', null);
    await showsNow(phone.provider);
    // The other tests are about sources that no list names.
    await app.store.lane.run((tx) => tx.execute('DELETE FROM source_priorities'));
  });

  it('can be limited to changes since a time, from either end, with stable ids', async () => {
    const account = await person();
    const at = Date.parse('2026-11-05T10:00:00Z');
    const points = Array.from({ length: 9 }, (_, hour): Point => ({ time: at + hour * HOUR, value: hour, offset: 0 }));
    await put(account, 'steps', ring, points);
    await put(account, 'steps', phone, points);
    const list = async (query: string): Promise<Listed<{ id: string; time: string; value: number }>['data']> => {
      const all: { id: string; time: string; value: number }[] = [];
      for (let cursor = ''; ; ) {
        const path = `records/steps?limit=4&${query}${cursor && `&cursor=${cursor}`}`;
        const { body } = await read<Listed<(typeof all)[number]> & { next_cursor: string | null }>(account, path);
        all.push(...body.data);
        if (body.next_cursor === null) return all;
        cursor = body.next_cursor;
      }
    };
    const before = await list('order=oldest');
    expect(before).toHaveLength(18);
    expect(new Set(before.map(({ id }) => id)).size).toBe(18);
    expect(await list('order=newest')).toEqual(before.toReversed());
    const within = 'start=2026-11-05T12:00:00Z&end=2026-11-05T15:00:00Z';
    expect(await list(`order=newest&${within}`)).toEqual((await list(within)).toReversed());
    await app.run(SequencerWorker);
    app.clock.advance(60_000);
    const since = `updated_since=${iso(app.clock.now())}`;
    await put(account, 'steps', ring, points.slice(0, 6));
    expect(await list(since)).toEqual([]);
    await put(account, 'steps', ring, [{ time: at + HOUR, value: 77, offset: 0 }]);
    await app.run(SequencerWorker);
    await put(account, 'steps', ring, [{ time: at + 5 * HOUR, value: 88, offset: 0 }]);
    const after = await list(since);
    expect(after.map(({ value }) => value).toSorted()).toEqual([1, 5, 77, 88]);
    expect(await list(`${since}&order=newest`)).toEqual(after.toReversed());
    const edited = after.filter(({ value }) => value > 9).map(({ id }) => id);
    expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining(edited));
    expect(await list('updated_since=2020-01-01')).toHaveLength(18);
  });

  it('include what changed after the clock was set back, with a time from before', async () => {
    const account = await person();
    const at = Date.parse('2026-11-05T10:00:00Z');
    const point = (hour: number, value: number): Point => ({ time: at + hour * HOUR, value, offset: 0 });
    await put(account, 'steps', ring, [point(0, 1), point(1, 2), point(2, 3)]);
    app.clock.advance(60_000);
    await put(account, 'steps', ring, [point(0, 10)]);
    const since = `records/steps?updated_since=${iso(app.clock.now())}`;
    app.clock.step(-2 * HOUR);
    await put(account, 'steps', ring, [point(2, 30)]);
    const values = async (): Promise<number[]> =>
      (await read<Listed<{ value: number }>>(account, since)).body.data.map(({ value }) => value);
    expect(await values()).toEqual([10, 2, 30]);
    app.clock.advance(3 * HOUR);
    await app.run(SequencerWorker);
    expect(await values()).toEqual([10, 30]);
  });

  it('have the requested fields of a summary', async () => {
    const account = await person();
    const night = {
      ...{ id: '00000000-0000-4000-8000-000000000009', source: ring, calendar_date: '2026-11-19', total: 7, deep: 2 },
      ...{ bedtime_start: '2026-11-18T22:00:00Z', bedtime_stop: '2026-11-19T06:00:00Z', timezone_offset: 3_600 },
    };
    await apply(account, mapSummaries(resource('sleep'), [night]));
    const { body } = await read<Listed<object>>(account, 'records/sleep?fields=total,awake');
    expect(body.data).toMatchObject([{ data: { total: 7 }, timezone_offset: 3_600 }]);
    expect((body.data[0] as { data: object }).data).toEqual({ total: 7 });
    for (const unknown of ['total,totl', 'constructor']) {
      const refused = await read<AnswerBody>(account, `records/sleep?fields=${unknown}`);
      const errors = [{ field: 'fields', message: expect.stringContaining('fields of sleep are id, user_id,') }];
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', errors } });
    }
    expect((await read(account, 'records/steps?fields=value')).status).toBe(400);
    expect((await read(account, 'records/sleep?order=newest&latest_per_day=true')).status).toBe(400);
  });

  it('are the same for the backend, and hidden from others', async () => {
    const account = await person();
    await put(account, 'steps', ring, [{ time: START - DAY, value: 5, offset: 0 }]);
    const paths = ['today', 'latest', 'daily?resources=steps', 'hourly?resources=steps', 'records/steps'];
    for (const path of paths) {
      const [own, same] = await Promise.all([read<object>(account, path), backend<object>(account, path)]);
      expect([path, same.status, same.body]).toEqual([path, 200, own.body]);
      const stranger = await read<object>(newAccountId(), path);
      expect([path, JSON.stringify(stranger.body).includes('"value":5')]).toEqual([path, false]);
      expect((await backend(newAccountId(), path)).status).toBe(404);
    }
    expect((await app.call('GET', `/v1/accounts/${account}`, 'Bearer backend-key')).body).toEqual(
      (await app.as(account, 'GET', '/me')).body,
    );
  });

  it.each([
    ['daily?resources=sleep', 'resources'],
    ['daily?resources=steps,steps', 'resources'],
    ['daily', 'resources'],
    ['daily?resources=steps&first_day=2026-11-20&last_day=2026-11-19', 'last_day'],
    ['daily?resources=steps&first_day=2025-11-01&last_day=2026-11-20', 'last_day'],
    ['daily?resources=steps&start=2026-11-20&end=2026-11-20', 'end'],
    ['daily?resources=steps&start=2025-11-01&end=2026-11-20', 'end'],
    ['hourly?resources=steps&start=2026-11-01&end=2026-11-20', 'end'],
    ['latest?resources=workout_stream', 'resources'],
  ])('are refused as %s', async (path, field) => {
    const { status, body } = await read<{ errors: { field: string }[] }>(await person(), path);
    expect([status, body.errors[0]?.field]).toEqual([400, field]);
  });

  it.each([
    ['stepz', /the nearest is steps$/],
    ['no_such_resource', /afib_burden, .*, wheelchair_push/],
  ])('are refused for the unknown resource %s with the nearest name, or with all', async (name, words) => {
    const { body } = await read<{ errors: { message: string }[] }>(await person(), `daily?resources=${name}`);
    expect(body.errors[0]?.message).toMatch(words);
  });
});

describe('days of a person who connects a second source', () => {
  it('are partial while its history is open, because it may be the better one', async () => {
    const app = await TestApp.create({ env: { SYNC_RESOURCES: 'steps' } });
    try {
      const account = newAccountId();
      await app.as(account, 'POST', '/me/sign-in-token', {});
      const link = async (provider: string, retries: number): Promise<void> => {
        const { body } = await app.as<{ link_token: string }>(account, 'POST', '/me/link-token', { provider });
        const history = { days: 20, per_day: 3 };
        const shown = { resources: ['steps'], pulls: { steps: { retries } } };
        await app.sandbox.control.link({ link_token: body.link_token, provider, history, ...shown });
      };
      const day = async (): Promise<unknown> => {
        const { body } = await app.as<Listed<DailyDto>>(account, 'GET', '/me/daily?resources=steps&start=2026-11-12');
        const [first] = body.data[0]?.days ?? [];
        return [first?.sources?.[0]?.provider, first?.reason];
      };
      await link('oura', 0);
      await app.advance(3_600, 6);
      const told = [await day()];
      await link('fitbit', 12);
      await app.advance(180, 2);
      told.push(await day());
      await app.advance(3_600, 12);
      told.push(await day());
      expect(told).toEqual([
        ['oura', 'whole'],
        ['oura', 'upstream_pull_open'],
        ['fitbit', 'whole'],
      ]);
    } finally {
      await app.close();
    }
  });
});
