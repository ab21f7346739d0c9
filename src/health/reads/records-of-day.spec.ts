import { HOUR_MS } from '../../platform/platform/time.js';
import { type DayCandidate, shownOfDay, sleepOf } from './records-of-day.js';

const MINUTE = 60_000;
let seen = 0;

/** A record from one hour of the day to another. */
const record = (id: string, from: number, to: number, more: Partial<DayCandidate> = {}): DayCandidate => {
  const times = { time: from * HOUR_MS, endTime: to * HOUR_MS };
  return {
    ...{ id, date: '2026-11-20', source: 0, earlier: 0, version: 0, observation: ++seen, sleep: null, kind: null },
    ...times,
    ...more,
  };
};
const ids = (shown: readonly DayCandidate[]): string[] => shown.map(({ id }) => id);

describe('the sleep of a day', () => {
  const shown = (...all: DayCandidate[]): string[] => ids(shownOfDay('main_sleep', all));

  it('is the night of a lower source, not the short sleep of a better one', () => {
    expect(shown(record('nap', 7, 7.4, { sleep: 0 }), record('night', -1, 6, { source: 1, sleep: 1 }))).toEqual([
      'night',
    ]);
  });

  it('is a short sleep before a nap, and a nap if there is nothing else', () => {
    expect(shown(record('nap', 12, 16, { sleep: -1 }), record('short', 2, 3, { source: 1, sleep: 0 }))).toEqual([
      'short',
    ]);
    expect(shown(record('nap', 12, 13, { sleep: -1 }))).toEqual(['nap']);
  });

  it('is known by its length if the source gives no type', () => {
    expect(shown(record('short', 7, 8), record('night', -1, 6, { source: 1 }))).toEqual(['night']);
  });

  it('is no nap of a better source that calls every sleep a long one', () => {
    const nap = record('nap', 13, 13.5, { sleep: 1 });
    expect(shown(nap, record('night', -1, 6, { source: 1, sleep: 1 }))).toEqual(['night']);
    expect(shown(nap, record('night', -1, 6, { source: 1 }))).toEqual(['night']);
    expect(shown(record('running', 13, 13, { endTime: null, sleep: 1 }), record('short', 1, 3))).toEqual(['running']);
  });

  it('is the last version of a night that grows under new ids', () => {
    const versions = [1.1, 2.3, 4.7, 6.7, 7.1].map((hours, at) => record(`n${at}`, -1, hours - 1));
    expect(shown(...versions)).toEqual(['n4']);
  });

  it('is what its source confirmed, not what it first thought of the same night', () => {
    const guess = record('guess', -2, 7, { sleep: 1, kind: 'tentative long_sleep' });
    expect(shown(guess, record('sure', -1.5, 6.5, { sleep: 1, kind: 'long_sleep' }))).toEqual(['sure']);
    expect(shown(guess, record('nap', 13, 13.5, { sleep: 0, kind: 'short_sleep' }))).toEqual(['guess']);
    expect(sleepOf('tentative long_sleep')).toBe(1);
  });

  it('has the short part of a night before or after a pause, but no siesta and nothing of another source', () => {
    const [night, part] = [record('night', 2.25, 6.4, { sleep: 1 }), record('part', -0.4, 2.1, { sleep: 0 })];
    expect(shown(night, part)).toEqual(['night', 'part']);
    expect(shown(night, record('again', 7.9, 9, { sleep: 0 }))).toEqual(['night', 'again']);
    expect(shown(night, record('siesta', 8, 9.5, { sleep: 0 }))).toEqual(['night']);
    expect(shown(night, record('nap', 7, 7.4, { sleep: -1 }))).toEqual(['night']);
    expect(shown(night, record('other', 7, 8, { sleep: 0, source: 1 }))).toEqual(['night']);
    expect(shown(night, record('inside', 2.5, 5, { sleep: 0 }))).toEqual(['night']);
  });

  it('is the whole night of a worse source where the better one stopped before half of it', () => {
    const whole = record('whole', -2, 6, { sleep: 1, source: 1 });
    expect(shown(record('piece', -2, 1.2, { sleep: 1 }), whole)).toEqual(['whole']);
    expect(shown(record('most', -2, 2.5, { sleep: 1 }), whole)).toEqual(['most']);
    // A long sleep at another time is no piece of it.
    expect(shown(record('later', 8, 11.5, { sleep: 1 }), whole)).toEqual(['later', 'whole']);
  });

  it('has every part of a night of short ones, and no nap beside them', () => {
    const short = { sleep: 0 };
    const parts = [record('a', -2, 0.7, short), record('b', 1.5, 4, short), record('c', 4.5, 6.5, short)];
    const others = [record('same', 1.6, 4, { ...short, source: 1 }), record('nap', 13, 13.5, { sleep: -1 })];
    expect(shown(...parts, ...others)).toEqual(['a', 'b', 'c']);
    const long = record('long', 7, 11, { sleep: 1, source: 1 });
    expect(shown(...parts, long)).toEqual(['long']);
    const naps = [record('nap', 13, 13.5, { sleep: -1 }), record('later', 16, 16.4, { sleep: -1 })];
    expect(shown(...naps)).toEqual(['nap']);
  });

  it('has two records where a night has two parts, or a date two nights, of one source or of two', () => {
    const parts = [record('first', -14, -6, { sleep: 1 }), record('second', 7, 14, { sleep: 1 })];
    const ofOther = [
      record('same', 7.2, 14.1, { source: 1, sleep: 1 }),
      record('nap', 16, 17, { source: 1, sleep: 0 }),
    ];
    expect(shown(...parts, ...ofOther)).toEqual(['first', 'second']);
    expect(shown(parts[0] as DayCandidate, ...ofOther)).toEqual(['first', 'same']);
  });

  it('is once the night that two sources give to different days, on the day of the better one', () => {
    const before = { date: '2026-11-19' };
    const ring = record('ring', -2, 6, { sleep: 1 });
    const watch = record('watch', -2, 6.1, { ...before, source: 1, sleep: 1 });
    expect(shown(ring, watch)).toEqual(['ring']);
    const earlier = record('earlier', -26, -18, { ...before, source: 1, sleep: 1 });
    expect(shown(ring, watch, earlier)).toEqual(['ring', 'earlier']);
    // What is not shown itself hides nothing, and a sliver of overlap is another sleep.
    const best = record('best', -26, -18, { ...before, source: -1, sleep: 1 });
    expect(shown(best, watch, ring)).toEqual(['best', 'ring']);
    expect(shown(ring, record('morning', 5, 12, { ...before, source: 1, sleep: 1 }))).toEqual(['ring', 'morning']);
  });

  it('has both parts of a night that share a sliver, and one of two that share more', () => {
    const first = record('first', -1, 3.2, { sleep: 1 });
    expect(shown(first, record('rest', 3, 7, { source: 1, sleep: 1 }))).toEqual(['first', 'rest']);
    expect(shown(first, record('all', -1, 7, { source: 1, sleep: 1 }))).toEqual(['first']);
    expect(shown(first, record('late', 2, 7, { source: 1, sleep: 1 }))).toEqual(['first']);
  });

  it('is no time in bed without sleep, while there is another sleep', () => {
    const inBed = record('in bed', -2, 7, { sleep: -2 });
    expect(shown(inBed, record('night', -1, 6, { source: 1, sleep: 1 }))).toEqual(['night']);
    expect(shown(inBed, record('nap', 13, 13.5, { source: 1, sleep: -1 }))).toEqual(['nap']);
    expect(shown(inBed)).toEqual(['in bed']);
  });

  it('is that of the present upstream user', () => {
    expect(shown(record('before', -1, 7, { earlier: 1, sleep: 1 }), record('now', -1, 7, { sleep: 1 }))).toEqual([
      'now',
    ]);
  });
});

describe('the activity of a day', () => {
  it('is that of the best source that counted anything', () => {
    const [watch, phone] = [record('watch', 0, 0, { kind: 'no_activity' }), record('phone', 0, 0, { source: 1 })];
    expect(ids(shownOfDay('latest', [watch, phone]))).toEqual(['phone']);
    expect(ids(shownOfDay('latest', [watch]))).toEqual(['watch']);
    expect(ids(shownOfDay('latest', [record('ring', 0, 0), phone]))).toEqual(['ring']);
  });
});

describe('the workouts of a day', () => {
  const shown = (...all: DayCandidate[]): string[] => ids(shownOfDay('all', all));

  it('are all of which others cover less than half', () => {
    expect(shown(record('run', 8, 9), record('sliver', 8.9, 10, { source: 1 }))).toEqual(['run', 'sliver']);
    expect(shown(record('run', 8, 9), record('same', 8.4, 9.4, { source: 1 }))).toEqual(['run']);
    expect(shown(record('walk', 8, 8.1), record('hike', 8, 12, { source: 1 }))).toEqual(['walk', 'hike']);
  });

  it('are hidden only by what is shown', () => {
    const [a, b, c] = [record('a', 8, 9), record('b', 8.2, 9.2, { source: 1 }), record('c', 9.1, 9.3, { source: 2 })];
    expect(shown(c, b, a)).toEqual(['a', 'c']);
  });

  it('are one if two apps of one phone wrote the same session', () => {
    const late = { time: 8 * HOUR_MS + 4_000, endTime: 9 * HOUR_MS + 4_000 };
    expect(shown(record('strava', 8, 9), record('garmin', 8, 9, late))).toHaveLength(1);
    expect(shown(record('triathlon', 8, 11), record('bike', 8.6, 10.2))).toEqual(['triathlon', 'bike']);
  });

  it('are one if apps of one phone call the session differently and stop at different times, not if it is a part', () => {
    const at = (id: string, start: number, minutes: number, kind: string): DayCandidate => {
      const time = 8 * HOUR_MS + start * MINUTE;
      return record(id, 8, 9, { time, endTime: time + minutes * MINUTE, kind });
    };
    const run = at('run', 0, 30, 'running');
    expect(shown(run, at('other', 3, 30, 'other'))).toEqual(['other']);
    expect(shown(run, at('walk', 1, 40, 'walking'))).toEqual(['walk']);
    expect(shown(run, at('long', 1, 50, 'other'))).toEqual(['long', 'run']);
  });

  it('are one if an app stops or pauses early, because nobody does one sport twice at a time', () => {
    const of = (id: string, from: number, to: number, kind: string): DayCandidate => record(id, from, to, { kind });
    const run = of('run', 8, 9, 'running');
    expect(shown(run, of('paused', 8.1, 8.5, 'running'))).toEqual(['run']);
    expect(shown(run, of('next', 8.8, 9.4, 'running'))).toEqual(['run', 'next']);
    expect(shown(of('hike', 8, 12, 'hiking'), of('walk', 9, 9.5, 'walking'))).toEqual(['hike', 'walk']);
  });

  it('are one if a session grows under new ids, but not if one of its parts is another sport', () => {
    const versions = [0.2, 0.5, 1, 1.5].map((hours, at) => record(`v${at}`, 8, 8 + hours, { kind: 'running' }));
    expect(shown(...versions)).toEqual(['v3']);
    const [race, swim] = [record('race', 8, 11, { kind: 'triathlon' }), record('swim', 8, 8.6, { kind: 'swimming' })];
    expect(shown(swim, race)).toEqual(['race', 'swim']);
    const sets = [record('first', 8, 8.5, { kind: 'running' }), record('next', 8.5, 9.5, { kind: 'running' })];
    expect(shown(...sets)).toEqual(['next', 'first']);
  });

  it('do not depend on the order in which they arrived', () => {
    const all = [record('a', 8, 9), record('b', 8.2, 9.2, { source: 1 }), record('c', 9, 10, { source: 1 })];
    const [first = []] = [shown(...all)];
    for (const turned of [all.toReversed(), [...all.slice(1), ...all.slice(0, 1)]]) {
      expect(shown(...turned)).toEqual(first);
    }
  });

  it('of no duration are the same if another source has one within a minute', () => {
    const meal = (id: string, at: number, source: number): DayCandidate =>
      record(id, 0, 0, { time: at, endTime: null, source });
    expect(shown(meal('a', 0, 0), meal('b', 30_000, 1), meal('c', 5 * MINUTE, 1), meal('d', 0, 0))).toEqual([
      'd',
      'a',
      'c',
    ]);
  });

  it('of no duration are the same if two apps of a source, or two upstream users, have one within a minute', () => {
    const meal = (id: string, at: number, more: Partial<DayCandidate>): DayCandidate =>
      record(id, 0, 0, { time: at, endTime: null, ...more });
    const ofApps = [meal('soup', 0, { kind: 'app.a' }), meal('lunch', 4_000, { kind: 'app.b' })];
    expect(shown(...ofApps, meal('bread', 0, { kind: 'app.a' }))).toEqual(['bread', 'soup']);
    expect(shown(meal('soup', 0, { kind: 'app.a' }), meal('bread', 0, { kind: 'app.a' }))).toHaveLength(2);
    expect(shown(meal('now', 0, {}), meal('before', 0, { earlier: 1 }))).toEqual(['now']);
  });
});
