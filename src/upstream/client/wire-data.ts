import {
  asFields,
  asList,
  asText,
  codeOrOther,
  isFields,
  nextCursorOf,
  numberOrNull,
  readEach,
  refuse,
  textOrNull,
  textsOf,
  type Unreadable,
  type WireFields,
  WireShapeError,
} from '../../platform/platform/json-reader.js';
import { listOf, mapOf, object, objectOrNull, type ReadObject, type Wire } from '../../platform/platform/json-shape.js';
import { toIso } from '../../platform/platform/time.js';

const readSourceFields = object('source', {
  provider: asText,
  /** Upstream may add values; `unknown` if it sent none. */
  type: (value) => textOrNull(value) ?? 'unknown',
  app_id: textOrNull,
  /** Upstream's `Device.id`, not a hardware id. */
  device_id: textOrNull,
  sport: textOrNull,
  workout_id: textOrNull,
});

/** Source of data (docs/upstream/timeseries.md#source). */
export type WireSource = Wire<typeof readSourceFields>;

/** A group of samples of one source, as upstream sent them; health-data checks them. */
export interface WireGroup {
  source: WireSource;
  data: unknown[];
}

export interface TimeseriesQuery {
  /** Epoch milliseconds. */
  start: number;
  /**
   * Epoch milliseconds. Let windows overlap, because upstream does not state whether the end is included
   * (docs/upstream/timeseries.md#bounds-of-a-window).
   */
  end: number;
  provider?: string | undefined;
  cursor?: string | null | undefined;
}

export interface WireTimeseriesPage {
  groups: WireGroup[];
  /** Number of groups that could not be read. */
  skipped: number;
  nextCursor: string | null;
}

export interface SummaryQuery {
  userId: string;
  /** Resource, as named in paths. */
  path: string;
  /** Key of the list in the response; null for the profile, which is a bare object and takes no dates. */
  responseKey: string | null;
  start: number;
  end: number;
  provider?: string | undefined;
  /** True for resources that accept only UTC dates, `YYYY-MM-DD` (docs/upstream/summaries.md#date-only-calls). */
  dateOnly: boolean;
}

/** `slug` is the deprecated name of `provider`. In REST responses, the key of the group is its provider too. */
export function readSource(value: unknown, key?: string): WireSource {
  const source: WireFields = isFields(value) ? value : {};
  return readSourceFields({ ...source, provider: textOrNull(source.provider) ?? textOrNull(source.slug) ?? key });
}

/**
 * One group of a page, or the `data` of a timeseries event (docs/upstream/webhooks.md#timeseries-events). Throws
 * `WireShapeError`.
 */
export function readGroup(value: unknown, key?: string): WireGroup {
  const group = asFields(value, 'group');
  return { source: readSource(group.source, key), data: asList(group.data, 'group.data') };
}

/** Anything but a list counts as one unreadable group. */
function groupsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? (list as unknown[]) : [null];
}

/**
 * A page without `groups` is unreadable; it does not mean "no data". Skips unreadable groups, but throws if no group of
 * the page can be read.
 */
export function readTimeseriesPage(value: unknown, unreadable: Unreadable): WireTimeseriesPage {
  const page = asFields(value, 'page');
  const lists = Object.entries(asFields(page.groups, 'groups'));
  const listed = lists.flatMap(([key, list]) => groupsOf(list).map((group) => ({ key, group })));
  const groups = readEach(listed, ({ key, group }) => readGroup(group, key), unreadable);
  if (listed.length > 0 && groups.length === 0) throw new WireShapeError('groups[]');
  return { groups, skipped: listed.length - groups.length, nextCursor: nextCursorOf(page) };
}

export function timeseriesQuery(query: TimeseriesQuery): Record<string, string | null | undefined> {
  return {
    start_date: toIso(query.start),
    end_date: toIso(query.end),
    provider: query.provider,
    next_cursor: query.cursor,
  };
}

export function summaryQuery(query: SummaryQuery): Record<string, string | undefined> {
  if (query.responseKey === null) return { provider: query.provider };
  const length = query.dateOnly ? 'YYYY-MM-DD'.length : undefined;
  return {
    start_date: toIso(query.start).slice(0, length),
    end_date: toIso(query.end).slice(0, length),
    provider: query.provider,
  };
}

export function readSummaries(value: unknown, responseKey: string | null): unknown[] {
  const body = asFields(value, responseKey ?? 'summary');
  return responseKey === null ? [body] : asList(body[responseKey], responseKey);
}

/** One page of a list with cursors. `nextCursor` is null on the last. */
export interface WirePage<T> {
  data: T[];
  nextCursor: string | null;
}

export function pageOf<T>(read: ReadObject<T>): (value: unknown, unreadable: Unreadable) => WirePage<T> {
  return (value, unreadable) => {
    const page = asFields(value, 'page');
    return { data: listOf(read)(page.data, 'data', unreadable), nextCursor: nextCursorOf(page) };
  };
}

const readTimeline = object('timeline', { scheduled_at: textOrNull, started_at: textOrNull, ended_at: textOrNull });

const readStatistics = object('pulled[]', {
  /** `scheduled`, `in_progress`, `retrying`, `success`, `failure` or a new value; `unknown` if upstream sent none. */
  status: (value) => textOrNull(value) ?? 'unknown',
  /** Null if upstream did not report it; null is not 0. */
  days_with_data: numberOrNull,
  range_start: textOrNull,
  range_end: textOrNull,
  release: textOrNull,
  trace_id: textOrNull,
  error_details: codeOrOther,
  timeline: (value) => readTimeline(isFields(value) ? value : {}),
});

export type WirePullStatistics = Wire<typeof readStatistics>;

const readProviderPulls = object('provider[]', { pulled: mapOf(readStatistics), not_pulled: textsOf });

const readPullRecord = object('data[]', { user_id: asText, provider: mapOf(readProviderPulls) });

export type WirePullRecord = Wire<typeof readPullRecord>;

export const readPullPage = pageOf(readPullRecord);

/** Upstream's ingestion state of one resource of a source; fields are null if unreported. */
const readIngestion = object('provider[][]', {
  last_attempt: objectOrNull(object('last_attempt', { timestamp: textOrNull, status: textOrNull })),
  newest_data: textOrNull,
});

const readIngestionRecord = object('data[]', {
  user_id: asText,
  /** By provider, then resource. */
  provider: mapOf((resources, unreadable = refuse) => mapOf(readIngestion)(resources, '', unreadable)),
});

export type WireIngestionRecord = Wire<typeof readIngestionRecord>;

export const readIngestionPage = pageOf(readIngestionRecord);
