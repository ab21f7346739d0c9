// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { MINUTE } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { Person, type Sent } from './support/person.js';

/* Days of people who have several devices, units and clocks (docs/meaning.md), each with the answer that is right. */

describe('an ordinary day', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false });
  });
  afterAll(() => app.close());

  const personOn = (day: string, zone?: string): Promise<Person> => Person.on(app, day, zone);

  const pump = { provider: 'tandem_source', type: 'insulin_pump' };
  const watch = { provider: 'apple_health_kit', type: 'watch' };
  const phone = { provider: 'apple_health_kit', type: 'phone' };
  const app3 = { provider: 'apple_health_kit', type: 'app' };
  const libre = { provider: 'freestyle_libre', type: 'automatic' };
  const basal = Array.from({ length: 24 }, (_, hour): Sent => {
    return { at: hour * 60, minutes: 60, value: 0.8, type: 'rapid_acting', delivery_mode: 'basal' };
  });

  it('has the dose of a pen beside the basal rate of a pump', async () => {
    const person = await personOn('2026-11-10');
    const bolus = { value: 5, type: 'rapid_acting', delivery_mode: 'bolus' };
    await person.sends('insulin_injection', pump, [...basal, { ...bolus, at: 540 }]);
    // The app has the bolus of the pump, too, and does not say how the pen's dose was delivered.
    await person.sends('insulin_injection', app3, [
      { ...bolus, at: 541 },
      { at: 800, value: 3, type: 'rapid_acting' },
    ]);
    const day = await person.daily('insulin_injection');
    expect(day).toMatchObject({ sum: expect.closeTo(24 * 0.8 + 5 + 3, 9), count: 26 });
    expect(day.left_out).toEqual([expect.objectContaining({ ...app3, samples: 1, sum: 5 })]);
    const hours = await person.hours('insulin_injection');
    expect(hours.reduce((sum, { sum: own = 0 }) => sum + own, 0)).toBeCloseTo(27.2, 9);
  });

  it('has one basal rate of two apps, also if one of them does not name it', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('insulin_injection', pump, basal);
    await person.sends(
      'insulin_injection',
      app3,
      basal.map(({ delivery_mode: _, ...dose }) => dose),
    );
    expect(await person.daily('insulin_injection')).toMatchObject({ sum: expect.closeTo(19.2, 9), count: 24 });
  });

  it('has the steps of the phone where the watch counted less than none', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('steps', watch, [
      { at: 480, minutes: 60, value: -500 },
      { at: 600, minutes: 60, value: 100 },
    ]);
    await person.sends('steps', phone, [{ at: 480, minutes: 60, value: 700 }]);
    expect(await person.daily('steps')).toMatchObject({ sum: 800, count: 2 });
    expect((await person.hours('steps')).map(({ sum }) => sum)).toEqual([700, 100]);
    const alone = await personOn('2026-11-10');
    await alone.sends('steps', watch, [
      { at: 480, minutes: 60, value: -500 },
      { at: 600, minutes: 60, value: 100 },
    ]);
    expect(await alone.daily('steps')).toMatchObject({ sum: 100, count: 1 });
  });

  it('has one number of spellings of one unit, as phones, scales and pumps write them', async () => {
    const person = await personOn('2026-11-10');
    const each = (units: Readonly<Record<string, number>>): Sent[] =>
      Object.entries(units).map(([unit, value], hour) => ({ at: hour * 60, value, unit }));
    await person.sends('glucose', app3, each({ 'mmol<180.1558800000541>/L': 6, 'mg/dL': 90.078, 'mmol/l': 7 }));
    await person.sends('body_weight', app3, each({ kg: 80, stone: 12.6, Pounds: 176.4 }));
    await person.sends('hrv', app3, each({ rmssd: 40, ms: 60 }));
    await person.sends('basal_body_temperature', app3, each({ '°C': 37, '℉': 98.6, 'deg F': 98.6 }));
    expect(await person.daily('glucose')).toMatchObject({ unit: 'mmol/L', mean: 6, min: 5, max: 7 });
    expect(await person.daily('body_weight')).toMatchObject({ unit: 'kg', mean: expect.closeTo(80.009, 2) });
    expect(await person.daily('hrv')).toMatchObject({ unit: 'rmssd', mean: 50 });
    expect(await person.daily('basal_body_temperature')).toMatchObject({ unit: '°C', mean: expect.closeTo(37, 9) });
  });

  it('has the readings of a wall clock in the hours that it showed, also in one that a change of clocks skips', async () => {
    const spring = await personOn('2026-03-08', 'America/New_York');
    const readings = [105, 135, 195].map((at, index): Sent => ({ at, value: 5 + index, timezone_offset: null }));
    await spring.sends('glucose', libre, readings);
    expect(await spring.daily('glucose')).toMatchObject({ count: 3, mean: 6 });
    expect((await spring.hours('glucose')).map(({ local_time }) => local_time.slice(11, 13))).toEqual([
      '01',
      '02',
      '03',
    ]);
    const autumn = await personOn('2026-11-01', 'America/New_York');
    await autumn.sends('glucose', libre, [...readings, { at: 1_435, value: 6, timezone_offset: null }]);
    expect(await autumn.daily('glucose')).toMatchObject({ count: 4, mean: 6 });
  });

  it('is received if it has a part of an interval that began the evening before', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('mindfulness_minutes', app3, [{ at: -30, minutes: 60, value: 60 }]);
    expect(await person.daily('mindfulness_minutes')).toMatchObject({ sum: 30 });
    for (const day of ['2026-11-09', '2026-11-10'])
      expect([day, (await person.isToldOf('mindfulness_minutes', day)).state]).toEqual([day, 'received']);
    expect((await person.isToldOf('mindfulness_minutes', '2026-11-11')).state).not.toBe('received');
  });

  it('is that of the place where the person slept, if nothing else says where they are', async () => {
    const ring = { provider: 'oura', type: 'ring' };
    const auckland = await personOn('2026-11-10');
    const night = [-960, -360] as const;
    await auckland.sendsSummary('sleep', ring, night, { calendar_date: '2026-11-10', timezone_offset: 46_800 });
    await auckland.sendsSummary('sleep_cycle', ring, night, { time_zone: null });
    await auckland.sends('steps', phone, [{ at: -600, minutes: 1, value: 40, timezone_offset: null }]);
    expect((await auckland.isToldOf('sleep_cycle')).state).toBe('received');
    expect((await auckland.isToldOf('sleep_cycle', '2026-11-09')).state).not.toBe('received');
    await auckland.sendsSummary('sleep_cycle', ring, [480, 1_080], { id: 'next', time_zone: null });
    const ofDay = (day: string) => auckland.values('sleep_cycle', `?first_day=${day}&last_day=${day}`);
    expect(await ofDay('2026-11-10')).toHaveLength(1);
    expect(await ofDay('2026-11-11')).toEqual([expect.objectContaining({ id: 'next' })]);
    expect(await auckland.daily('steps')).toMatchObject({ sum: 40 });
    // A zone that is known decides.
    const berlin = await personOn('2026-11-09', 'Europe/Berlin');
    await berlin.sendsSummary('sleep', ring, [-960, -360], { calendar_date: '2026-11-09', timezone_offset: 46_800 });
    await berlin.sends('steps', phone, [{ at: 840, minutes: 1, value: 40, timezone_offset: null }]);
    expect(await berlin.daily('steps')).toMatchObject({ sum: 40 });
  });

  it('has whole hours where clocks differ from UTC by a part of an hour, and where they change by half of one', async () => {
    const walk = (from: number, to: number): Sent[] =>
      Array.from({ length: (to - from) / 30 }, (_, index) => {
        return { at: from + index * 30, minutes: 30, value: 100, timezone_offset: null };
      });
    const kathmandu = await personOn('2026-11-10', 'Asia/Kathmandu');
    await kathmandu.sends('steps', phone, walk(-720, 2_160));
    expect(await kathmandu.daily('steps')).toMatchObject({ sum: 4_800 });
    const hours = await kathmandu.hours('steps');
    expect([hours.length, hours[0]?.local_time.slice(11, 16)]).toEqual([24, '00:00']);
    expect(hours.every(({ sum }) => sum === 200)).toBe(true);
    const lordHowe = await personOn('2026-04-05', 'Australia/Lord_Howe');
    await lordHowe.sends('steps', phone, walk(-720, 2_160));
    expect(await lordHowe.daily('steps')).toMatchObject({ sum: 4_900 });
    const longer = await lordHowe.hours('steps');
    expect(longer.map(({ sum }) => sum).slice(0, 4)).toEqual([200, 200, 100, 200]);
    expect(longer.map(({ local_time }) => local_time.slice(11, 13)).slice(0, 4)).toEqual(['00', '01', '01', '02']);
  });

  it('has no value that nobody can have, which devices send where they read nothing', async () => {
    const person = await personOn('2026-11-10');
    const at = (...values: number[]): Sent[] => values.map((value, hour) => ({ at: hour * 60, value }));
    await person.sends('heartrate', watch, at(60, 0, 255, 70, -1));
    await person.sends('hrv', watch, at(40, 0, 50));
    await person.sends('stress_level', watch, at(0, 30, -1, -2));
    await person.sends('blood_oxygen', watch, at(96, 0, 98, 127));
    await person.sends('glucose', app3, at(0, 6));
    await person.sends('body_temperature', app3, at(36.6, 0));
    await person.sends('body_temperature_delta', watch, at(0, -0.4));
    await person.sends('insulin_injection', pump, at(5, -0.4));
    const pressures = [
      [120, 80],
      [0, 0],
      [130, 0],
      [110, 70],
    ] as const;
    await person.sends(
      'blood_pressure',
      { provider: 'omron', type: 'cuff' },
      pressures.map(([systolic, diastolic], hour) => ({ at: hour * 60, value: 0, systolic, diastolic })),
    );
    expect(await person.daily('heartrate')).toMatchObject({ count: 2, mean: 65, min: 60, max: 70, last: 70 });
    expect((await person.hours('heartrate')).map(({ mean }) => mean)).toEqual([60, 70]);
    expect(await person.values('heartrate', '?every=1h')).toMatchObject([{ mean: 60 }, { mean: 70 }]);
    expect(await person.values('heartrate')).toEqual([60, 0, 255, 70, -1]);
    expect(await person.latest('heartrate')).toBe(70);
    expect(await person.daily('hrv')).toMatchObject({ count: 2, mean: 45 });
    expect(await person.daily('stress_level')).toMatchObject({ count: 2, mean: 15 });
    expect(await person.daily('blood_oxygen')).toMatchObject({ count: 2, mean: 97 });
    expect(await person.daily('glucose')).toMatchObject({ count: 1, mean: 6 });
    expect(await person.daily('body_temperature')).toMatchObject({ count: 1, mean: 36.6 });
    expect(await person.daily('body_temperature_delta')).toMatchObject({ count: 2, mean: -0.2 });
    expect(await person.daily('insulin_injection')).toMatchObject({ count: 1, sum: 5 });
    const pressure = await person.daily('blood_pressure');
    expect(pressure).toMatchObject({ count: 2, systolic: { mean: 115 }, diastolic: { mean: 75 } });
    const { notes } = await person.isToldOf('heartrate');
    expect(notes).toEqual([expect.objectContaining({ code: 'no_readings', records: 3 })]);
  });

  it('is of the next source if the best one only says that it read nothing', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('heartrate', watch, [{ at: 480, value: 0 }]);
    await person.sends('heartrate', phone, [{ at: 420, value: 64 }]);
    expect(await person.daily('heartrate')).toMatchObject({ count: 1, mean: 64, source: { type: 'phone' } });
    expect(await person.latest('heartrate')).toBe(64);
    const alone = await personOn('2026-11-10');
    await alone.sends('heartrate', watch, [{ at: 480, value: 0 }]);
    expect(await alone.daily('heartrate')).toBeUndefined();
    expect(await alone.latest('heartrate')).toBeUndefined();
    expect((await alone.isToldOf('heartrate')).state).toBe('received');
  });

  it('has percentages of blood and of the body, also where a source sends a part of one', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('blood_oxygen', watch, [
      { at: 0, value: 0.95 },
      { at: 60, value: 97 },
      { at: 120, value: 1 },
    ]);
    await person.sends('body_fat', app3, [{ at: 0, value: 0.215 }]);
    await person.sends('stress_level', watch, [{ at: 0, value: 1 }]);
    expect(await person.daily('blood_oxygen')).toMatchObject({ unit: '%', mean: 97.3333333333, min: 95, max: 100 });
    expect((await person.hours('blood_oxygen')).map(({ mean }) => mean)).toEqual([95, 97, 100]);
    expect(await person.values('blood_oxygen')).toEqual([0.95, 97, 1]);
    expect(await person.daily('body_fat')).toMatchObject({ mean: 21.5 });
    expect(await person.daily('stress_level')).toMatchObject({ mean: 1 });
  });

  it('has no blood pressure whose numbers are the wrong way round', async () => {
    const person = await personOn('2026-11-10');
    await person.sends('blood_pressure', { provider: 'omron', type: 'cuff' }, [
      { at: 480, value: 0, systolic: 80, diastolic: 120 },
      { at: 500, value: 0, systolic: 120, diastolic: 80 },
    ]);
    expect(await person.daily('blood_pressure')).toMatchObject({ count: 1, systolic: { mean: 120 } });
  });

  it('has the night that its source confirmed, and the body of the scale beside a watch that weighs nothing', async () => {
    const person = await personOn('2026-11-10');
    const ofDay = { calendar_date: '2026-11-10' };
    const garmin = { provider: 'garmin', type: 'watch' };
    const night = { ...ofDay, type: 'long_sleep', total: 24_000 };
    await person.sendsSummary('sleep', garmin, [-120, 420], { ...night, id: 'guess', state: 'tentative' });
    await person.sendsSummary('sleep', garmin, [-90, 390], { ...night, id: 'sure', state: 'confirmed' });
    expect(await person.shown('sleep')).toEqual(['sure']);
    await person.sendsSummary('body', watch, [0, 900], { ...ofDay, id: 'watch', weight: null, fat: 0 });
    await person.sendsSummary('body', { provider: 'withings', type: 'scale' }, [0, 400], {
      ...{ ...ofDay, id: 'scale', weight: 80.1 },
    });
    expect(await person.shown('body')).toEqual(['scale']);
    await person.sendsSummary('activity', watch, [0, 900], { ...ofDay, id: 'table', steps: -1, distance: 0 });
    await person.sendsSummary('activity', phone, [0, 800], { ...ofDay, id: 'phone', steps: 9_600 });
    expect(await person.shown('activity')).toEqual(['phone']);
  });

  it('has no forecast of anything', async () => {
    const person = await personOn('2026-11-10');
    const ofDay = { calendar_date: '2026-11-10', type: 'long_sleep', total: 20_000 };
    const ring = { provider: 'oura', type: 'ring' };
    await person.sendsSummary('sleep', ring, [-60, 480], { ...ofDay, id: 'plan', is_predicted: true });
    const { state, notes } = await person.isToldOf('sleep');
    expect([await person.shown('sleep'), state === 'received', notes]).toEqual([
      [],
      false,
      [expect.objectContaining({ code: 'forecasts', records: 1 })],
    ]);
    await person.sendsSummary('sleep', ring, [-30, 400], { ...ofDay, id: 'night' });
    expect(await person.shown('sleep')).toEqual(['night']);
    expect((await person.isToldOf('sleep')).state).toBe('received');
  });

  it('has the night as the last one after a siesta of three hours, and no heart rate of a byte', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const now = (app.clock.now() - Date.parse(today)) / MINUTE;
    const person = await personOn(today);
    const ring = { provider: 'oura', type: 'ring' };
    const ofDay = { calendar_date: today, type: 'long_sleep', total: 10_000 };
    await person.sendsSummary('sleep', ring, [now - 720, now - 300], { ...ofDay, id: 'night', hr_resting: 255 });
    await person.sendsSummary('sleep', ring, [now - 200, now - 15], { ...ofDay, id: 'siesta', hr_resting: 64 });
    expect(await person.today()).toMatchObject({
      sleep: { id: 'night' },
      last_night: { record: { id: 'night' }, other_nights: 1, resting_heart_rate: null },
      resting_heart_rate: null,
    });
  });
});
