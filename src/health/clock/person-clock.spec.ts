import { DAY_MS, HOUR_MS, parseInstant } from '../../platform/platform/time.js';
import { slotsOf } from './local-slots.js';
import { OFFSET_REACH_MS, PersonClock, type SeenOffset } from './person-clock.js';
import { Zones } from './zones.js';

/** Jest prints it: run the same people again with `--seed=...`. */
const seed = Math.abs(jest.getSeed()) % 1_000_000;

/** A generator of numbers below 1 that is the same for the same seed. */
function random(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const zoneNames = [
  ...['Europe/Berlin', 'America/New_York', 'America/Los_Angeles', 'Australia/Lord_Howe', 'Asia/Kathmandu'],
  ...['Asia/Tokyo', 'Pacific/Auckland', 'Pacific/Honolulu', 'Africa/Cairo', null],
];
const offsets = [-10, -8, -5, -3.5, 0, 1, 2, 5.75, 9, 13].map((hours) => hours * HOUR_MS);
const sources = ['oura', 'garmin', 'dexcom'];
const DAYS = 40;
/** 2,500 people are 100,000 days, which take minutes. */
const PEOPLE = 50;

interface Person {
  readonly first: number;
  readonly present: string | null;
  readonly former: readonly { until: number; time_zone: string }[];
  readonly own: readonly SeenOffset[];
  readonly known: readonly SeenOffset[];
}

/** Forty days around a change of clocks, with moves, and records that say an offset or none. */
function personOf(next: () => number): Person {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const first = pick([Date.UTC(2026, 2, 1), Date.UTC(2026, 8, 20), Date.UTC(2026, 9, 15)]);
  const former: { until: number; time_zone: string }[] = [];
  for (let at = first; next() < 0.6; ) {
    at += Math.ceil(next() * 20 * DAY_MS);
    former.push({ until: at, time_zone: pick(zoneNames) ?? 'Europe/Lisbon' });
  }
  const own: SeenOffset[] = [];
  for (let time = first; time < first + DAYS * DAY_MS; time += Math.ceil(next() * 15 * DAY_MS)) {
    own.push({ seriesId: 1, provider: 'oura', sourceType: 'x', time, ahead: next() < 0.6 ? null : pick(offsets) });
  }
  const known = Array.from({ length: Math.floor(next() * 12) }, () => ({
    ...{ seriesId: 2, provider: pick(sources), sourceType: 'x' },
    ...{ time: first + Math.floor(next() * DAYS * DAY_MS), ahead: next() < 0.1 ? null : pick(offsets) },
  }));
  return { first, present: pick(zoneNames), former, own, known };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far a zone is ahead, computed in another way than in the code under test. */
function zoneAhead({ present, former }: Person, time: number): number | null {
  const zone = former.find(({ until }) => time < until)?.time_zone ?? present;
  if (zone === null) return null;
  const options = { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' } as const;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', options);
  formats.set(zone, format);
  return (parseInstant(`${format.format(time).replace(' ', 'T')}Z`) ?? 0) - Math.floor(time / 1_000) * 1_000;
}

/** The rule in the plainest words: own offset, nearest of the source, nearest of the person, zone, UTC. */
function aheadOf(person: Person, time: number): number {
  const own = (person.own.findLast((one) => one.time <= time) ?? person.own[0])?.ahead;
  if (own !== null && own !== undefined) return own;
  for (const isNear of [({ provider }: SeenOffset) => provider === 'oura', () => true]) {
    const near = person.known.filter((one) => one.ahead !== null && isNear(one));
    const distance = ({ time: at }: SeenOffset): number => Math.abs(at - time);
    near.sort((a, b) => distance(a) - distance(b));
    const [best] = near;
    if (!best || distance(best) > OFFSET_REACH_MS) continue;
    const isOfZone = zoneAhead(person, best.time) === best.ahead;
    return (isOfZone ? zoneAhead(person, time) : null) ?? (best.ahead as number);
  }
  return zoneAhead(person, time) ?? 0;
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const series = { id: 1, provider: 'oura', source_type: 'x', floating_time: 0 };

describe('the clock of a person', () => {
  it('places every sample of random days on the day and in the hour of the rule, and in no other', () => {
    const next = random(seed);
    for (let index = 0; index < PEOPLE; index++) {
      const person = personOf(next);
      const { first, present, former, own, known } = person;
      const clock = new PersonClock(new Zones(present, former), own, known);
      const range = { start: first - 3 * DAY_MS, end: first + (DAYS + 3) * DAY_MS };
      const runs = clock.runsOf(series, range);
      const days = { from: dateOf(first), to: dateOf(first + (DAYS - 1) * DAY_MS) };
      const [byDay, byHour] = [slotsOf(runs, days, DAY_MS), slotsOf(runs, days, HOUR_MS)];
      for (let sample = 0; sample < DAYS; sample++) {
        const time = Math.floor((first + next() * DAYS * DAY_MS) / 1_000) * 1_000;
        const local = time + aheadOf(person, time);
        const isIn = dateOf(local) >= days.from && dateOf(local) <= days.to;
        const inDays = byDay.filter(({ start, end }) => time >= start && time < end).map(({ date }) => date);
        const inHours = byHour.filter(({ start, end }) => time >= start && time < end);
        expect([index, time, inDays]).toEqual([index, time, isIn ? [dateOf(local)] : []]);
        expect(inHours.map((hour) => hour.local)).toEqual(isIn ? [Math.floor(local / HOUR_MS) * HOUR_MS] : []);
      }
    }
  });

  it('places a wall clock time at the instant that shows it', () => {
    const next = random(seed);
    for (let index = 0; index < PEOPLE; index++) {
      const { first, present, former, known } = personOf(next);
      const clock = new PersonClock(new Zones(present, former), [], known);
      const wall = first + Math.floor(next() * DAYS) * DAY_MS + Math.floor(next() * DAY_MS);
      const { instant } = clock.instantOf(wall);
      const [run] = clock.assumed({ start: instant, end: instant + 1 });
      const around = clock.assumed({ start: wall - 2 * DAY_MS, end: wall + 2 * DAY_MS });
      const isShown = around.some(({ start, end, ahead }) => wall - ahead >= start && wall - ahead < end);
      if (isShown) expect([index, instant + (run?.ahead ?? 0)]).toEqual([index, wall]);
    }
  });

  it('says how it knows', () => {
    const at = Date.UTC(2026, 5, 1);
    const seen = (provider: string, time: number, ahead: number | null) => {
      return { seriesId: 1, provider, sourceType: 'x', time, ahead };
    };
    const by = (known: SeenOffset[], zone: string | null, own: SeenOffset[] = [seen('oura', at, null)]) => {
      const runs = new PersonClock(new Zones(zone), own, known).runsOf(series, { start: at, end: at + 1 });
      return runs.map((run) => [run.by, run.ahead / HOUR_MS, run.zone]);
    };
    const [ofSource, ofAnother] = [seen('oura', at - DAY_MS, HOUR_MS), seen('dexcom', at + HOUR_MS, -8 * HOUR_MS)];
    expect(by([ofSource, ofAnother], 'Asia/Tokyo', [seen('oura', at, 2 * HOUR_MS)])).toEqual([['own', 2, null]]);
    expect(by([ofSource, ofAnother], 'Asia/Tokyo')).toEqual([['source', 1, null]]);
    expect(by([ofAnother], 'Asia/Tokyo')).toEqual([['account', -8, null]]);
    expect(by([seen('dexcom', at - 3 * DAY_MS, HOUR_MS)], 'Asia/Tokyo')).toEqual([['zone', 9, 'Asia/Tokyo']]);
    expect(by([], null)).toEqual([['utc', 0, null]]);
  });

  it('goes on with the zone from an offset that agrees with it, through a change of clocks', () => {
    const change = Date.UTC(2026, 10, 1, 6);
    const seen = (hours: number): SeenOffset => {
      return { seriesId: 2, provider: 'oura', sourceType: 'x', time: change - HOUR_MS, ahead: hours * HOUR_MS };
    };
    const after = (hours: number): (number | undefined)[] => {
      const clock = new PersonClock(new Zones('America/New_York'), [], [seen(hours)]);
      return clock.assumed({ start: change - 1, end: change + HOUR_MS }).map(({ ahead }) => ahead / HOUR_MS);
    };
    expect(after(-4)).toEqual([-4, -5]);
    expect(after(1)).toEqual([1]);
  });

  it('changes no day that is over when a person moves, and applies the first known zone to all earlier days', () => {
    const moved = Date.UTC(2026, 5, 10);
    const ahead = (time: number): number | undefined => {
      const zones = new Zones('Asia/Tokyo', [{ until: moved, time_zone: 'America/New_York' }]);
      return new PersonClock(zones, [], []).assumed({ start: time, end: time + 1 })[0]?.ahead;
    };
    expect([ahead(0), ahead(moved - 1), ahead(moved)]).toEqual([-5 * HOUR_MS, -4 * HOUR_MS, 9 * HOUR_MS]);
  });
});
