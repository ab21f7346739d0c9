import { DAY_MS, HOUR_MS, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import { resourceByName } from '../catalogue/catalogue.js';
import { shiftOf, slotsOf } from './local-slots.js';
import { type ClockRun, PersonClock } from './person-clock.js';
import { Zones } from './zones.js';

/** From `time` on, the samples of a device have this offset; null if they say none. */
interface OffsetChange {
  readonly time: number;
  readonly ahead: number | null;
}

/** The clock of a person of whom nothing but the zone and the offsets of this device are known. */
function offsetRuns(changes: readonly OffsetChange[], zone: string | null, range: TimeRange): ClockRun[] {
  const source = { provider: 'oura', source_type: 'ring' };
  const own = changes.map((one) => ({ ...one, seriesId: 1, provider: 'oura', sourceType: 'ring' }));
  return new PersonClock(new Zones(zone), own, []).runsOf({ id: 1, ...source, floating_time: 0 }, range);
}

/** A generator of numbers below 1 that is the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** When the clocks of zones change, and how many hours they are ahead of UTC from then on; written by hand. */
const changesOf: Readonly<Record<string, readonly (readonly [from: string, hours: number])[]>> = {
  'Europe/Berlin': [
    ['', 1],
    ['2026-03-29T01:00Z', 2],
    ['2026-10-25T01:00Z', 1],
  ],
  'America/New_York': [
    ['', -5],
    ['2026-03-08T07:00Z', -4],
    ['2026-11-01T06:00Z', -5],
  ],
  'America/St_Johns': [
    ['', -3.5],
    ['2026-03-08T05:30Z', -2.5],
    ['2026-11-01T04:30Z', -3.5],
  ],
  // Half an hour.
  'Australia/Lord_Howe': [
    ['', 11],
    ['2026-04-04T15:00Z', 10.5],
    ['2026-10-03T15:30Z', 11],
  ],
  'Pacific/Chatham': [
    ['', 13.75],
    ['2026-04-04T14:00Z', 12.75],
    ['2026-09-26T14:00Z', 13.75],
  ],
  'Asia/Kolkata': [['', 5.5]],
  'Asia/Kathmandu': [['', 5.75]],
  // Without 2011-12-30.
  'Pacific/Apia': [
    ['', -10],
    ['2011-12-30T10:00Z', 14],
    ['2012-03-31T14:00Z', 13],
  ],
};
const offsets = [-8, -3.5, 0, 1, 2, 5.5, 9, 14].map((hours) => hours * HOUR_MS);

function hoursAhead(zone: string | null, time: number): number {
  const known = zone === null ? [] : (changesOf[zone] ?? []);
  return known.findLast(([from]) => from === '' || new Date(from).getTime() <= time)?.[1] ?? 0;
}

/** The local date and hour of an instant, computed in another way than in the code under test. */
function wallClock(time: number, ahead: number | null, zone: string | null): string {
  return new Date(time + (ahead ?? hoursAhead(zone, time) * HOUR_MS)).toISOString().slice(0, 13).replace('T', ' ');
}

interface Person {
  readonly zone: string | null;
  readonly changes: OffsetChange[];
  readonly from: string;
  readonly to: string;
}

interface Story {
  readonly zones: readonly (string | null)[];
  /** Possible first days. */
  readonly firsts: readonly number[];
  /** The longest time in which the person stays at one offset. */
  readonly stay: number;
}

const ofThisYear: Story = {
  zones: [...Object.keys(changesOf).filter((zone) => zone !== 'Pacific/Apia'), null],
  firsts: [Date.UTC(2026, 2, 1), Date.UTC(2026, 8, 20), Date.UTC(2026, 9, 1)],
  stay: 15 * DAY_MS,
};

/** Forty days around a clock change, on which the person travels or wears a device that sends no offset. */
function personOf(next: () => number, { zones, firsts, stay }: Story): Person {
  const first = (firsts[Math.floor(next() * firsts.length)] ?? 0) + Math.floor(next() * 20) * DAY_MS;
  const zone = zones[Math.floor(next() * zones.length)] ?? null;
  const changes: OffsetChange[] = [];
  for (let time = first - DAY_MS; time < first + 41 * DAY_MS; time += Math.ceil(next() * stay)) {
    changes.push({ time, ahead: next() < 0.4 ? null : (offsets[Math.floor(next() * offsets.length)] ?? 0) });
  }
  const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { zone, changes, from: date(first), to: date(first + 39 * DAY_MS) };
}

/** Counts a person's samples, one every 95 minutes: by slot, and by the wall clock of each sample. */
function counted({ zone, changes, from, to }: Person, size: number): Record<'slots' | 'clocks', Map<string, number>> {
  const start = startOfDate(from) - 2 * DAY_MS;
  const end = startOfDate(to) + 3 * DAY_MS;
  const times = Array.from({ length: (end - start) / 5_700_000 }, (_, index) => start + index * 5_700_000);
  const length = size === DAY_MS ? 10 : 13;
  const clocks = new Map<string, number>();
  for (const time of times) {
    const { ahead } = changes.findLast((change) => change.time <= time) ?? { ahead: changes[0]?.ahead ?? null };
    const text = wallClock(time, ahead, zone).slice(0, length);
    if (text.slice(0, 10) >= from && text.slice(0, 10) <= to) clocks.set(text, (clocks.get(text) ?? 0) + 1);
  }
  const slots = new Map<string, number>();
  for (const slot of slotsOf(offsetRuns(changes, zone, { start, end }), { from, to }, size)) {
    const text = new Date(slot.local).toISOString().slice(0, length).replace('T', ' ');
    const [first, past] = [slot.start, slot.end].map((time) => Math.ceil((time - start) / 5_700_000));
    const count = (past ?? 0) - (first ?? 0);
    if (count > 0) slots.set(text, (slots.get(text) ?? 0) + count);
    if (slot.date !== text.slice(0, 10)) throw new Error(`${slot.date} is not the date of ${text}`);
  }
  return { slots, clocks };
}

describe('the day of what is measured in a night', () => {
  it.each([
    ['hypnogram', '2026-11-20', '2026-11-21', '2026-11-21'],
    ['sleep_breathing_disturbance', '2026-11-20', '2026-11-21', '2026-11-21'],
    ['heartrate', '2026-11-20', '2026-11-20', '2026-11-21'],
  ])('of %s begins in the evening', (name, atFive, atEleven, atThree) => {
    const shift = shiftOf(resourceByName(name) ?? { ofNight: false });
    const start = Date.UTC(2026, 10, 19);
    const runs = [{ start, end: start + 5 * DAY_MS, ahead: HOUR_MS + shift }];
    const slots = slotsOf(runs, { from: '2026-11-19', to: '2026-11-22' }, DAY_MS);
    const dayAt = (local: number): unknown => {
      const time = local - HOUR_MS;
      return slots.find((slot) => time >= slot.start && time < slot.end)?.date;
    };
    const at = (day: number, hour: number): unknown => dayAt(Date.UTC(2026, 10, day, hour));
    expect([at(20, 17), at(20, 23), at(21, 3)]).toEqual([atFive, atEleven, atThree]);
  });
});

describe('local days and hours', () => {
  it('contain the samples with their wall-clock time, on 20,000 days of travelling people', () => {
    const next = random(7);
    for (let person = 0; person < 500; person++) {
      const { slots, clocks } = counted(personOf(next, ofThisYear), DAY_MS);
      expect(slots).toEqual(clocks);
    }
  });

  it('contain the samples of each hour in the same way', () => {
    const next = random(11);
    for (let person = 0; person < 20; person++) {
      const { slots, clocks } = counted(personOf(next, ofThisYear), HOUR_MS);
      expect(slots).toEqual(clocks);
    }
  });

  it.each([DAY_MS, HOUR_MS])('contain them in the same way if a person moves several times a day (%i ms)', (size) => {
    const next = random(13);
    for (let person = 0; person < 25; person++) {
      const { slots, clocks } = counted(personOf(next, { ...ofThisYear, stay: 9 * HOUR_MS }), size);
      expect(slots).toEqual(clocks);
    }
  });

  it.each([DAY_MS, HOUR_MS])('contain them in the same way if a complete day is skipped (%i ms)', (size) => {
    const next = random(17);
    const skipped = { zones: ['Pacific/Apia'], firsts: [Date.UTC(2011, 11, 1)], stay: 60 * DAY_MS };
    for (let person = 0; person < 25; person++) {
      const { slots, clocks } = counted(personOf(next, skipped), size);
      expect(slots).toEqual(clocks);
    }
    const range = { start: Date.UTC(2011, 11, 25), end: Date.UTC(2012, 0, 5) };
    const runs = offsetRuns([{ time: 0, ahead: null }], 'Pacific/Apia', range);
    const dates = slotsOf(runs, { from: '2011-12-28', to: '2012-01-01' }, DAY_MS).map(({ date }) => date);
    expect(dates).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
  });

  it.each([
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-06-01', 'Europe/Berlin', 24],
    ['2026-06-01', 'Asia/Kathmandu', 24],
  ])('of %s in %s are %i', (date, zone, hours) => {
    const range = { start: startOfDate(date) - DAY_MS, end: startOfDate(date) + 2 * DAY_MS };
    const runs = offsetRuns([{ time: 0, ahead: null }], zone, range);
    const slots = slotsOf(runs, { from: date, to: date }, HOUR_MS);
    expect(slots).toHaveLength(hours);
    expect(new Set(slots.map(({ local, ahead }) => local - ahead)).size).toBe(hours);
    const days = slotsOf(runs, { from: date, to: date }, DAY_MS);
    expect(days.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(hours * HOUR_MS);
  });

  it.each([
    ['2026-10-04', 23.5, ['00:00', '01:00', '02:00', '03:00']],
    ['2026-04-05', 24.5, ['00:00', '01:00', '01:00', '02:00']],
  ])('of %s on Lord Howe are %d: each hour contains the samples between its wall-clock times', (date, hours, first) => {
    const range = { start: startOfDate(date) - DAY_MS, end: startOfDate(date) + 2 * DAY_MS };
    const runs = offsetRuns([{ time: 0, ahead: null }], 'Australia/Lord_Howe', range);
    const slots = slotsOf(runs, { from: date, to: date }, HOUR_MS);
    expect(slots.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(hours * HOUR_MS);
    expect(slots.slice(0, 4).map(({ local }) => new Date(local).toISOString().slice(11, 16))).toEqual(first);
    expect(slots.filter(({ start, end }) => end - start === HOUR_MS / 2)).toHaveLength(1);
    for (const [index, slot] of slots.entries()) if (index > 0) expect(slot.start).toBe(slots[index - 1]?.end);
  });
});
