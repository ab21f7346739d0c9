import type { AmountColumns, AmountDetails } from './amounts.reader.js';
import type { Share } from './interval-merge.js';

/*
 * The merge of a day whose amounts all lie on one grid: equal intervals that begin at equal times, such as one a minute
 * from each device. There the rules of interval-merge.ts come down to one: an interval has the value of the best track
 * that counted something in it. It needs no object for each sample.
 */

/** The amounts of one day from one device of one source. */
export interface GridTrack {
  /** Rank of the source: 0 is the best. */
  readonly source: number;
  readonly columns: AmountColumns;
}

/** The part of an amount that counts: the time is that of its beginning. */
interface End {
  readonly time: number;
  readonly value: number;
}

export interface GridTotal {
  /** Rank of the source that counted most. */
  readonly source: number;
  readonly sum: number;
  readonly count: number;
  readonly first: End;
  readonly last: End;
  readonly unit: string | null;
  /** One for every source, best first. */
  readonly shares: readonly Share[];
}

/** A track that is taken, and how far. */
interface Taken extends Pick<AmountColumns, 'start' | 'times' | 'values'> {
  readonly share: OpenShare;
  readonly total: number;
  readonly details: AmountDetails;
  at: number;
}

interface OpenShare {
  readonly source: number;
  all: { samples: number; value: number };
  samples: number;
  value: number;
  ms: number;
}

/** Null if the amounts are not on one grid, of one unit and of a device each. `tracks` have samples, of one slot. */
export function totalOfGrid(tracks: readonly GridTrack[]): GridTotal | null {
  const shares = new Map<number, OpenShare>();
  const taken: Taken[] = [];
  const [width = 0, phase = 0] = [tracks[0]?.columns.durations[0], tracks[0]?.columns.times[0]];
  for (const { source, columns } of tracks) {
    const { start, times, values } = columns;
    const details = detailsOf(columns);
    if (details === null || width <= 0 || !isOnGrid(columns, width, phase)) return null;
    const isSame = (one: Taken): boolean => one.share.source === source && sameDevice(one.details, details);
    if (taken.some((one) => one.details.unit !== details.unit || isSame(one))) return null;
    const total = values.reduce((sum, value) => sum + value, 0);
    const share = shares.get(source) ?? { source, all: { samples: 0, value: 0 }, samples: 0, value: 0, ms: 0 };
    shares.set(source, share);
    share.all.samples += times.length;
    share.all.value += total;
    taken.push({ start, times, values, share, total, details, at: 0 });
  }
  return { ...merged(taken.sort(bestFirst), width), unit: taken[0]?.details.unit ?? null, shares: sharesOf(shares) };
}

function merged(tracks: readonly Taken[], width: number): Omit<GridTotal, 'shares' | 'unit'> {
  let [sum, count] = [0, 0];
  let [first, last] = [null as End | null, null as End | null];
  for (let time = nextOf(tracks); time !== Number.POSITIVE_INFINITY; time = nextOf(tracks)) {
    const here = tracks.filter((track) => track.times[track.at] === time);
    const best = here.find((track) => track.values[track.at] !== 0);
    const value = best?.values[best.at] ?? 0;
    // If no source counted anything, every zero is part of the total.
    const counting = best ? [best] : here;
    for (const { share } of counting) share.samples++;
    for (const share of new Set(counting.map((track) => track.share))) share.ms += width;
    if (best) best.share.value += value;
    sum += value;
    count += counting.length;
    last = { time: time + (tracks[0]?.start ?? 0), value };
    first ??= last;
    for (const track of here) track.at++;
  }
  const counted = tracks.map(({ share }) => share).filter(({ samples }) => samples > 0);
  const [main] = counted.sort((a, b) => b.value - a.value || a.source - b.source);
  return { source: main?.source ?? 0, sum, count, first: first as End, last: last as End };
}

/** Time of the next interval of any track. */
function nextOf(tracks: readonly Taken[]): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { times, at } of tracks) next = Math.min(next, times[at] ?? next);
  return next;
}

function isOnGrid({ times, durations }: AmountColumns, width: number, phase: number): boolean {
  let before = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time <= before || (time - phase) % width !== 0) return false;
    before = time;
  }
  return durations.every((duration) => duration === width);
}

/** Details of all samples; null if they differ. */
function detailsOf({ details }: AmountColumns): AmountDetails | null {
  const [first] = details;
  return first && details.every((one) => one === first) ? first : null;
}

function sameDevice(one: AmountDetails, other: AmountDetails): boolean {
  return one.device === other.device && one.isEarlier === other.isEarlier;
}

function bestFirst(a: Taken, b: Taken): number {
  return (
    a.share.source - b.share.source ||
    Number(a.details.isEarlier) - Number(b.details.isEarlier) ||
    b.total - a.total ||
    (a.details.device < b.details.device ? -1 : 1)
  );
}

function sharesOf(shares: ReadonlyMap<number, OpenShare>): Share[] {
  return [...shares.values()]
    .sort((a, b) => a.source - b.source)
    .map(({ all, ...share }) => {
      const leftOut = { samples: all.samples - share.samples, value: Math.max(0, all.value - share.value) };
      return { ...share, leftOut };
    });
}
