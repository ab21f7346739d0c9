import { type Amount, type Merged, mergeTracks, type Track } from '../../src/health/statistics/interval-merge.js';
import { HOUR_MS } from '../../src/platform/platform/time.js';

const MINUTE = 60_000;
const day = Date.UTC(2026, 10, 20);

/** An amount from one minute of the day to another. */
const amount = (from: number, to: number, value: number): Amount => {
  return { start: day + from * MINUTE, end: day + to * MINUTE, value };
};
const hours = (from: number, count: number, value: number): Amount[] =>
  Array.from({ length: count }, (_, index) => amount((from + index) * 60, (from + index + 1) * 60, value));
const track = (source: number, amounts: Amount[], more: Partial<Track> = {}): Track => {
  return { source, device: '', isEarlier: false, kind: '', amounts, ...more };
};
const total = ({ pieces }: Merged): number => pieces.reduce((sum, { value }) => sum + value, 0);
const shared = ({ shares }: Merged): object[] =>
  shares.map(({ source, value, ms, leftOut }) => ({ source, value, minutes: ms / MINUTE, leftOut: leftOut.value }));

describe('the total of several sources', () => {
  it('is that of the best source where it counts, and of others where it is silent', () => {
    const merged = mergeTracks([track(0, [amount(9 * 60, 10 * 60, 300)]), track(1, hours(8, 12, 800))]);
    expect(total(merged)).toBe(300 + 11 * 800);
    expect(shared(merged)).toEqual([
      { source: 0, value: 300, minutes: 60, leftOut: 0 },
      { source: 1, value: 8_800, minutes: 660, leftOut: 800 },
    ]);
  });

  it('takes the part of an interval that a better source leaves open', () => {
    const merged = mergeTracks([track(0, [amount(0, 30, 200)]), track(1, [amount(0, 60, 800)])]);
    expect(total(merged)).toBe(200 + 400);
  });

  it('is not zero because a watch on the table says so', () => {
    const merged = mergeTracks([track(0, hours(0, 24, 0)), track(1, hours(8, 12, 800))]);
    expect(total(merged)).toBe(9_600);
    expect(shared(merged)).toEqual([
      { source: 0, value: 0, minutes: 720, leftOut: 0 },
      { source: 1, value: 9_600, minutes: 720, leftOut: 0 },
    ]);
  });

  it('is that of the best source that counted anything, if only one is to count', () => {
    const tracks = [track(0, hours(0, 24, 0)), track(1, [amount(540, 600, 300)]), track(2, hours(8, 12, 800))];
    const merged = mergeTracks(tracks, 'single');
    expect(total(merged)).toBe(300);
    expect(merged.shares.map(({ value, leftOut }) => [value, leftOut.value])).toEqual([
      [0, 0],
      [300, 0],
      [0, 9_600],
    ]);
  });

  it('does not count a walk twice because the better source wrote down its minutes of rest', () => {
    const minutes = Array.from({ length: 10 }, (_, at) => amount(at, at + 1, at % 2 === 0 ? 20 : 0));
    expect(total(mergeTracks([track(0, minutes), track(1, [amount(0, 10, 100)])]))).toBe(100);
    expect(total(mergeTracks([track(0, minutes), track(1, [amount(0, 10, 130)])]))).toBe(130);
  });

  it('is that of one device where two of one source overlap', () => {
    const late = Array.from({ length: 8 }, (_, at) => amount(480 + at * 60 + 2, 480 + at * 60 + 62, 900));
    const merged = mergeTracks([track(0, hours(8, 8, 950), { device: 'watch' }), track(0, late, { device: 'phone' })]);
    expect(total(merged)).toBeCloseTo(7_600 + 30);
    expect(merged.shares).toHaveLength(1);
  });

  it('is that of the present upstream user where a former one counted the same', () => {
    const [before, now] = [track(0, hours(8, 4, 500), { isEarlier: true }), track(0, [amount(480, 485, 40)])];
    expect(total(mergeTracks([before, now]))).toBeCloseTo(40 + 2_000 - (500 * 5) / 60);
  });

  it('adds what one device counted at the same time, and what is of another kind', () => {
    const bolus = track(0, [amount(0, 60, 1.2), amount(5, 6, 4)]);
    expect(total(mergeTracks([bolus]))).toBeCloseTo(5.2);
    const slow = track(1, [amount(0, 10, 12)], { kind: 'long_acting' });
    expect(total(mergeTracks([bolus, slow]))).toBeCloseTo(17.2);
  });

  it('takes an instant only in an hour of which no better source counted anything', () => {
    const cup = (minute: number): Amount => amount(minute, minute, 250);
    const merged = mergeTracks([track(0, [cup(600)]), track(1, [cup(601), cup(645), cup(700)])]);
    expect(merged.pieces.map(({ start }) => (start - day) / MINUTE)).toEqual([600, 700]);
    expect(merged.shares[1]?.leftOut).toEqual({ samples: 2, value: 500 });
  });

  it('has each dose once, compared one by one, and the same ones within an hour', () => {
    const dose = (minute: number, value: number): Amount => amount(minute, minute, value);
    const doses = (...lists: Amount[][]): Merged =>
      mergeTracks(
        lists.map((own, at) => track(at, own)),
        'merged',
        true,
      );
    const starts = ({ pieces }: Merged): number[] => pieces.map(({ start }) => (start - day) / MINUTE);
    expect(starts(doses([dose(600, 5)], [dose(601, 5), dose(640, 2)]))).toEqual([600, 640]);
    expect(starts(doses([dose(600, 250)], [dose(601, 200), dose(645, 250)]))).toEqual([600, 645]);
    expect(starts(doses([dose(659, 250)], [dose(700, 250)], [dose(661, 250)]))).toEqual([659]);
    expect(starts(doses([dose(600, 250)], [dose(661, 250)]))).toEqual([600, 661]);
    expect(total(doses([amount(600, 660, 500)], [dose(610, 250)]))).toBe(500);
    expect(total(doses([dose(610, 250)], [amount(600, 660, 500)]))).toBe(250);
  });

  it('has the rest of a long interval, after what better sources counted in it', () => {
    const [walk, ofDay] = [track(0, hours(8, 10, 500)), track(1, [amount(0, 1_440, 8_000)])];
    expect(total(mergeTracks([walk, ofDay]))).toBeCloseTo(8_000);
    expect(total(mergeTracks([walk, track(1, [amount(0, 1_440, 4_000)])]))).toBe(5_000);
    expect(total(mergeTracks([track(0, ofDay.amounts.slice()), track(1, walk.amounts.slice())]))).toBe(8_000);
  });

  it('has the zeros of instants, unless somebody counted something in their hour', () => {
    const zeros = (source: number): Track => track(source, [amount(600, 600, 0), amount(660, 660, 0)]);
    expect(mergeTracks([zeros(0), zeros(1)]).pieces.map(({ value }) => value)).toEqual([0, 0, 0, 0]);
    const merged = mergeTracks([zeros(0), track(1, [amount(605, 605, 3)])]);
    expect(merged.pieces.map(({ start, value }) => [(start - day) / MINUTE, value])).toEqual([
      [605, 3],
      [660, 0],
    ]);
  });
});

/** A generator of numbers below 1 that is the same in every run of a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Intervals of one track that do not overlap, in whole minutes. */
function intervals(next: () => number, zeros: boolean): Amount[] {
  const found: Amount[] = [];
  for (let at = Math.floor(next() * 120); at < 1_400; ) {
    const length = 1 + Math.floor(next() * (next() < 0.3 ? 180 : 20));
    const value = zeros && next() < 0.4 ? 0 : 1 + Math.floor(next() * 100);
    found.push(amount(at, Math.min(at + length, 1_440), value));
    at += length + (next() < 0.5 ? 0 : Math.floor(next() * 90));
  }
  return found;
}

function lengthWithin({ start, end }: Amount, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

const SEED = Number(process.env['MERGE_SEED'] ?? 20_261_127);
const ROUNDS = Number(process.env['MERGE_DAYS'] ?? 300);

describe(`of ${ROUNDS} random days (MERGE_DAYS), seed ${SEED} (MERGE_SEED)`, () => {
  const days = (zeros: boolean, check: (tracks: Track[], merged: Merged) => void): void => {
    const next = random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const count = 1 + Math.floor(next() * 4);
      const tracks = Array.from({ length: count }, (_, source) => track(source, intervals(next, zeros)));
      check(tracks, mergeTracks(tracks));
    }
  };

  it('every minute is counted by the best source that has it, without zeros', () => {
    days(false, (tracks, merged) => {
      const expected = Array.from({ length: 1_440 }, (_, minute) => {
        const at = day + minute * MINUTE;
        const best = tracks.flatMap(({ amounts }) => amounts.filter(({ start, end }) => start <= at && end > at))[0];
        return best ? (best.value * MINUTE) / (best.end - best.start) : 0;
      }).reduce((sum, value) => sum + value, 0);
      expect(total(merged)).toBeCloseTo(expected, 6);
    });
  });

  it('no time is counted by two sources, and the shares add up', () => {
    days(true, (tracks, merged) => {
      let until = Number.NEGATIVE_INFINITY;
      for (const { start, end, value } of merged.pieces) {
        if (value === 0) continue;
        expect(start).toBeGreaterThanOrEqual(until);
        until = end;
      }
      const [of, out] = [merged.shares, merged.shares.map(({ leftOut }) => leftOut)];
      expect(of.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total(merged), 6);
      const all = tracks.flatMap(({ amounts }) => amounts).reduce((sum, { value }) => sum + value, 0);
      expect(total(merged) + out.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(all, 6);
    });
  });

  it('the total is at least that of the best source, and at most that of all', () => {
    days(true, (tracks, merged) => {
      const sums = tracks.map(({ amounts }) => amounts.reduce((sum, { value }) => sum + value, 0));
      expect(total(merged)).toBeGreaterThanOrEqual((sums[0] ?? 0) - 1e-6);
      expect(total(merged)).toBeLessThanOrEqual(sums.reduce((sum, value) => sum + value, 0) + 1e-6);
    });
  });

  it('a source that only says zero changes nothing', () => {
    days(true, (tracks, merged) => {
      const silent = track(-1, hours(0, 24, 0));
      expect(total(mergeTracks([silent, ...tracks]))).toBeCloseTo(total(merged), 6);
    });
  });

  it('the hours add up to the day', () => {
    days(true, (_, merged) => {
      const ofHours = Array.from({ length: 24 }, (_hour, index) => day + index * HOUR_MS).map((from) =>
        merged.pieces.reduce(
          (sum, piece) => sum + (piece.value * lengthWithin(piece, from, from + HOUR_MS)) / (piece.end - piece.start),
          0,
        ),
      );
      expect(ofHours.reduce((sum, value) => sum + value, 0)).toBeCloseTo(total(merged), 6);
    });
  });
});
