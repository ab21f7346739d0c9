import { type Resource, resourceByName } from '../../src/health/catalogue/catalogue.js';
import type { AmountColumns, AmountDetails, StoredAmount } from '../../src/health/statistics/amounts.reader.js';
import { amountsOf } from '../../src/health/statistics/amounts.reader.js';
import { dayOf, totalsOfDays } from '../../src/health/statistics/day-totals.js';
import { type GridTrack, totalOfGrid } from '../../src/health/statistics/grid-merge.js';
import { DAY_MS } from '../../src/platform/platform/time.js';

const MINUTE = 60_000;
const steps = resourceByName('steps') as Resource;
const day = Date.UTC(2026, 10, 20);
const slot = { start: day, end: day + DAY_MS, date: '2026-11-20', local: day, ahead: 0 };

const phone: AmountDetails = { unit: 'count', device: '', traits: '', delivery: '', isEarlier: false };

function columns(
  samples: readonly (readonly [minute: number, value: number])[],
  details: Partial<AmountDetails> = {},
): AmountColumns {
  return {
    start: day,
    times: samples.map(([minute]) => minute * MINUTE),
    durations: samples.map(() => MINUTE),
    values: samples.map(([, value]) => value),
    details: [{ ...phone, ...details }],
  };
}

/** The same day by the general merge. */
function general(tracks: readonly GridTrack[]) {
  const all = tracks.map(({ source, columns: own }, seriesId) => {
    return { seriesId, source, kind: '', slot, shift: 0, amounts: amountsOf(own) };
  });
  const merged = totalsOfDays(all, 'merged', steps).get(slot.date);
  const found = dayOf(merged?.pieces ?? [], day);
  const end = ({ time, value }: StoredAmount) => ({ time, value });
  return (
    merged &&
    found && {
      source: found.source,
      sum: found.sum,
      count: found.count,
      unit: found.unit,
      first: end(found.first),
      last: end(found.last),
      shares: merged.shares,
    }
  );
}

/** A generator of whole numbers below a limit that is the same in every run of a seed. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

const SEED = Number(process.env['MERGE_SEED'] ?? 20_261_127);
const ROUNDS = Number(process.env['MERGE_DAYS'] ?? 300);

describe('the total of a day on one grid', () => {
  it('is that of the general merge', () => {
    const next = random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const tracks = Array.from({ length: 1 + next(4) }, (_, index): GridTrack => {
        const [zeros, gaps] = [next(4), next(4)];
        const minutes = Array.from({ length: 1 + next(40) }, (_minute, at) => at).filter(
          (at) => at === 0 || next(4) >= gaps,
        );
        const details = { device: `device ${index}`, isEarlier: next(5) === 0 };
        const samples = minutes.map((at) => [at, next(4) < zeros ? 0 : 1 + next(9)] as const);
        return { source: next(3), columns: columns(samples, details) };
      });
      expect(totalOfGrid(tracks)).toEqual(general(tracks));
    }
  });

  it('takes what the next source counted where the best says zero', () => {
    const best = columns([
      [0, 5],
      [1, 0],
      [2, 0],
    ]);
    const next = columns([
      [0, 9],
      [1, 7],
      [2, 0],
      [3, 2],
    ]);
    expect(
      totalOfGrid([
        { source: 0, columns: best },
        { source: 1, columns: next },
      ]),
    ).toMatchObject({
      sum: 5 + 7 + 2,
      count: 5,
      source: 1,
      shares: [
        { source: 0, samples: 2, value: 5, ms: 2 * MINUTE, leftOut: { samples: 1, value: 0 } },
        { source: 1, samples: 3, value: 9, ms: 3 * MINUTE, leftOut: { samples: 1, value: 9 } },
      ],
    });
  });

  it.each<[string, AmountColumns]>([
    ['begins between two intervals of the other', columns([[0.5, 1]])],
    [
      'has two samples of one time',
      columns([
        [0, 1],
        [0, 2],
      ]),
    ],
    ['has longer intervals', { ...columns([[0, 1]]), durations: [2 * MINUTE] }],
    ['has instants', { ...columns([[0, 1]]), durations: [0] }],
    ['has another unit', columns([[0, 1]], { unit: 'km' })],
    [
      'has samples of several devices',
      {
        ...columns([
          [0, 1],
          [1, 1],
        ]),
        details: [phone, { ...phone, device: 'watch' }],
      },
    ],
  ])('is left to the general merge if a track %s', (_, other) => {
    expect(
      totalOfGrid([
        { source: 0, columns: columns([[0, 1]]) },
        { source: 1, columns: other },
      ]),
    ).toBeNull();
  });

  it('is merged on the grid also if its samples came in several messages', () => {
    const own = columns([
      [0, 1],
      [1, 2],
    ]);
    const [details] = own.details;
    const track = { source: 0, columns: { ...own, details: [details, details] as AmountDetails[] } };
    expect(totalOfGrid([track])).toEqual(general([track]));
  });

  it('is left to the general merge if two series are of one device', () => {
    const own = { source: 0, columns: columns([[0, 1]]) };
    expect(totalOfGrid([own, own])).toBeNull();
  });
});
