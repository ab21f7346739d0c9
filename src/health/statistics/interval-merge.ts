import { firstIndex } from '../../platform/platform/first-index.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS, type TimeRange, union } from '../../platform/platform/time.js';

/*
 * The total of a day from several devices that counted the same thing (docs/meaning.md#totals-of-a-day). Tracks are
 * taken best first:
 *
 * - what a track counted in time in which no better one counted anything is added, in proportion to that time;
 * - a zero is no report: where a better track says zero, another fills in. If the better one counted something in the
 *   same interval, both together give at most what the other counted there, so that a walk with minutes of rest is not
 *   counted twice;
 * - of an interval of more than six hours, such as a total of the day so far, the rest counts: what better tracks
 *   counted in it is taken off, because it says nothing about the hours in which it was counted;
 * - an instant stands for its hour (UTC): it counts if no better track counted at that time or in that hour;
 * - doses and events that last a minute at most are compared one by one: each of a better track stands for one that
 *   began within a minute, or for one of the same amount that began within an hour;
 * - overlapping amounts of one track are different things and are added, such as a bolus beside basal insulin; where
 *   they cannot be, such as steps, each goes to a track of its own (apart.ts);
 * - amounts of different kinds (`type` of the points) are never compared.
 */

/** An amount counted between two times in epoch milliseconds; an instant if they are equal. */
export interface Amount extends TimeRange {
  readonly value: number;
}

/** Amounts that one device of one source counted. */
export interface Track<A extends Amount = Amount> {
  /** Rank of the source: 0 is the best. */
  readonly source: number;
  readonly device: string;
  /** True for data of a former upstream user of the account, which counts only where the present one has none. */
  readonly isEarlier: boolean;
  readonly kind: string;
  /** Sorted by start. */
  readonly amounts: readonly A[];
  /** Amounts of it that do not count, because others of it replace them. */
  readonly replaced?: readonly A[];
}

/** A part of an amount that counts; a zero in whose time no source counted anything is one too. */
export interface Piece<A extends Amount = Amount> extends Amount {
  readonly source: number;
  readonly of: A;
}

/** The contribution of a source, and the part of it that is not in the total. */
export interface Share {
  readonly source: number;
  /** Amounts that count, at least in part. */
  readonly samples: number;
  readonly value: number;
  /** Time for which it is the source of the total. */
  readonly ms: number;
  readonly leftOut: { readonly samples: number; readonly value: number };
}

export interface Merged<A extends Amount = Amount> {
  /** Sorted by start. */
  readonly pieces: readonly Piece<A>[];
  /** One for every source, best first. */
  readonly shares: readonly Share[];
}

/** An interval that lasts longer is a total of a day or a part of it. */
const LONG_MS = 6 * HOUR_MS;
/** Doses of two tracks that begin no further apart are the same. */
const SAME_DOSE_MS = 60_000;
/** Doses of the same amount may differ by this part, because units are rounded. */
const SAME_AMOUNT = 1 / 50;

/**
 * merged: every source counts where no better one does · single: only the best source that counted anything, of its
 * devices as merged.
 */
export const sourceModes = ['merged', 'single'] as const;
export type SourceMode = (typeof sourceModes)[number];

/** `areDoses`: they are doses or events, and not what a person does once at a time, such as steps. */
export function mergeTracks<A extends Amount>(
  tracks: readonly Track<A>[],
  mode: SourceMode = 'merged',
  areDoses = false,
): Merged<A> {
  const sources = [...new Set(tracks.map(({ source }) => source))].sort((a, b) => a - b);
  const only = mode === 'merged' ? null : (sources.find((source) => hasCounted(tracks, source)) ?? sources[0]);
  const merging = tracks.filter(({ source }) => only === null || source === only);
  const pieces = [...groupedBy(merging, ({ kind }) => kind).values()]
    .flatMap((own) => {
      const merge = new Merge<A>(areDoses);
      for (const track of own.toSorted(bestFirst)) merge.add(track);
      return merge.all();
    })
    .sort(byTime);
  const ofSources = groupedBy(pieces, ({ source }) => source);
  return { pieces, shares: sources.map((source) => shareOf(source, tracks, ofSources.get(source) ?? [])) };
}

function hasCounted(tracks: readonly Track[], source: number): boolean {
  return tracks.some((track) => track.source === source && track.amounts.some(({ value }) => value !== 0));
}

/** Of the devices of one source, the one that counted most comes first. */
function bestFirst(a: Track, b: Track): number {
  return (
    a.source - b.source ||
    Number(a.isEarlier) - Number(b.isEarlier) ||
    totalOf(b.amounts) - totalOf(a.amounts) ||
    (a.device < b.device ? -1 : 1)
  );
}

function shareOf(source: number, tracks: readonly Track[], pieces: readonly Piece[]): Share {
  const own = tracks.filter((track) => track.source === source);
  const amounts = own.flatMap((track) => track.amounts);
  const samples = new Set(pieces.map(({ of }) => of)).size;
  const value = totalOf(pieces);
  const all = [...amounts, ...own.flatMap((track) => track.replaced ?? [])];
  const leftOut = { samples: all.length - samples, value: Math.max(0, totalOf(all) - value) };
  return { source, samples, value, ms: lengthOf(union(pieces)), leftOut };
}

/** The amount that a track adds: its counted parts, the time that they claim, and its zeros. */
interface Taken<A extends Amount> {
  readonly pieces: readonly Piece<A>[];
  readonly claims: readonly TimeRange[];
  readonly zeros: readonly Piece<A>[];
}

/** The merge of the tracks of one kind. */
class Merge<A extends Amount> {
  private pieces: Piece<A>[] = [];
  /** Time in which a better track counted something, and in which one said zero and none counted; disjoint, sorted. */
  private counted: readonly TimeRange[] = [];
  private empty: readonly TimeRange[] = [];
  private readonly zeros: Piece<A>[] = [];
  /** Of better tracks, the doses that were given at once, and the time of the others. */
  private doses: readonly Amount[] = [];
  private spans: readonly TimeRange[] = [];
  private longest = 0;

  constructor(private readonly areDoses: boolean) {}

  add(track: Track<A>): void {
    const isFirst = this.counted.length === 0 && this.empty.length === 0;
    const isInterval = track.amounts.every((one) => one.start < one.end && !this.isDose(one));
    if (isFirst && isInterval) this.addFirst(track);
    else this.addBelow(track);
  }

  /** Takes every interval, because there is nothing to compare it with. */
  private addFirst({ source, amounts }: Track<A>): void {
    const all = amounts.map((of): Piece<A> => ({ start: of.start, end: of.end, value: of.value, source, of }));
    const pieces = all.filter(({ value }) => value !== 0);
    this.take({ pieces, claims: pieces, zeros: all.filter(({ value }) => value === 0) });
  }

  private addBelow({ source, amounts }: Track<A>): void {
    const claims: TimeRange[] = [];
    const zeros: Piece<A>[] = [];
    const pieces: Piece<A>[] = [];
    const [counted, empty] = [new Cursor(this.counted), new Cursor(this.empty)];
    const spans = new Cursor(this.spans);
    const copies = new Copies(this.doses);
    for (const of of amounts) {
      const { start, end, value } = of;
      counted.moveTo(start);
      empty.moveTo(start);
      const isDose = this.isDose(of);
      if (isDose || start === end) {
        const instant = { start, end: start + 1 };
        spans.moveTo(start);
        if (isDose ? spans.overlaps(instant) || copies.has(of) : counted.overlaps(instant)) continue;
        if (value === 0) {
          zeros.push({ start, end, value, source, of });
          continue;
        }
        pieces.push({ start, end, value, source, of });
        claims.push(hourOf(start));
        continue;
      }
      const free = counted.without(of);
      if (value === 0) {
        zeros.push(...free.map((range) => ({ ...range, value: 0, source, of })));
        continue;
      }
      if (end - start > LONG_MS) {
        const rest = free.length === 0 ? 0 : Math.max(0, value - this.within(of));
        const parts = rest === 0 ? [] : split(free, rest).map((part) => ({ ...part, source, of }));
        pieces.push(...parts);
        claims.push(...parts);
        continue;
      }
      const gaps = free.flatMap((range) => empty.without(range));
      const filled = free.flatMap((range) => empty.within(range));
      const ofGaps = (value * lengthOf(gaps)) / (end - start);
      const ofZeros = filled.length === 0 ? 0 : this.fill(of, lengthOf(filled), ofGaps);
      const parts = [
        ...split(gaps, ofGaps).map((part) => ({ ...part, source, of })),
        ...(ofZeros === 0 ? [] : split(filled, ofZeros).map((part) => ({ ...part, source, of }))),
      ];
      pieces.push(...parts);
      claims.push(...parts);
    }
    this.take({ pieces, claims, zeros });
  }

  /** True for a dose that is given at once. Zeros are reports like any other. */
  private isDose({ start, end, value }: Amount): boolean {
    return this.areDoses && value !== 0 && end - start <= SAME_DOSE_MS;
  }

  private take({ pieces, claims, zeros }: Taken<A>): void {
    if (this.areDoses) {
      this.doses = [...this.doses, ...pieces.filter(({ of }) => this.isDose(of))].sort(byTime);
      this.spans = union([...this.spans, ...pieces.filter(({ of }) => !this.isDose(of))]);
    }
    for (const { start, end } of pieces) this.longest = Math.max(this.longest, end - start);
    if (pieces.length > 0) this.pieces = [...this.pieces, ...pieces].sort(byTime);
    if (claims.length > 0) this.counted = union([...this.counted, ...claims]);
    this.zeros.push(...zeros);
    // What counted nothing all day lay on a table; its zeros are no minutes of rest.
    const rest = pieces.length > 0 ? zeros.filter(({ start, end }) => start < end) : [];
    if (rest.length > 0 || this.empty.length > 0) {
      this.empty = outside(this.counted, union([...this.empty, ...rest]));
    }
  }

  all(): Piece<A>[] {
    return [...this.pieces, ...outside(this.counted, this.zeros)];
  }

  /** The part that an amount adds for time for which better tracks say zero. */
  private fill({ start, end, value }: Amount, time: number, alreadyAdded: number): number {
    const share = (value * time) / (end - start);
    return Math.min(share, Math.max(0, value - this.within({ start, end }) - alreadyAdded));
  }

  /** The amount that better tracks counted in a range. */
  private within(range: TimeRange): number {
    let sum = 0;
    for (
      let index = firstIndex(this.pieces, (one) => one.start < range.start - this.longest);
      index < this.pieces.length;
      index++
    ) {
      const piece = this.pieces[index] as Piece;
      if (piece.start >= range.end) break;
      if (piece.start === piece.end) sum += piece.start >= range.start ? piece.value : 0;
      else sum += (piece.value * Math.max(0, lengthOf([common(piece, range)]))) / (piece.end - piece.start);
    }
    return sum;
  }
}

/** Doses of better tracks, in order of time, each of which has one copy in another track. */
class Copies {
  private first = 0;
  private readonly copied = new Set<Amount>();

  constructor(private readonly doses: readonly Amount[]) {}

  /** True if a dose is a copy. They must be asked about in order of time. */
  has({ start, value }: Amount): boolean {
    while ((this.doses[this.first]?.start ?? Number.POSITIVE_INFINITY) < start - HOUR_MS) this.first++;
    let best: Amount | null = null;
    for (let at = this.first; at < this.doses.length; at++) {
      const one = this.doses[at] as Amount;
      if (one.start > start + HOUR_MS) break;
      const distance = Math.abs(one.start - start);
      const isEqual = Math.abs(one.value - value) <= SAME_AMOUNT * Math.max(one.value, value);
      if (this.copied.has(one) || (!isEqual && distance > SAME_DOSE_MS)) continue;
      if (best === null || distance < Math.abs(best.start - start)) best = one;
    }
    if (best !== null) this.copied.add(best);
    return best !== null;
  }
}

/** Compares ranges with a sorted list of disjoint ones. What is compared must end after the time of the last move. */
class Cursor {
  private index = 0;

  constructor(private readonly ranges: readonly TimeRange[]) {}

  /** Skips what ends before a time. Moves only forward. */
  moveTo(time: number): void {
    while ((this.ranges[this.index]?.end ?? Number.POSITIVE_INFINITY) <= time) this.index++;
  }

  overlaps(range: TimeRange): boolean {
    return this.within(range).length > 0;
  }

  /** The parts of a range inside the list. */
  within(range: TimeRange): TimeRange[] {
    const parts: TimeRange[] = [];
    for (let at = this.index; at < this.ranges.length; at++) {
      const own = this.ranges[at] as TimeRange;
      if (own.start >= range.end) break;
      if (own.end > range.start) parts.push(common(own, range));
    }
    return parts;
  }

  /** The parts of a range outside the list. */
  without(range: TimeRange): TimeRange[] {
    const parts: TimeRange[] = [];
    let from = range.start;
    for (const { start, end } of this.within(range)) {
      if (start > from) parts.push({ start: from, end: start });
      from = end;
    }
    return from < range.end ? [...parts, { start: from, end: range.end }] : parts;
  }
}

/** The parts of ranges outside a sorted list of disjoint ones; an instant is outside if no range of the list has it. */
function outside<R extends TimeRange>(list: readonly TimeRange[], ranges: readonly R[]): R[] {
  const cursor = new Cursor(list);
  return ranges.toSorted(byTime).flatMap((one) => {
    cursor.moveTo(one.start);
    if (one.start === one.end) return cursor.overlaps({ start: one.start, end: one.start + 1 }) ? [] : [one];
    return cursor.without(one).map((part) => ({ ...one, ...part }));
  });
}

/** An amount spread over ranges by their length. */
function split(ranges: readonly TimeRange[], value: number): Amount[] {
  const length = lengthOf(ranges);
  return ranges.map(({ start, end }) => ({ start, end, value: (value * (end - start)) / length }));
}

function common(one: TimeRange, other: TimeRange): TimeRange {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

function hourOf(time: number): TimeRange {
  const start = Math.floor(time / HOUR_MS) * HOUR_MS;
  return { start, end: start + HOUR_MS };
}

function lengthOf(ranges: readonly TimeRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function totalOf(amounts: readonly { readonly value: number }[]): number {
  return amounts.reduce((sum, { value }) => sum + value, 0);
}

function byTime(a: TimeRange, b: TimeRange): number {
  return a.start - b.start || a.end - b.end;
}
