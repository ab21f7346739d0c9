import type { TimeRange } from '../../platform/platform/time.js';
import type { Resource } from '../catalogue/catalogue.js';
import type { SeriesRange } from '../clock/series-ranges.js';
import { firstObservationAt } from '../records/observation-ids.js';

/** Filter of a query. Times in epoch milliseconds, start inclusive, end exclusive; days are both inclusive. */
export interface RecordsFilter {
  readonly account: number;
  readonly resource: Resource;
  readonly start: number | null;
  readonly end: number | null;
  /** Calendar days as `YYYY-MM-DD`; without `undated`, they match only summaries with a calendar day. */
  readonly firstDay?: string | null;
  readonly lastDay?: string | null;
  /** The range of these days, for summaries that name no calendar day. */
  readonly undated?: TimeRange;
  readonly provider: string | null;
  readonly sourceType: string | null;
  /**
   * The first observation of the present upstream user. Records of an earlier one are left out if later ones of the
   * same source cover at least half of their time. Null or missing: none are left out.
   */
  readonly earlierUntil?: number | null;
  /** Parts of series; only for samples, which must be in one of them. */
  readonly ranges?: readonly SeriesRange[];
}

export const recordOrders = ['oldest', 'newest'] as const;
/** Which records come first. */
export type RecordOrder = (typeof recordOrders)[number];

type SampleAfter = readonly [time: number, seriesId: number, sibling: number];
type SummaryAfter = readonly [time: number, summaryId: string];

/** `after` is the position of the last record of the previous page. */
export interface RecordsQuery extends RecordsFilter {
  readonly after: SampleAfter | SummaryAfter | null;
  /** Default `oldest`. */
  readonly order?: RecordOrder | undefined;
  readonly limit: number;
}

/** Records of one source that begin in a range and end by `until`. Epoch milliseconds. */
export interface LastEndQuery extends TimeRange {
  readonly account: number;
  readonly resource: Resource;
  readonly provider: string;
  readonly until: number;
}

/** Origin of a record and the time of its observation; epoch milliseconds. */
export interface RecordProvenance {
  readonly kind: string;
  /** `messages.seq` or the id of the pull task. */
  readonly ref: number;
  readonly page: number | null;
  readonly observedAt: number;
}

/** Why and when a record was hidden. Epoch milliseconds. */
export interface GoneMark {
  /** gone: two complete looks did not show it · superseded: one did not, and showed an overlapping record instead. */
  readonly reason: 'gone' | 'superseded';
  /** When it was last seen, and when the first look that missed it began. */
  readonly between: readonly [lastSeen: number, firstMissed: number];
  /** `sync_tasks.id` of the first and the confirming look; equal for a superseded record. */
  readonly looks: readonly [number, number];
}

interface RecordBase {
  /** Only for hidden records. */
  readonly gone?: GoneMark;
  readonly time: number;
  readonly endTime: number | null;
  readonly provider: string;
  readonly sourceType: string;
  readonly floatingTime: boolean;
  /** When a floating time was, if the clock of the person says; only of the newest records. */
  readonly instant?: number;
  readonly provenance: RecordProvenance;
}

export interface SampleRead extends RecordBase {
  readonly kind: 'sample';
  readonly seriesId: number;
  /** Number among the samples of this series and time. */
  readonly sibling: number;
  readonly deviceId: string;
  readonly workoutId: string;
  readonly sport: string;
  readonly subSeries: string;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface SummaryRead extends RecordBase {
  readonly kind: 'summary';
  readonly summaryId: string;
  readonly calendarDate: string | null;
  /** Upstream's `updated_at`, epoch milliseconds. */
  readonly updatedAt: number | null;
  readonly raw: Readonly<Record<string, unknown>>;
  /** Length of `raw` as text. */
  readonly size: number;
}

export type RecordRead = SampleRead | SummaryRead;

/** The newest record of a resource from one source. */
export interface NewestRecord {
  readonly resource: string;
  readonly provider: string;
  readonly time: number;
}

/** When the present upstream user of an account replaced another one. */
export interface Relinked {
  readonly relinked_at?: number | null;
}

/** The first observation of an account's present upstream user; null if it had no other one. */
export function earlierUntil(relinkedAt: number | null | undefined): number | null {
  return relinkedAt === null || relinkedAt === undefined ? null : firstObservationAt(relinkedAt + 1);
}
