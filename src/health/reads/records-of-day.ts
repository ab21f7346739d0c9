import { HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Resource } from '../catalogue/catalogue.js';

/*
 * Which summaries stand for a calendar day (docs/meaning.md#a-night, #workouts-and-meals). They are judged best first,
 * and only what is shown hides another:
 *
 * latest      one record: of the best source, the one that upstream changed last; of activities and bodies, one with
 *             any amount before one without
 * main_sleep  content before rank: long sleeps before others, naps last, and a long one that another source shows to
 *             be less than half of the night as a short one; of the best source that has one, a confirmed one before a
 *             tentative one, then the longest, and others of its class (long, or short) at other times, of its source
 *             or another, and short ones of its source soon before or after it: a night may have parts, and a date
 *             two nights. Judged with the records of the day before and after, because two sources may give one night
 *             to different days: it is shown once, on the day that the better one gives
 * all         every record, unless shown ones of other sources, or of the present upstream user, cover at least half of
 *             it, or one of the same source is nearly equal, the same session of two apps of one phone, or longer
 *             and of the same sport, and has half of it or begins with it: a session that grew, or that one app
 *             stopped early. Judged with the records of the day before and after, because two sources may give a
 *             session at midnight to different days
 */

/** The columns of a stored summary that decide. Epoch milliseconds. */
export interface DayCandidate {
  readonly id: string;
  readonly date: string;
  readonly time: number;
  readonly endTime: number | null;
  /** Rank of the source: 0 is the best. */
  readonly source: number;
  /** 1 if it came from a former upstream user of the account. */
  readonly earlier: 0 | 1;
  /** Order in which upstream changed it, and in which it was seen. */
  readonly version: number;
  readonly observation: number;
  /** {@link sleepOf} its type. */
  readonly sleep: number | null;
  /**
   * Sport of a workout, app that wrote a meal, type of a sleep, after `tentative` if it may still change,
   * `no_activity` of a day without any amount; null if unknown.
   */
  readonly kind: string | null;
}

/** A sleep of this length is a long one, as upstream defines it. */
const LONG_SLEEP_MS = 3 * HOUR_MS;
/** Two records of one source are the same session if they share this part of both together. */
const SAME_SESSION = 2 / 3;
/** Records of other sources, or one of its sport, hide one of which they cover this part. */
const COVERED = 1 / 2;
/** Sleeps of one date that share at most this part are two parts of a night. */
const SLIVER = 1 / 10;
/** A short sleep is a part of the night if the time awake between them was no longer. */
const PAUSE_MS = 1.5 * HOUR_MS;
/** Records without duration of two sources, or of two apps, are the same if they are no further apart. */
const SAME_INSTANT_MS = 60_000;
/** Records of one sport of one source that begin no further apart are versions of one session that grew. */
const SAME_START_MS = 60_000;

/** The shown ones of one day, or of neighbouring days, best first. */
export function shownOfDay(ofDay: Resource['ofDay'], candidates: readonly DayCandidate[]): DayCandidate[] {
  const judged = ofDay === 'main_sleep' ? withPieces(candidates) : candidates;
  const sorted = judged.toSorted((a, b) => compare(ofDay, a, b));
  if (ofDay === 'latest') return sorted.slice(0, 1);
  const shown: DayCandidate[] = [];
  for (const one of sorted) {
    const isShown = ofDay === 'main_sleep' ? isPartOfNight(one, shown) : !isHidden(one, shown);
    if (isShown) shown.push(one);
  }
  return shown;
}

/** Long sleeps of which another source has at least twice as much are pieces of a night, and called short ones. */
function withPieces(candidates: readonly DayCandidate[]): readonly DayCandidate[] {
  const long = candidates.filter((one) => sleepClass(one) === 1);
  if (new Set(long.map(({ source }) => source)).size < 2) return candidates;
  const isPiece = (one: DayCandidate): boolean =>
    long.some((other) => {
      const isTwice = other.source !== one.source && lengthOf(other) >= 2 * lengthOf(one);
      return isTwice && shared(one, [other]) >= (1 - SLIVER) * lengthOf(one);
    });
  return candidates.map((one) => (long.includes(one) && isPiece(one) ? { ...one, sleep: 0 } : one));
}

/**
 * True for the best sleep of a date that is none of another date, and for others of its class at other times: long
 * ones, or, without any, the short ones of a night in parts. Besides long ones, for short ones of their source near
 * them.
 */
function isPartOfNight(one: DayCandidate, shown: readonly DayCandidate[]): boolean {
  const [ofDate, ofOthers] = [
    shown.filter(({ date }) => date === one.date),
    shown.filter(({ date }) => date !== one.date),
  ];
  const length = lengthOf(one);
  if (length > 0 && shared(one, ofOthers) >= COVERED * length) return false;
  const [best] = ofDate;
  if (!best) return true;
  const [own, ofBest] = [sleepClass(one), sleepClass(best)];
  const isPart = ofBest >= 0 && (own === ofBest || (own === 0 && ofDate.some((other) => isNear(one, other))));
  return isPart && shared(one, ofDate) <= SLIVER * length;
}

function isNear(one: DayCandidate, other: DayCandidate): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  const pause = Math.max(a.start - b.end, b.start - a.end);
  return one.source === other.source && a.start < a.end && pause <= PAUSE_MS;
}

function isHidden(one: DayCandidate, shown: readonly DayCandidate[]): boolean {
  const others = shown.filter(({ source, earlier }) => source !== one.source || earlier !== one.earlier);
  const length = lengthOf(one);
  if (length === 0) {
    const ofApps = shown.filter(({ kind }) => kind !== null && one.kind !== null && kind !== one.kind);
    return [...others, ...ofApps].some(({ time }) => Math.abs(time - one.time) < SAME_INSTANT_MS);
  }
  if (shared(one, others) >= COVERED * length) return true;
  return shown.some((other) => {
    const common = shared(one, [other]);
    const isSame = common >= SAME_SESSION * (length + lengthOf(other) - common);
    const isPart = one.kind !== null && one.kind === other.kind && common >= COVERED * length;
    return other.source === one.source && (isSame || isPart || isGrown(one, other));
  });
}

/** True if the other one is the same session, written again after it went on. */
function isGrown(one: DayCandidate, other: DayCandidate): boolean {
  const isLonger = lengthOf(other) >= lengthOf(one);
  return isLonger && one.kind === other.kind && Math.abs(one.time - other.time) <= SAME_START_MS;
}

/** Time of a record that others cover. */
function shared(one: DayCandidate, others: readonly DayCandidate[]): number {
  const [start, end] = [one.time, one.time + lengthOf(one)];
  let [sum, until] = [0, start];
  for (const other of others.map(rangeOf).sort((a, b) => a.start - b.start)) {
    const from = Math.max(other.start, until);
    const to = Math.min(other.end, end);
    if (to > from) sum += to - from;
    until = Math.max(until, to);
  }
  return sum;
}

function rangeOf(one: DayCandidate): TimeRange {
  return { start: one.time, end: one.time + lengthOf(one) };
}

function lengthOf({ time, endTime }: Pick<DayCandidate, 'time' | 'endTime'>): number {
  return Math.max(0, (endTime ?? time) - time);
}

const sleeps = new Map([
  ['long_sleep', 1],
  ['short_sleep', 0],
  ['acknowledged_nap', -1],
  ['no_sleep', -2],
]);

/** The word before the type of a sleep that its source may still change. */
const TENTATIVE = 'tentative ';

/** Kind of a sleep: 1 long, 0 short, -1 nap, -2 only time in bed, null unknown. */
export function sleepOf(type: unknown): number | null {
  return sleeps.get(String(type).replace(TENTATIVE, '')) ?? null;
}

/** A sleep that is called long and is not, such as a nap of a source that calls every sleep so, is a short one. */
export function sleepClass(one: Pick<DayCandidate, 'sleep' | 'time' | 'endTime'>): number {
  const isLong = lengthOf(one) >= LONG_SLEEP_MS;
  if (one.sleep === null) return isLong ? 1 : 0;
  return one.sleep === 1 && one.endTime !== null && !isLong ? 0 : one.sleep;
}

function isEmpty({ kind }: DayCandidate): boolean {
  return kind === 'no_activity';
}

function isTentative({ kind }: DayCandidate): boolean {
  return kind?.startsWith(TENTATIVE) ?? false;
}

/** The better one first. */
function compare(ofDay: Resource['ofDay'], a: DayCandidate, b: DayCandidate): number {
  const content = ofDay === 'main_sleep' ? sleepClass(b) - sleepClass(a) : Number(isEmpty(a)) - Number(isEmpty(b));
  const length = ofDay === 'latest' ? 0 : lengthOf(b) - lengthOf(a);
  return (
    content ||
    a.source - b.source ||
    a.earlier - b.earlier ||
    Number(isTentative(a)) - Number(isTentative(b)) ||
    length ||
    b.version - a.version ||
    b.observation - a.observation ||
    (a.id < b.id ? 1 : -1)
  );
}
