import type { SeriesResource } from '../facts/catalogue.js';

export interface Pair {
  systolic: number;
  diastolic: number;
}

export type PointValue = number | string | Pair;

/** One sample as upstream stores it. Times in milliseconds since the epoch. */
export interface Point {
  provider: string;
  sourceType: string;
  deviceId: string | null;
  workoutId: string | null;
  sport: string | null;
  type: string | null;
  start: number;
  end: number | null;
  offset: number | null;
  value: PointValue;
  extras: Record<string, unknown>;
}

export interface StoredPoint extends Point {
  /** Increases with every new row; breaks ties in a page's position. */
  seq: number;
  /** Not shown until the historical pull of its source succeeded. */
  hidden: boolean;
}

export interface Position {
  start: number;
  seq: number;
}

interface Series {
  sorted: StoredPoint[];
  byKey: Map<string, StoredPoint>;
}

export type Change = 'created' | 'updated' | 'same';

/**
 * docs/upstream/timeseries.md#key-of-a-sample: source, sub-series and start identify a sample; samples of several
 * devices, workouts or sports are siblings (docs/upstream/timeseries.md#siblings).
 */
export function pointKey(point: Point): string {
  const { provider, sourceType, deviceId, workoutId, sport, type, start } = point;
  return [provider, sourceType, deviceId, workoutId, sport, type, start].map((part) => part ?? '').join('|');
}

function isAfter(point: StoredPoint, position: Position): boolean {
  return point.start !== position.start ? point.start > position.start : point.seq > position.seq;
}

/** Index of the first point after a position. */
function indexAfter(points: StoredPoint[], position: Position): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const point = points[middle];
    if (point !== undefined && !isAfter(point, position)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All samples, per user and resource, in order of (start, arrival). */
export class Points {
  private series = new Map<string, Series>();
  private seq = 0;

  /** For a restart (state.ts). */
  keep(): { series: Map<string, Series>; seq: number } {
    return { series: this.series, seq: this.seq };
  }

  restore({ series, seq }: { series: Map<string, Series>; seq: number }): void {
    this.series = series;
    this.seq = seq;
  }

  has(userId: string, resource: SeriesResource, point: Point): boolean {
    return this.seriesOf(userId, resource.name).byKey.has(pointKey(point));
  }

  /** Writes one sample: the latest value of a key replaces the earlier one. */
  put(userId: string, resource: SeriesResource, point: Point, hidden: boolean): { change: Change; row: StoredPoint } {
    const series = this.seriesOf(userId, resource.name);
    const key = pointKey(point);
    const known = series.byKey.get(key);
    if (known !== undefined) {
      const same =
        JSON.stringify([known.value, known.end, known.offset, known.extras]) ===
        JSON.stringify([point.value, point.end, point.offset, point.extras]);
      Object.assign(known, point);
      known.hidden = known.hidden && hidden;
      return { change: same ? 'same' : 'updated', row: known };
    }
    const row: StoredPoint = { ...point, seq: ++this.seq, hidden };
    series.byKey.set(key, row);
    series.sorted.splice(indexAfter(series.sorted, row), 0, row);
    return { change: 'created', row };
  }

  /** Removes samples that upstream no longer shows. */
  remove(userId: string, resource: SeriesResource, points: readonly StoredPoint[]): void {
    const series = this.seriesOf(userId, resource.name);
    const gone = new Set(points);
    for (const point of gone) series.byKey.delete(pointKey(point));
    series.sorted = series.sorted.filter((point) => !gone.has(point));
  }

  /** Up to `limit` visible samples after a position and not after `end`. */
  page(query: {
    userId: string;
    resource: string;
    after: Position;
    end: number;
    provider: string;
    limit: number;
  }): StoredPoint[] {
    const { sorted } = this.seriesOf(query.userId, query.resource);
    const rows: StoredPoint[] = [];
    for (let index = indexAfter(sorted, query.after); index < sorted.length; index += 1) {
      const row = sorted[index];
      if (row === undefined || row.start > query.end || rows.length === query.limit) break;
      if (!row.hidden && (query.provider === '' || row.provider === query.provider)) rows.push(row);
    }
    return rows;
  }

  visible(userId: string, resource: string): StoredPoint[] {
    return this.seriesOf(userId, resource).sorted.filter((row) => !row.hidden);
  }

  /** Rows of a source that wait for its pull. */
  hidden(userId: string, resource: string, provider: string): StoredPoint[] {
    return this.seriesOf(userId, resource).sorted.filter((row) => row.hidden && row.provider === provider);
  }

  private seriesOf(userId: string, resource: string): Series {
    const key = `${userId}|${resource}`;
    let series = this.series.get(key);
    if (series === undefined) {
      series = { sorted: [], byKey: new Map() };
      this.series.set(key, series);
    }
    return series;
  }
}
