import type { Resource } from './catalogue.js';

/**
 * Everything of a sample's key but account, resource and time (docs/upstream/timeseries.md#key-of-a-sample); '' where
 * upstream has none.
 */
export interface SeriesKey {
  readonly provider: string;
  readonly sourceType: string;
  readonly subSeries: string;
}

/**
 * What a source may say of itself in one answer and leave out in the next, so that it is no part of a key
 * (docs/upstream/timeseries.md#siblings); '' where upstream says nothing.
 */
export interface SourceDetails {
  readonly deviceId: string;
  readonly workoutId: string;
  readonly sport: string;
}

export function sameDetails(a: SourceDetails, b: SourceDetails): boolean {
  return a === b || (a.deviceId === b.deviceId && a.workoutId === b.workoutId && a.sport === b.sport);
}

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

/** Samples of one series by rising time. Those of one time are siblings: no two of them have the same details. */
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
  /** The object as it came, as JSON. */
  readonly raw: string;
}

const EARLIEST = Date.UTC(1900, 0, 1);
const END = Date.UTC(2200, 0, 1);
/** Seconds: farther from UTC than any place on earth. */
const MAX_OFFSET = 86_400;

/**
 * Whether a record may lie at a time, in epoch milliseconds. Whatever lies outside is a mistake of its source, and
 * could not be shown everywhere, compared with other times or asked for again.
 */
export function isWithinBounds(time: number): boolean {
  return time >= EARLIEST && time < END;
}

/** Seconds east of UTC; what is no number says nothing. */
export function isOffsetOutOfRange(offset: unknown): boolean {
  return typeof offset === 'number' && Math.abs(offset) > MAX_OFFSET;
}

/** Why a point or a summary object cannot be stored. */
export const rejectionReasons = [
  'no_object',
  'no_provider',
  'no_id',
  'no_time',
  'unreadable_time',
  'time_out_of_range',
  'offset_out_of_range',
  'no_value',
  'unreadable_value',
  'nul_in_text',
  'key_too_long',
  'attributes_too_long',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Points or objects of one answer that are alike and cannot be stored. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** '' where the source names none. */
  readonly provider: string;
  /** Epoch milliseconds, where that much of it is right. */
  readonly time: number | null;
  /** The point as it came, as JSON; null where an answer has too many to keep. */
  readonly raw: string | null;
  readonly count: number;
}

/** What a message or a page holds of one resource, ready to be applied. */
export interface Records {
  readonly resource: Resource;
  readonly samples: readonly SeriesBatch[];
  readonly summaries: readonly SummaryRecord[];
  /** Points and objects that came, and how many of them cannot be stored. */
  readonly received: number;
  readonly rejected: number;
  readonly rejections: readonly Rejection[];
}

/**
 * Parts of at most `most` samples or summaries, for writing a large page in short transactions. The counts of what
 * was received and rejected go with the last part.
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
