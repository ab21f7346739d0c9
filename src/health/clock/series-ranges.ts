import { preparedLength, typedRows } from '../../storage/database/dialect.js';
import { MAX_RANGES_A_STATEMENT } from '../catalogue/tuning.js';

/** A part of a series; epoch milliseconds, `end` exclusive. */
export interface SeriesRange {
  readonly seriesId: number;
  readonly start: number;
  readonly end: number;
  /** `thinned_until` of the series; absent if hours of thinned samples do not matter. */
  readonly thinnedUntil?: number | null;
}

const rangeTypes = ['bigint', 'bigint', 'bigint', 'bigint'];

/** Calls `read` with slices of the ranges, each as a list of places, series and times; returns all rows. */
export async function inParts<T extends { place: number }>(
  ranges: readonly SeriesRange[],
  read: (list: string, values: number[]) => Promise<T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (let from = 0; from < ranges.length; from += MAX_RANGES_A_STATEMENT) {
    const part = ranges.slice(from, from + MAX_RANGES_A_STATEMENT);
    const length = preparedLength(part.length);
    const values = part.flatMap(({ seriesId, start, end }, index) => [from + index, seriesId, start, end]);
    for (let more = part.length; more < length; more++) values.push(-1, 0, 0, 0);
    rows.push(...(await read(typedRows(rangeTypes, length), values)).filter(({ place }) => place >= 0));
  }
  return rows;
}
