import {
  asFields,
  asList,
  asText,
  codeOrOther,
  isFields,
  nextCursorOf,
  numberOrNull,
  readEach,
  textOrNull,
  textsOf,
  type Unreadable,
  type WireFields,
  WireShapeError,
} from '../../platform/platform/json-reader.js';
import { toIso } from '../../platform/platform/time.js';

/**
 * Where data came from (docs/upstream/timeseries.md#source). A type alias, which unlike an interface also passes as a
 * plain record.
 */
export type WireSource = {
  provider: string;
  /** Open; `unknown` when upstream did not say. */
  type: string;
  app_id: string | null;
  /** `Device.id` of upstream, not the hardware's. */
  device_id: string | null;
  sport: string | null;
  workout_id: string | null;
};

/** One group of points of one source. The points are as upstream sent them: health-data checks them. */
export interface WireGroup {
  source: WireSource;
  data: unknown[];
}

export interface TimeseriesQuery {
  /** Epoch milliseconds. */
  start: number;
  /**
   * Epoch milliseconds. Upstream does not state whether it is included
   * (docs/upstream/timeseries.md#bounds-of-a-window): overlap windows.
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
  /** Resource as the path names it. */
  path: string;
  /** Key of the list in the answer; null for the profile, which is bare and takes no dates. */
  responseKey: string | null;
  start: number;
  end: number;
  provider?: string | undefined;
  /**
   * Send `YYYY-MM-DD` of UTC, for the resources that take nothing else (docs/upstream/summaries.md#date-only-calls).
   */
  dateOnly: boolean;
}

export interface WirePullStatistics {
  /** Open: `scheduled`, `in_progress`, `retrying`, `success`, `failure`; `unknown` when upstream did not say. */
  status: string;
  /** Null if upstream did not report it; null is not 0. */
  days_with_data: number | null;
  range_start: string | null;
  range_end: string | null;
  release: string | null;
  trace_id: string | null;
  error_details: string | null;
  timeline: { scheduled_at: string | null; started_at: string | null; ended_at: string | null };
}

export interface WireProviderPulls {
  pulled: Record<string, WirePullStatistics>;
  not_pulled: string[];
}

export interface WirePullRecord {
  user_id: string;
  provider: Record<string, WireProviderPulls>;
}

/** Upstream's ingestion state of one resource of a source; null if unreported. */
export interface WireIngestion {
  last_attempt: { timestamp: string | null; status: string | null } | null;
  newest_data: string | null;
}

export interface WireIngestionRecord {
  user_id: string;
  /** By provider, then resource. */
  provider: Record<string, Record<string, WireIngestion>>;
}

export interface WireIngestionPage {
  data: WireIngestionRecord[];
  nextCursor: string | null;
}

export interface WirePullPage {
  data: WirePullRecord[];
  nextCursor: string | null;
}

/** `slug` is the deprecated name of `provider`; a REST group also stands under its provider's key. */
export function readSource(value: unknown, key?: string): WireSource {
  const source: WireFields = isFields(value) ? value : {};
  const provider = textOrNull(source.provider) ?? textOrNull(source.slug) ?? key;
  return {
    provider: asText(provider, 'source.provider'),
    type: textOrNull(source.type) ?? 'unknown',
    app_id: textOrNull(source.app_id),
    device_id: textOrNull(source.device_id),
    sport: textOrNull(source.sport),
    workout_id: textOrNull(source.workout_id),
  };
}

/**
 * One group of a page, or the `data` of a timeseries event (docs/upstream/webhooks.md#timeseries-events). Throws
 * `WireShapeError`.
 */
export function readGroup(value: unknown, key?: string): WireGroup {
  const group = asFields(value, 'group');
  return { source: readSource(group.source, key), data: asList(group.data, 'group.data') };
}

/** A list that is none counts as one unreadable group. */
function groupsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? (list as unknown[]) : [null];
}

/**
 * A page without `groups` is unreadable; it does not mean "no data". A group that cannot be read is skipped, unless no
 * group of the page can be read.
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

function readStatistics(value: unknown): WirePullStatistics {
  const pull = asFields(value, 'pulled[]');
  const timeline: WireFields = isFields(pull.timeline) ? pull.timeline : {};
  return {
    status: textOrNull(pull.status) ?? 'unknown',
    days_with_data: numberOrNull(pull.days_with_data),
    range_start: textOrNull(pull.range_start),
    range_end: textOrNull(pull.range_end),
    release: textOrNull(pull.release),
    trace_id: textOrNull(pull.trace_id),
    error_details: codeOrOther(pull.error_details),
    timeline: {
      scheduled_at: textOrNull(timeline.scheduled_at),
      started_at: textOrNull(timeline.started_at),
      ended_at: textOrNull(timeline.ended_at),
    },
  };
}

function mapValues<T>(value: unknown, read: (entry: unknown) => T, unreadable: Unreadable): Record<string, T> {
  if (!isFields(value)) return {};
  const entries = readEach(
    Object.entries(value),
    (item) => {
      const [key, entry] = item;
      return [key, read(entry)] as const;
    },
    unreadable,
  );
  return Object.fromEntries(entries);
}

function readProviderPulls(value: unknown, unreadable: Unreadable): WireProviderPulls {
  const provider = asFields(value, 'provider[]');
  return { pulled: mapValues(provider.pulled, readStatistics, unreadable), not_pulled: textsOf(provider.not_pulled) };
}

function readPullRecord(value: unknown, unreadable: Unreadable): WirePullRecord {
  const record = asFields(value, 'data[]');
  return {
    user_id: asText(record.user_id, 'data[].user_id'),
    provider: mapValues(record.provider, (provider) => readProviderPulls(provider, unreadable), unreadable),
  };
}

export function readPullPage(value: unknown, unreadable: Unreadable): WirePullPage {
  const page = asFields(value, 'page');
  const data = readEach(asList(page.data, 'data'), (record) => readPullRecord(record, unreadable), unreadable);
  return { data, nextCursor: nextCursorOf(page) };
}

function readIngestion(value: unknown): WireIngestion {
  const { last_attempt: attempt, newest_data } = asFields(value, 'provider[][]');
  const last_attempt = isFields(attempt)
    ? { timestamp: textOrNull(attempt.timestamp), status: textOrNull(attempt.status) }
    : null;
  return { last_attempt, newest_data: textOrNull(newest_data) };
}

function readIngestionRecord(value: unknown, unreadable: Unreadable): WireIngestionRecord {
  const record = asFields(value, 'data[]');
  return {
    user_id: asText(record.user_id, 'data[].user_id'),
    provider: mapValues(record.provider, (resources) => mapValues(resources, readIngestion, unreadable), unreadable),
  };
}

export function readIngestionPage(value: unknown, unreadable: Unreadable): WireIngestionPage {
  const page = asFields(value, 'page');
  const data = readEach(asList(page.data, 'data'), (record) => readIngestionRecord(record, unreadable), unreadable);
  return { data, nextCursor: nextCursorOf(page) };
}
