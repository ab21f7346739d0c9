import { Injectable } from '@nestjs/common';
import { hasNoWindow, type Resource } from '../catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../catalogue/map-records.js';
import type { Records } from '../catalogue/records.js';
import { yieldToEventLoop } from '../platform/event-loop.js';
import { DAY_MS } from '../platform/time.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import type { PullTaskEntity } from './pull-task.entity.js';
import { summaryPart } from './windows.js';

/** One page of a task's window, as records. */
export interface Page {
  readonly records: Records;
  /** Cursor of the next page, upstream's or for summaries our own; null after the last. */
  readonly next: string | null;
  /** How far the page goes where that does not depend on its records; null where it does. */
  readonly end: number | null;
}

/** Well below the lease, so that whoever fetches a page can still store it. */
const DEADLINE_MS = 90_000;
const OLD_MS = 90 * DAY_MS;

/** Reads pages from upstream. Holds nothing and writes nothing. */
@Injectable()
export class PageFetcher {
  constructor(private readonly upstream: UpstreamClient) {}

  /** The page at the task's cursor. Throws `UpstreamError`, or the signal's reason. */
  async fetch(task: PullTaskEntity, resource: Resource, userId: string, signal: AbortSignal): Promise<Page> {
    const options: CallOptions = { priority: priorityOf(task), signal, deadlineMs: DEADLINE_MS };
    return resource.family === 'summary'
      ? this.summaries(task, resource, userId, options)
      : this.timeseries(task, resource, userId, options);
  }

  private async timeseries(task: PullTaskEntity, resource: Resource, userId: string, o: CallOptions): Promise<Page> {
    const { window_start: start, window_end: end, next_cursor: cursor } = task;
    const query = { start, end, cursor, ...providerOf(task) };
    const { groups, nextCursor } = await this.upstream.timeseriesPage(userId, resource.name, query, o);
    await yieldToEventLoop();
    const records = mapGroups(
      resource,
      groups.map(({ source, data }) => ({ source: { ...source }, data })),
    );
    return { records, next: nextCursor, end: null };
  }

  private async summaries(task: PullTaskEntity, resource: Resource, userId: string, o: CallOptions): Promise<Page> {
    const window = { start: task.window_start, end: task.window_end };
    const { start, end, next } = summaryPart(resource, window, task.next_cursor);
    const { name: path, responseKey, dateOnly } = resource;
    const query = { userId, path, responseKey, dateOnly, start, end, ...providerOf(task) };
    const objects = await this.upstream.summaryList(query, o).catch((error: unknown) => noneIfAbsent(resource, error));
    return { records: mapSummaries(resource, objects), next, end };
  }
}

/** Upstream answers 404 where there is no profile; an unknown user shows in every other resource. */
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
