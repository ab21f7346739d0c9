import { DAY_MS, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { type OffsetChange, offsetRuns, slotsOf } from './local-slots.js';

/** A generator of numbers below 1, the same at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const zones = ['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', null];
const offsets = [-8, -3.5, 0, 1, 2, 5.5, 9, 14].map((hours) => hours * HOUR_MS);

/** The local date and hour of an instant, by another way than the code under test. */
const formats = new Map(
  zones.map((zone) => {
    const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' } as const;
    return [zone, new Intl.DateTimeFormat('sv-SE', { timeZone: zone ?? 'UTC', ...numbers })];
  }),
);
function wallClock(time: number, ahead: number | null, zone: string | null): string {
  const text = ahead === null ? formats.get(zone)?.format(time) : new Date(time + ahead).toISOString();
  return (text ?? '').slice(0, 13).replace('T', ' ');
}

interface Person {
  readonly zone: string | null;
  readonly changes: OffsetChange[];
  readonly from: string;
  readonly to: string;
}

/** Forty days around a change of clocks, on which the person travels or wears something without an offset. */
function personOf(next: () => number): Person {
  const first = Date.UTC(2026, [2, 9][Math.floor(next() * 2)] ?? 2, 1 + Math.floor(next() * 20));
  const zone = zones[Math.floor(next() * zones.length)] ?? null;
  const changes: OffsetChange[] = [];
  for (let time = first - DAY_MS; time < first + 41 * DAY_MS; time += Math.ceil(next() * 15 * DAY_MS)) {
    changes.push({ time, ahead: next() < 0.4 ? null : (offsets[Math.floor(next() * offsets.length)] ?? 0) });
  }
  const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return { zone, changes, from: date(first), to: date(first + 39 * DAY_MS) };
}

/** Counts of the samples of a person, one every 95 minutes, by slot; and by the wall clock of each sample. */
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

describe('local days and hours', () => {
  it('hold the samples whose wall clock shows them, on 20,000 days of people who travel', () => {
    const next = random(7);
    for (let person = 0; person < 500; person++) {
      const { slots, clocks } = counted(personOf(next), DAY_MS);
      expect(slots).toEqual(clocks);
    }
  });

  it('hold the samples of each hour alike', () => {
    const next = random(11);
    for (let person = 0; person < 20; person++) {
      const { slots, clocks } = counted(personOf(next), HOUR_MS);
      expect(slots).toEqual(clocks);
    }
  });

  it.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
    ['2026-06-01', 24],
  ])('of %s in Berlin are %i', (date, hours) => {
    const range = { start: startOfDate(date) - DAY_MS, end: startOfDate(date) + 2 * DAY_MS };
    const runs = offsetRuns([{ time: 0, ahead: null }], 'Europe/Berlin', range);
    const slots = slotsOf(runs, { from: date, to: date }, HOUR_MS);
    expect(slots).toHaveLength(hours);
    expect(new Set(slots.map(({ local, ahead }) => local - ahead)).size).toBe(hours);
    const days = slotsOf(runs, { from: date, to: date }, DAY_MS);
    expect(days.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(hours * HOUR_MS);
  });
});
