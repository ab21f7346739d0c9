import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { assertWritable, isErasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { isWhole, type Resource } from '../../health/catalogue/catalogue.js';
import { type Records, sliceRecords } from '../../health/catalogue/records.js';
import { HealthDataService } from '../../health/records/health-data.service.js';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import type { ChangeOrigin } from '../../storage/change-log/change.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { follow, type PageLimits } from '../../upstream/client/cursor-guard.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { MAX_RECORDS_A_JOB } from '../streams/tuning.js';
import { HeldPull } from './held-pull.js';
import type { Page } from './page-fetcher.js';
import { PullRequests } from './pull-requests.service.js';
import type { PullTaskEntity, TaskOrigin } from './pull-task.entity.js';

/** One value per second for a year, at thirty values a page, makes about a million pages. Some pages may be empty. */
const limits: PageLimits = { pages: 1_000_000, emptyPages: 100, repeatedPages: 3 };

/** Reason for a pull, as consumers of changes see it. */
const originOf: Readonly<Record<TaskOrigin, ChangeOrigin>> = {
  schedule: 'live',
  connection: 'history',
  historical: 'history',
  reread: 'repair',
  operator: 'repair',
  recovery: 'repair',
};

interface Written {
  readonly written: number;
  readonly newest: number | null;
}

/**
 * Stores a page's records in short jobs. The last job stores the next cursor, the counts and the lease, or the end of
 * the task, in the same transaction. After a crash in between, the page is read again and its stored records stay as
 * they are. The cursor never moves past a record that is not stored.
 */
@Injectable()
export class PageStore {
  constructor(
    private readonly lane: WriteLane,
    private readonly healthData: HealthDataService,
    private readonly pulls: PullRequests,
    private readonly streams: PullStreams,
    private readonly heldPull: HeldPull,
    private readonly guard: ErasureGuard,
    private readonly rejected: RejectedRecords,
  ) {}

  /**
   * Returns the updated task after storing the page, which was requested at `at`. Throws `EndlessPages` or
   * `LeaseLost` with the last job rolled back, and `account_erased` if the person has been erased.
   */
  async store(task: PullTaskEntity, resource: Resource, page: Page, at: number): Promise<PullTaskEntity> {
    try {
      return await this.storePage(task, resource, page, at);
    } catch (error) {
      if (isErasedError(error)) await this.suppressed(task.account_id);
      throw error;
    }
  }

  private async storePage(task: PullTaskEntity, resource: Resource, page: Page, at: number): Promise<PullTaskEntity> {
    const slices = sliceRecords(page.records, MAX_RECORDS_A_JOB);
    const last = slices.pop();
    let sum: Written = { written: 0, newest: null };
    for (const slice of slices) {
      const written = await this.lane.run(async (tx) => {
        await this.heldPull.assertHeld(tx, task);
        return this.apply(tx, task, slice, at);
      });
      sum = added(sum, written);
    }
    const content = contentOf(page.records);
    return this.lane.run(async (tx) => {
      await assertWritable(tx, task.account_id);
      const whole = last ? added(sum, await this.apply(tx, task, last, at)) : sum;
      if (page.records.samples.length === 0 && page.next !== null) await this.begin(tx, task, resource, at);
      const next = { ...counted(task, page, whole), next_cursor: page.next };
      if (page.next === null) return this.heldPull.finishPull(tx, next, resource);
      const guard = resource.family === 'summary' ? {} : guarded(task, page.next, content);
      return this.heldPull.advance(tx, { ...next, ...guard });
    });
  }

  private async apply(tx: Tx, task: PullTaskEntity, records: Records, at: number): Promise<Written> {
    const { account_id: account, window_start: start, window_end: end } = task;
    if (records.rejections.length > 0) {
      await assertWritable(tx, account);
      await this.rejected.ofPage(tx, { account, task: task.id, window: { start, end }, at }, records);
    }
    if (records.samples.length === 0 && records.summaries.length === 0) return { written: 0, newest: null };
    await assertWritable(tx, account);
    const provenance = { kind: 'sync', ref: task.id, page: task.pages, at } as const;
    const applied = await this.healthData.apply(tx, { account, records, provenance, origin: originOf[task.origin] });
    await this.pulls.requestRefetch(tx, account, task.resource, applied.conflicts);
    for (const provider of applied.newSources) await this.streams.sourceSeen(tx, account, provider, task.resource);
    return applied;
  }

  /** A response of several pages is identified by its first page, which may be empty. */
  private async begin(tx: Tx, task: PullTaskEntity, resource: Resource, at: number): Promise<void> {
    if (task.pages > 0 || isWhole(resource)) return;
    await this.healthData.observe(tx, { kind: 'sync', ref: task.id, page: 0, at });
  }

  private async suppressed(account: number): Promise<void> {
    await this.lane.run((tx) => this.guard.countSuppressed(tx, account));
    this.guard.reportSuppressed('page');
  }
}

/** Updates the guard against endless pages. Summaries need none, because their cursors are our own. */
function guarded(task: PullTaskEntity, next: string, content: string): Partial<PullTaskEntity> {
  const { pages, anchor_cursor: anchor, anchor_content: anchorContent } = task;
  const before = { pages, anchor, anchorContent, emptyPages: task.empty_pages, repeatedPages: task.repeated_pages };
  const after = follow(before, { sent: task.next_cursor, next, content }, limits);
  return {
    anchor_cursor: after.anchor,
    anchor_content: after.anchorContent,
    empty_pages: after.emptyPages,
    repeated_pages: after.repeatedPages,
  };
}

/** A digest of a page's samples; empty for an empty page. */
function contentOf({ received, samples, rejections }: Records): string {
  if (received === 0) return '';
  const hash = createHash('sha256').update(JSON.stringify(rejections));
  for (const { key, samples: all } of samples) {
    const content = new Float64Array(2 * all.length);
    for (const [index, { time, value }] of all.entries()) {
      content[2 * index] = time;
      content[2 * index + 1] = value ?? Number.NaN;
    }
    hash.update(JSON.stringify(key)).update(content);
  }
  return hash.digest('base64url');
}

function counted(task: PullTaskEntity, { records, end }: Page, { written, newest }: Written): PullTaskEntity {
  const reached = [task.reached, end, newest].reduce((most, time) => later(most, time), null);
  return {
    ...task,
    pages: task.pages + 1,
    records: task.records + records.received,
    written: task.written + written,
    rejected: task.rejected + records.rejected,
    reached,
  };
}

function added(a: Written, b: Written): Written {
  return { written: a.written + b.written, newest: later(a.newest, b.newest) };
}

function later(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
