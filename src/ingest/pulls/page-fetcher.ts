import { Injectable } from '@nestjs/common';
import { hasNoWindow, type Resource } from '../../health/catalogue/catalogue.js';
import { mapGroupsInParts, mapSummariesInParts } from '../../health/catalogue/map-records.js';
import { type Records, withSkipped } from '../../health/catalogue/records.js';
import { inTurns, yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { DAY_MS, HOUR_MS, type TimeRange } from '../../platform/platform/time.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { PULL_CALL_MS, SUMMARY_PART_MS } from '../streams/tuning.js';
import type { PullTaskEntity } from './pull-task.entity.js';

/** One page of a task's window, as records. */
export interface Page {
  readonly records: Records;
  /** Cursor of the next page (upstream's, or our own for summaries); null after the last page. */
  readonly next: string | null;
  /** End of the page if it does not depend on its records; otherwise null. */
  readonly end: number | null;
}

const OLD_MS = 90 * DAY_MS;

/**
 * Upstream does not state whether a window includes its ends (docs/upstream/timeseries.md#bounds-of-a-window), so
 * windows overlap by this much.
 */
const OVERLAP_MS = 1_000;

/** Reads pages from upstream. Has no state and writes nothing. */
@Injectable()
export class PageFetcher {
  constructor(private readonly upstream: UpstreamClient) {}

  /** The page at the task's cursor. Throws `UpstreamError`, or the signal's reason. */
  async fetch(task: PullTaskEntity, resource: Resource, userId: string, signal: AbortSignal): Promise<Page> {
    const options: CallOptions = {
      ...{ priority: priorityOf(task), account: task.account_id },
      ...{ signal, deadlineMs: PULL_CALL_MS },
    };
    return resource.family === 'summary'
      ? this.summaries(task, resource, userId, options)
      : this.timeseries(task, resource, userId, options);
  }

  private async timeseries(task: PullTaskEntity, resource: Resource, userId: string, o: CallOptions): Promise<Page> {
    const { window_start: start, window_end: end, next_cursor: cursor } = task;
    const query = { start, end, cursor, ...providerOf(task) };
    const { groups, skipped, nextCursor } = await this.upstream.timeseriesPage(userId, resource.name, query, o);
    await yieldToEventLoop();
    const records = withSkipped(await inTurns(mapGroupsInParts(resource, groups)), skipped);
    return { records, next: nextCursor, end: null };
  }

  private async summaries(task: PullTaskEntity, resource: Resource, userId: string, o: CallOptions): Promise<Page> {
    const window = { start: task.window_start, end: task.window_end };
    const { start, end, next } = summaryPart(resource, window, task.next_cursor);
    const { name: path, responseKey, dateOnly } = resource;
    const query = { userId, path, responseKey, dateOnly, start, end, ...providerOf(task) };
    const objects = await this.upstream.summaryList(query, o).catch((error: unknown) => noneIfAbsent(resource, error));
    return { records: await inTurns(mapSummariesInParts(resource, objects)), next, end };
  }
}

/** For a missing profile upstream returns 404, like for an unknown user, who is noticed in every other resource. */
function noneIfAbsent(resource: Resource, error: unknown): unknown[] {
  if (hasNoWindow(resource) && error instanceof UpstreamError && error.isNotFound) return [];
  throw error;
}

function providerOf({ provider }: PullTaskEntity): { provider?: string } {
  return provider === '' ? {} : { provider };
}

function priorityOf({ origin, window_end, created_at }: PullTaskEntity): CallOptions['priority'] {
  return origin === 'recovery' || window_end < created_at - OLD_MS ? 'bulk' : 'background';
}

/** Widens a range so that upstream certainly includes both ends. */
export function padded({ start, end }: TimeRange): TimeRange {
  return { start: start - OVERLAP_MS, end: end + OVERLAP_MS };
}

/** Extends a range to full hours, so that requests for neighbouring samples are merged. */
export function wholeHours(range: TimeRange): TimeRange {
  const { start, end } = padded(range);
  return { start: Math.floor(start / HOUR_MS) * HOUR_MS, end: Math.ceil(end / HOUR_MS) * HOUR_MS };
}

/** Number of parts of a summary window. */
export function summaryParts({ start, end }: TimeRange): number {
  return Math.max(1, Math.ceil((end - start) / SUMMARY_PART_MS));
}

/**
 * The part of a summary window at `cursor`, and the cursor of the next part. The cursor is our own: the end of the
 * previous part in epoch milliseconds; null means the first part.
 */
export function summaryPart(
  resource: Resource,
  window: TimeRange,
  cursor: string | null,
): TimeRange & { next: string | null } {
  if (hasNoWindow(resource)) return { ...window, next: null };
  const from = cursor === null ? window.start : Number(cursor);
  const end = Math.min(from + SUMMARY_PART_MS, window.end);
  const next = end < window.end ? String(end) : null;
  return { start: cursor === null ? from : from - OVERLAP_MS, end, next };
}
