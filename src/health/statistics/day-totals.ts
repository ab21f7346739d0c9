import { groupedBy } from '../../platform/platform/grouped-by.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { MAX_SPREAD_MS, type Resource } from '../catalogue/catalogue.js';
import { conversionOf } from '../catalogue/units.js';
import type { Slot } from '../clock/local-slots.js';
import type { AmountDetails, StoredAmount } from './amounts.reader.js';
import { apart } from './apart.js';
import { type Amount, type Merged, mergeTracks, type Piece, type SourceMode, type Track } from './interval-merge.js';

import type { Incomparable } from './statistics.reader.js';

/** The amounts that began in one local day of a series. */
export interface AmountsOfDay {
  readonly seriesId: number;
  /** Rank of the source: 0 is the best. */
  readonly source: number;
  /** `type` of the points; '' if they have none. */
  readonly kind: string;
  readonly slot: Slot;
  /** Time by which the times of the series are ahead of instants; not 0 only for wall clock times. */
  readonly shift: number;
  readonly amounts: readonly StoredAmount[];
}

/** The part of an amount in one local day. */
export interface DayAmount extends Amount {
  readonly sample: StoredAmount;
  readonly ahead: number;
  /** See `traitsOf`. */
  readonly traits: string;
}

/** A track to which amounts are added. */
interface OpenTrack extends Track<DayAmount> {
  readonly amounts: DayAmount[];
}

/**
 * Merges the sources of each local day. Intervals across a boundary are split in proportion to their time. Amounts of a
 * day with several units are in that of the resource where a conversion is known.
 */
export function totalsOfDays(
  all: readonly AmountsOfDay[],
  mode: SourceMode,
  resource: Resource,
): Map<string, Merged<DayAmount>> {
  const dates = new Map<string, Map<string, OpenTrack>>();
  for (const own of groupedBy(all, ({ seriesId }) => seriesId).values()) {
    own.sort((a, b) => a.slot.start - b.slot.start);
    for (const [index, { source, kind: type, amounts }] of own.entries()) {
      const open = (date: string, { device, isEarlier }: AmountDetails, flow: string): OpenTrack => {
        const kind = type + flow;
        const tracks = dates.get(date) ?? new Map<string, OpenTrack>();
        dates.set(date, tracks);
        const key = JSON.stringify([source, kind, device, isEarlier]);
        const track = tracks.get(key) ?? { source, device, isEarlier, kind, amounts: [] };
        tracks.set(key, track);
        return track;
      };
      // Consecutive samples nearly always have the same day and details.
      let last = null as { date: string; details: AmountDetails; flow: string; track: OpenTrack } | null;
      for (const sample of amounts) {
        const { details } = sample;
        const flow = resource.mayFlow ? flowOf(sample) : '';
        for (const { date, part } of partsOf(sample, own, index)) {
          if (last?.date !== date || last.details !== details || last.flow !== flow)
            last = { date, details, flow, track: open(date, details, flow) };
          last.track.amounts.push(part);
        }
      }
    }
  }
  return new Map(
    [...dates].map(([date, tracks]) => {
      const sorted = [...tracks.values()].flatMap((track): Track<DayAmount>[] => {
        const amounts = track.amounts.sort((a, b) => a.start - b.start || a.end - b.end);
        if (track.kind.endsWith(FLOW)) return [{ ...track, ...replacing(amounts) }];
        return (resource.onceAtATime ? apart(amounts) : [amounts]).map((own) => ({ ...track, amounts: own }));
      });
      return [date, mergeTracks(inOneUnit(resource, sorted), mode, !resource.onceAtATime)];
    }),
  );
}

const FLOW = ' flow';

/**
 * How a dose is delivered: an amount that flows over time, such as basal insulin, is never compared with one that is
 * given at once. If the sample does not say which it is, its duration tells.
 */
function flowOf({ duration, details: { delivery } }: StoredAmount): string {
  const isFlow = delivery === '' ? duration > 0 : delivery === 'basal';
  return isFlow ? FLOW : '';
}

/**
 * The amounts of a pump, of which each ends when the next one begins, because a pump has one basal rate at a time; and
 * the parts that are replaced by that. Amounts that differ in their traits are different flows.
 */
function replacing(amounts: readonly DayAmount[]): Pick<Track<DayAmount>, 'amounts' | 'replaced'> {
  const next = new Map<string, number>();
  const [kept, replaced] = [[] as DayAmount[], [] as DayAmount[]];
  for (const one of amounts.toReversed()) {
    const end = Math.min(one.end, next.get(one.traits) ?? one.end);
    next.set(one.traits, one.start);
    const share = one.end === one.start ? 1 : (end - one.start) / (one.end - one.start);
    if (share > 0) kept.push({ ...one, end, value: one.value * share });
    if (share < 1) replaced.push({ ...one, value: one.value * (1 - share) });
  }
  return { amounts: kept.toReversed(), replaced };
}

function inOneUnit(resource: Resource, tracks: readonly Track<DayAmount>[]): readonly Track<DayAmount>[] {
  const details = new Set<AmountDetails>();
  for (const { amounts } of tracks) for (const { sample } of amounts) details.add(sample.details);
  if (new Set([...details].map(({ unit }) => unit)).size < 2) return tracks;
  const factors = new Map(
    [...details].map(({ unit }) => [unit, conversionOf(resource, unit)?.factor ?? null] as const),
  );
  const converted = new Map<StoredAmount, StoredAmount>();
  const convert = (amount: DayAmount): DayAmount => {
    const { sample } = amount;
    const factor = factors.get(sample.details.unit) ?? null;
    if (factor === null) return amount;
    const known = converted.get(sample) ?? {
      ...sample,
      value: sample.value * factor,
      details: { ...sample.details, unit: resource.unit },
    };
    // A sample may have two parts in one day, and counts once.
    converted.set(sample, known);
    return { ...amount, value: amount.value * factor, sample: known };
  };
  return tracks.map(({ replaced, ...track }) => {
    return { ...track, amounts: track.amounts.map(convert), ...(replaced && { replaced: replaced.map(convert) }) };
  });
}

/** The parts of a sample in the day in which it begins and in the following ones. */
function* partsOf(
  sample: StoredAmount,
  days: readonly AmountsOfDay[],
  first: number,
): Generator<{ readonly date: string; readonly part: DayAmount }> {
  const { time, duration, value } = sample;
  const { traits } = sample.details;
  const end = duration > MAX_SPREAD_MS ? time : time + duration;
  for (let index = first; index < days.length; index++) {
    const { slot, shift } = days[index] as AmountsOfDay;
    if (index > first && slot.start >= end) return;
    const [from, to] = [Math.max(time, slot.start), Math.min(end, slot.end)];
    if (index > first && to <= from) continue;
    const share = end === time ? value : (value * (to - from)) / duration;
    const ahead = slot.ahead + shift;
    yield { date: slot.date, part: { start: from - shift, end: to - shift, value: share, sample, ahead, traits } };
    if (to === end) return;
  }
}

/** The counted parts of a day or an hour. */
export interface CountedSlot {
  /** Instant at which it begins. */
  readonly at: number;
  readonly ahead: number;
  /** Rank of the source that counted most. */
  readonly source: number;
  readonly sum: number;
  readonly count: number;
  readonly first: StoredAmount;
  readonly last: StoredAmount;
  /** Unit of all samples; null if they have none or differ. */
  readonly unit: string | null;
  readonly kind: string;
  readonly incomparable: Incomparable | null;
}

/** The slot of a whole day; null if nothing counts. */
export function dayOf(pieces: readonly Piece<DayAmount>[], at: number): CountedSlot | null {
  return pieces.length === 0 ? null : slotOf(pieces, at, pieces[0]?.of.ahead ?? 0);
}

/** The slots of the local hours of a day; they add up to it. */
export function hoursOf(pieces: readonly Piece<DayAmount>[]): CountedSlot[] {
  const parts = pieces.flatMap((piece) => [...hourParts(piece)]);
  return [...groupedBy(parts, ({ local, ahead }) => `${local} ${ahead}`).values()].map((own) => {
    const { local, ahead } = own[0] as HourPart;
    return slotOf(own, local - ahead, ahead);
  });
}

interface HourPart extends Piece<DayAmount> {
  /** Local time at which the hour begins, written as if it were UTC. */
  readonly local: number;
  readonly ahead: number;
}

function* hourParts(piece: Piece<DayAmount>): Generator<HourPart> {
  const { start, end, value, of } = piece;
  const { ahead } = of;
  for (let from = start; from === start || from < end; ) {
    const local = Math.floor((from + ahead) / HOUR_MS) * HOUR_MS;
    const to = Math.min(end, local + HOUR_MS - ahead);
    const part = end === start ? value : (value * (to - from)) / (end - start);
    yield { ...piece, start: from, end: to, value: part, local, ahead };
    if (to <= from) return;
    from = to;
  }
}

function slotOf(pieces: readonly Piece<DayAmount>[], at: number, ahead: number): CountedSlot {
  const samples = [...new Set(pieces.map(({ of }) => of.sample))].sort((a, b) => a.time - b.time);
  const units = new Set(samples.map(({ details }: { details: AmountDetails }) => details.unit));
  const hasUnits = units.size > 1;
  return {
    at,
    ahead,
    source: mainSource(pieces),
    sum: pieces.reduce((sum, { value }) => sum + value, 0),
    count: samples.length,
    first: samples[0] as StoredAmount,
    last: samples.at(-1) as StoredAmount,
    unit: hasUnits ? null : (samples[0]?.details.unit ?? null),
    kind: '',
    incomparable: hasUnits ? 'units' : null,
  };
}

function mainSource(pieces: readonly Piece<DayAmount>[]): number {
  const sums = [...groupedBy(pieces, ({ source }) => source)].map(([source, own]) => {
    return { source, sum: own.reduce((sum, { value }) => sum + value, 0) };
  });
  return sums.sort((a, b) => b.sum - a.sum || a.source - b.source)[0]?.source ?? 0;
}
