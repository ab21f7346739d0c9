import type { Resource } from './catalogue.js';

/**
 * Everything of a sample's natural key but account, resource and time (docs/upstream/timeseries.md#key-of-a-sample); ''
 * where upstream has none.
 */
export interface SeriesKey {
  readonly provider: string;
  readonly sourceType: string;
  readonly deviceId: string;
  readonly workoutId: string;
  readonly sport: string;
  readonly subSeries: string;
}

/** The key as one text. */
export function seriesName(key: SeriesKey): string {
  return [key.provider, key.sourceType, key.deviceId, key.workoutId, key.sport, key.subSeries].join('\n');
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
}

/** Samples of one series by rising time, each time once. */
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

/** What a message or a page holds of one resource, ready to be applied. */
export interface Records {
  readonly resource: Resource;
  readonly samples: readonly SeriesBatch[];
  readonly summaries: readonly SummaryRecord[];
  /** Points and objects that came, and how many of them lack a time, a value or an id and cannot be stored. */
  readonly received: number;
  readonly rejected: number;
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
    const { resource, received, rejected } = records;
    return { resource, samples, summaries, received: last ? received : 0, rejected: last ? rejected : 0 };
  });
}
