// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { MINUTE } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { Person, type Sent } from './support/person.js';

/* What several devices and apps of one person say of a day (docs/meaning.md), each with the answer that is right. */

describe('a day of several devices', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false });
  });
  afterAll(() => app.close());

  const DAY = '2026-11-10';
  const personOn = (day = DAY): Promise<Person> => Person.on(app, day);
  const source = (provider: string, type: string): object => ({ provider, type });
  const [pump, phone] = [source('tandem_source', 'insulin_pump'), source('apple_health_kit', 'phone')];
  const [watch, ring] = [source('apple_health_kit', 'watch'), source('oura', 'ring')];
  const diary = source('my_fitness_pal_v2', 'app');
  /** Equal readings, one every so many minutes. */
  const every = (minutes: number, value: number, more: object = {}): Sent[] =>
    Array.from({ length: (24 * 60) / minutes }, (_, index) => ({ at: index * minutes, value, ...more }));
  const hoursAddUp = async (person: Person, name: string): Promise<number> =>
    (await person.hours(name)).reduce((sum, { sum: own = 0 }) => sum + own, 0);

  it('has one basal rate of a pump at a time, also if each segment was planned beyond the next one', async () => {
    const person = await personOn();
    const basal = { type: 'rapid_acting', delivery_mode: 'basal' };
    // Each five minutes, 0.6 units for the next half an hour; two of them are a pause.
    const planned = Array.from({ length: 12 }, (_, index): Sent => {
      return { ...basal, at: 480 + index * 5, minutes: 30, value: index === 4 || index === 5 ? 0 : 0.6 };
    });
    await person.sends('insulin_injection', pump, [
      ...planned,
      { at: 500, value: 4, type: 'rapid_acting', delivery_mode: 'bolus' },
      { at: 485, minutes: 60, value: 2, type: 'rapid_acting', delivery_mode: 'bolus', delivery_form: 'extended' },
    ]);
    const flowed = 9 * 0.1 + 0.6;
    const day = await person.daily('insulin_injection');
    expect(day).toMatchObject({ sum: expect.closeTo(flowed + 4 + 2, 9), count: 14 });
    expect(day.left_out).toEqual([expect.objectContaining({ samples: 11, sum: expect.closeTo(6 - flowed, 9) })]);
    expect(await hoursAddUp(person, 'insulin_injection')).toBeCloseTo(flowed + 6, 9);
  });

  it('has the basal rate that was sent last, if an hour comes again in other parts', async () => {
    const person = await personOn();
    const basal = { type: 'rapid_acting', delivery_mode: 'basal' };
    await person.sends('insulin_injection', pump, [{ ...basal, at: 480, minutes: 60, value: 1.2 }]);
    await person.sends('insulin_injection', pump, [
      { ...basal, at: 485, minutes: 55, value: 1.1 },
      { ...basal, at: 540, minutes: 60, value: 1.2 },
    ]);
    expect(await person.daily('insulin_injection')).toMatchObject({ sum: expect.closeTo(2.4, 9), count: 3 });
  });

  it('has every dose and glass once, wherever it was written down', async () => {
    const person = await personOn();
    const bolus = { type: 'rapid_acting', delivery_mode: 'bolus' };
    await person.sends('insulin_injection', pump, [{ ...bolus, at: 540, value: 5 }]);
    await person.sends('insulin_injection', diary, [
      { ...bolus, at: 541, value: 5 },
      { ...bolus, at: 580, value: 2 },
    ]);
    const day = await person.daily('insulin_injection');
    expect(day).toMatchObject({ sum: 7, count: 2 });
    expect(day.left_out).toEqual([expect.objectContaining({ samples: 1, sum: 5 })]);
    // The same glass on both sides of a full hour; with a second of duration; in rounded units; and one more.
    await person.sends('water', source('fitbit', 'app'), [
      { at: 659.7, value: 250 },
      { at: 720, minutes: 1 / 60, value: 250 },
      { at: 780, value: 236.588 },
    ]);
    await person.sends('water', diary, [
      { at: 660.2, value: 250 },
      { at: 720.5, minutes: 1 / 60, value: 250 },
      { at: 800, value: 237 },
      { at: 810, value: 237 },
    ]);
    expect(await person.daily('water')).toMatchObject({ sum: 250 + 250 + 236.588 + 237, count: 4 });
    expect(await hoursAddUp(person, 'water')).toBeCloseTo(973.588, 9);
  });

  it('has the glasses of an app within the hour of another that only has their sum', async () => {
    const person = await personOn();
    await person.sends('water', diary, [{ at: 600, minutes: 60, value: 500 }]);
    await person.sends('water', phone, [
      { at: 610, value: 250 },
      { at: 640, value: 250 },
    ]);
    expect(await person.daily('water')).toMatchObject({ sum: 500, count: 1 });
  });

  it('has no more than the total of a day that a source sends in one piece, or than what was counted in it', async () => {
    const person = await personOn();
    const walk = Array.from({ length: 10 }, (_, hour): Sent => ({ at: 480 + hour * 60, minutes: 60, value: 500 }));
    await person.sends('steps', watch, walk);
    await person.sends('steps', source('polar', 'phone'), [{ at: 0, minutes: 1_440, value: 8_000 }]);
    expect(await person.daily('steps')).toMatchObject({ sum: 8_000, count: 11 });
    expect(await hoursAddUp(person, 'steps')).toBeCloseTo(8_000, 6);
    const other = await personOn();
    await other.sends('steps', watch, walk);
    await other.sends('steps', source('polar', 'phone'), [{ at: 0, minutes: 1_440, value: 4_000 }]);
    expect(await other.daily('steps')).toMatchObject({ sum: 5_000, count: 10 });
  });

  it('has the readings of what measures all day, not those of a moment or of one session', async () => {
    const person = await personOn();
    await person.sends('glucose', source('accuchek_ble', 'fingerprick'), [{ at: 420, value: 12 }]);
    await person.sends('glucose', source('dexcom_v3', 'automatic'), every(5, 6));
    expect(await person.daily('glucose')).toMatchObject({ count: 288, mean: 6, source: { type: 'automatic' } });
    const run = Array.from({ length: 60 }, (_, at): Sent => ({ at: 1_080 + at, value: 150 }));
    await person.sends('heartrate', source('apple_health_kit', 'chest_strap'), run);
    await person.sends('heartrate', source('beurer_api', 'cuff'), [{ at: 430, value: 90 }]);
    await person.sends('heartrate', source('withings', 'scale'), [{ at: 430, value: 80 }]);
    await person.sends('heartrate', ring, every(5, 62));
    expect(await person.daily('heartrate')).toMatchObject({ count: 288, mean: 62, source: { type: 'ring' } });
    expect((await person.hours('heartrate')).every(({ mean }) => mean === 62)).toBe(true);
    const pressure = (at: number, systolic: number): Sent => ({ at, value: 0, systolic, diastolic: 70 });
    await person.sends('blood_pressure', source('garmin', 'watch'), [pressure(540, 111)]);
    await person.sends('blood_pressure', source('omron', 'cuff'), [pressure(480, 130)]);
    expect(await person.daily('blood_pressure')).toMatchObject({ systolic: { mean: 130 }, source: { type: 'cuff' } });
  });

  it('has no number that is not one of the body: the temperature as its difference, or the largest of two bytes', async () => {
    const person = await personOn();
    const at = (...values: number[]): Sent[] => values.map((value, hour) => ({ at: hour * 60, value }));
    await person.sends('body_temperature_delta', ring, at(0.2, 34.1, -0.4));
    await person.sends('body_temperature', ring, at(34.3, 3_432, 0.3));
    await person.sends('heartrate', ring, at(60, 65_535));
    await person.sends('hrv', ring, at(50, 65_535));
    await person.sends('respiratory_rate', ring, at(14, 65_535));
    await person.sends('glucose', ring, at(5, 65_535));
    await person.sends('vo2_max', ring, at(45, 65_535));
    const numbers = { body_temperature_delta: -0.1, body_temperature: 34.3, heartrate: 60, hrv: 50 };
    for (const [name, mean] of Object.entries({ ...numbers, respiratory_rate: 14, glucose: 5, vo2_max: 45 })) {
      expect([name, (await person.daily(name)).mean]).toEqual([name, expect.closeTo(mean, 9)]);
      expect((await person.isToldOf(name)).notes).toContainEqual(expect.objectContaining({ code: 'no_readings' }));
    }
    expect(await person.latest('heartrate')).toBe(60);
  });

  it('has the activity of a person in a wheelchair, not the steps that their phone made', async () => {
    const person = await personOn();
    const ofDay = { calendar_date: DAY };
    const pushed = { steps: 0, distance: 0, wheelchair_use: true, wheelchair_push: 3_200 };
    await person.sendsSummary('activity', watch, [0, 900], { ...ofDay, ...pushed, id: 'watch' });
    await person.sendsSummary('activity', phone, [0, 800], { ...ofDay, id: 'phone', steps: 40 });
    expect(await person.shown('activity')).toEqual(['watch']);
  });

  it('has both parts of a night with a pause as the night, and the longer one as the last one', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const now = (app.clock.now() - Date.parse(today)) / MINUTE;
    const person = await personOn(today);
    const ofDay = { calendar_date: today, total: 10_000 };
    const [long, short] = [
      { ...ofDay, id: 'long', type: 'long_sleep' },
      { ...ofDay, id: 'short', type: 'short_sleep' },
    ];
    await person.sendsSummary('sleep', ring, [now - 600, now - 320], long);
    await person.sendsSummary('sleep', ring, [now - 260, now - 90], short);
    expect(await person.shown('sleep')).toEqual(['long', 'short']);
    expect(await person.today()).toMatchObject({
      sleep: { id: 'long' },
      last_night: { record: { id: 'long' }, other_nights: 1 },
    });
    const { notes } = await person.isToldOf('sleep');
    expect(notes.map(({ code }) => code)).not.toContain('hidden_by_better');
  });
});
