import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { PullTaskEntity } from './pull-task.entity.js';

type TaskOutcome = 'done' | 'failed' | 'deferred' | 'restarted' | 'lease_lost';

@Injectable()
export class PullsTelemetry {
  private readonly outcomes;
  private readonly pages;
  private readonly records;
  private readonly durations;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('sync_tasks_total', 'Turns of pull tasks by outcome', ['origin', 'outcome']);
    this.pages = metrics.counter('sync_pages_total', 'Pages stored', ['resource']);
    this.records = metrics.counter('sync_records_total', 'Records received in pages', ['resource', 'outcome']);
    this.durations = metrics.histogram(
      'sync_task_duration_seconds',
      'Time from the first claim of a task to its end',
      ['origin'],
      [1, 5, 15, 60, 300, 900, 3_600, 14_400],
    );
  }

  pageStored(task: PullTaskEntity, page: { received: number; written: number; rejected: number }): void {
    const { resource } = task;
    this.pages.inc({ resource });
    this.records.inc({ resource, outcome: 'written' }, page.written);
    this.records.inc({ resource, outcome: 'rejected' }, page.rejected);
    this.records.inc({ resource, outcome: 'unchanged' }, page.received - page.rejected - page.written);
    if (page.rejected > 0) {
      this.log.event('sync.records_rejected', { ...named(task), count: page.rejected }, 'warn');
    }
  }

  done(task: PullTaskEntity): void {
    this.ended(task, 'done');
    const { pages, records } = task;
    this.log.event('sync.task_done', { ...named(task), pages, records });
  }

  /** `error` adds the cause if the fault is our own. */
  failed(task: PullTaskEntity, code: string, error?: unknown): void {
    this.ended(task, 'failed');
    this.log.event('sync.task_failed', { ...causeOf(error), ...named(task), code }, 'error');
  }

  deferred(task: PullTaskEntity, code: string, delayMs: number, error?: unknown): void {
    this.count(task, 'deferred');
    this.log.event('sync.task_deferred', { ...causeOf(error), ...named(task), code, delay_ms: delayMs }, 'warn');
  }

  restarted(task: PullTaskEntity, code: string): void {
    this.count(task, 'restarted');
    this.log.event('sync.task_restarted', { ...named(task), code }, 'warn');
  }

  leaseLost(task: PullTaskEntity): void {
    this.count(task, 'lease_lost');
    this.log.event('sync.lease_lost', named(task), 'warn');
  }

  private ended(task: PullTaskEntity, outcome: 'done' | 'failed'): void {
    this.count(task, outcome);
    const { started_at: from, finished_at: to, origin } = task;
    if (from !== null && to !== null) this.durations.observe({ origin }, (to - from) / 1_000);
  }

  private count({ origin }: PullTaskEntity, outcome: TaskOutcome): void {
    this.outcomes.inc({ origin, outcome });
  }
}

function named({ id, account_id, resource, provider }: PullTaskEntity): LogFields {
  return { task_id: id, account_ref: account_id, resource, provider };
}

function causeOf(error: unknown): LogFields {
  return error === undefined ? {} : loggable(error);
}
