import type { Measure } from '../catalogue/units.js';

/** One source and resource; `resource` is a name from the catalogue. */
export interface StreamName {
  readonly provider: string;
  readonly resource: string;
}

/** Counts of records per source, resource and day; never their values. */
export interface RecordDay extends StreamName {
  /** `YYYY-MM-DD`: the day of the person, or the calendar date of a summary that has one. */
  readonly date: string;
  readonly records: number;
  /** True if counting stopped at the limit, so there may be more. */
  readonly more: boolean;
}

/** Stored records of a day from one source: their number, and when the newest was observed. */
export interface StoredOfDay {
  readonly provider: string;
  readonly records: number;
  /** Epoch milliseconds. */
  readonly observedAt: number;
}

/** The ways in which samples of a source on one day were measured; each combination once. */
export interface DayMeasure extends Measure {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly provider: string;
  readonly sourceType: string;
  readonly subSeries: string;
}

/** Hidden records of a day from one source, with the looks that missed the one confirmed last. */
export interface GoneOfDay {
  readonly provider: string;
  readonly records: number;
  /** Number of them that an overlapping record replaced. */
  readonly superseded: number;
  /** When the first and the confirming look began, in epoch milliseconds; equal for a superseded record. */
  readonly missedAt: number;
  readonly confirmedAt: number;
  /** `sync_tasks.id` of both. */
  readonly looks: readonly [number, number];
}

/** Numbers of stored records of a date from one source that are not shown for it as they were sent. */
export interface StandingOfDay {
  readonly provider: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** A better record covers them, or stands for the day. */
  readonly hidden: number;
  /** From a former upstream user of the account, replaced by records of the present one. */
  readonly superseded: number;
  readonly forecasts: number;
  /** Samples with values that nobody can have; they do not count. */
  readonly noReadings?: number;
  /** Samples of which hourly sums are kept. */
  readonly thinned?: number;
  /** True if upstream has sent samples of these hours since. */
  readonly sentAgain?: boolean;
}

/** All that the store has of a resource on one day. */
export interface AllOfDay {
  /** Stored records, by source. */
  readonly stored: readonly StoredOfDay[];
  /** Hidden records, by source. */
  readonly gone: readonly GoneOfDay[];
  readonly standing: readonly StandingOfDay[];
  readonly measures: readonly DayMeasure[];
}
