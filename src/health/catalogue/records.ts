import { MAX_AHEAD_MS, MAX_BEHIND_MS } from '../../platform/platform/time.js';
import type { Resource } from './catalogue.js';

/**
 * A sample's key without account, resource and time (docs/upstream/timeseries.md#key-of-a-sample). Fields that upstream
 * does not send are ''.
 */
export interface SeriesKey {
  readonly provider: string;
  readonly sourceType: string;
  readonly subSeries: string;
}

/**
 * Optional source details that upstream may send in one response and omit in the next, so they are not part of a key
 * (docs/upstream/timeseries.md#siblings); '' if upstream sends none.
 */
export interface SourceDetails {
  readonly deviceId: string;
  readonly workoutId: string;
  readonly sport: string;
}

export function sameDetails(a: SourceDetails, b: SourceDetails): boolean {
  return a === b || (a.deviceId === b.deviceId && a.workoutId === b.workoutId && a.sport === b.sport);
}

const saysNothing = /^\{("timezone_offset":-?\d+)?,?("unit":"[^"\\]*")?\}$/;

/**
 * Differences, besides the source, between a sample and another one of its time: every attribute but the unit and the
 * offset, such as `delivery_mode`, `intensity`, `sensor_location` or `tags`; '' for none.
 */
export function traitsOf(attributes: string): string {
  if (saysNothing.test(attributes)) return '';
  const { unit: _, timezone_offset: __, ...traits } = JSON.parse(attributes) as Record<string, unknown>;
  return Object.keys(traits).length === 0 ? '' : JSON.stringify(traits);
}

/** Where a record comes from: a webhook message or a page of a pull. */
export const observationKinds = ['message', 'sync'] as const;
export type ObservationKind = (typeof observationKinds)[number];

export interface Sample {
  /** Epoch milliseconds; the start of an interval. */
  readonly time: number;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text: string | null;
  readonly durationMs: number | null;
  /** Canonical JSON of unit, offset and the rarer fields. */
  readonly attributes: string;
  readonly details: SourceDetails;
}

/**
 * Samples of one series, sorted by time. Samples of the same time are siblings that differ in more than their value.
 */
export interface SeriesBatch {
  readonly key: SeriesKey;
  readonly samples: readonly Sample[];
}

export interface SummaryRecord {
  readonly summaryId: string;
  readonly time: number;
  readonly endTime: number | null;
  readonly calendarDate: string | null;
  readonly provider: string;
  readonly sourceType: string;
  /** Upstream's `updated_at` in microseconds since the epoch. */
  readonly version: number;
  /**
   * `forecast` of any resource; type of a sleep, after `tentative` if it may still change; sport of a workout, app of a
   * meal, `no_activity` of a day without any amount; null if unknown or of another resource.
   */
  readonly kind: string | null;
  /** The unchanged object as JSON. */
  readonly raw: string;
}

const EARLIEST = Date.UTC(1900, 0, 1);
const END = Date.UTC(2200, 0, 1);
/** Seconds; larger than the UTC offset of any place on earth. */
const MAX_OFFSET = 86_400;

/**
 * True if a time in epoch milliseconds is in the accepted range. A time outside it is an error of the source, and not
 * every part of the system could display, compare or pull it.
 */
export function isWithinBounds(time: number): boolean {
  return time >= EARLIEST && time < END;
}

/** `offset` in seconds east of UTC; false for a value that is not a number. */
export function isOffsetOutOfRange(offset: unknown): boolean {
  return typeof offset === 'number' && Math.abs(offset) > MAX_OFFSET;
}

/** UTC offset in milliseconds; null if the attributes contain none, or one that exists nowhere on earth. */
export function aheadOf(attributes: string | null): number | null {
  const { timezone_offset: seconds } = JSON.parse(attributes ?? '{}') as { timezone_offset?: unknown };
  const ahead = typeof seconds === 'number' ? seconds * 1_000 : null;
  return ahead === null || ahead > MAX_AHEAD_MS || ahead < -MAX_BEHIND_MS ? null : ahead;
}

/**
 * Why a point or a summary object cannot be stored. repeated: the same response has another value for the same point
 * later on.
 */
export const rejectionReasons = [
  'no_object',
  'unreadable_group',
  'no_provider',
  'no_id',
  'no_time',
  'unreadable_time',
  'time_out_of_range',
  'ends_before_start',
  'offset_out_of_range',
  'repeated',
  'no_value',
  'unreadable_value',
  'nul_in_text',
  'key_too_long',
  'attributes_too_long',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Identical points or objects of one response that cannot be stored. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** '' if the source names none. */
  readonly provider: string;
  /** Epoch milliseconds; null if the time is invalid, or if a response has too many to keep. */
  readonly time: number | null;
  /** The unchanged point as JSON; null if a response has too many to keep. */
  readonly raw: string | null;
  readonly count: number;
}

/** The data of one resource from a message or page, ready to apply. */
export interface Records {
  readonly resource: Resource;
  readonly samples: readonly SeriesBatch[];
  readonly summaries: readonly SummaryRecord[];
  /** Number of received points and objects, and of those that cannot be stored. */
  readonly received: number;
  readonly rejected: number;
  readonly rejections: readonly Rejection[];
}

/** Adds the groups of a page that could not be read: they count as rejected points without a time. */
export function withSkipped(records: Records, skipped: number): Records {
  if (skipped === 0) return records;
  const group: Rejection = { reason: 'unreadable_group', provider: '', time: null, raw: null, count: skipped };
  const { received, rejected, rejections } = records;
  return {
    ...records,
    ...{ received: received + skipped, rejected: rejected + skipped, rejections: [...rejections, group] },
  };
}

/**
 * Splits records into parts of at most `most` samples or summaries, so that a large page is written in short
 * transactions. The last part has the counts of received and rejected points.
 */
export function sliceRecords(records: Records, most: number): Records[] {
  const slices: { samples: SeriesBatch[]; summaries: SummaryRecord[]; room: number }[] = [];
  let slice = { samples: [] as SeriesBatch[], summaries: [] as SummaryRecord[], room: most };
  const next = (): void => {
    slices.push(slice);
    slice = { samples: [], summaries: [], room: most };
  };
  for (const batch of records.samples) {
    for (let from = 0; from < batch.samples.length; ) {
      if (slice.room === 0) next();
      const samples = batch.samples.slice(from, from + slice.room);
      slice.samples.push({ key: batch.key, samples });
      slice.room -= samples.length;
      from += samples.length;
    }
  }
  for (const summary of records.summaries) {
    if (slice.room === 0) next();
    slice.summaries.push(summary);
    slice.room -= 1;
  }
  next();
  return slices.map(({ samples, summaries }, index) => {
    const last = index === slices.length - 1;
    const { resource, received, rejected, rejections } = records;
    const none = { received: 0, rejected: 0, rejections: [] };
    return { resource, samples, summaries, ...(last ? { received, rejected, rejections } : none) };
  });
}
