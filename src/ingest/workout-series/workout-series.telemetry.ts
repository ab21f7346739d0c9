import { Injectable } from '@nestjs/common';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';

/** Log lines and metrics for fetches of workout series. */
@Injectable()
export class WorkoutSeriesTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('workout_series_fetches_total', 'Fetches of workout series', ['outcome']);
  }

  stored({ id, account_id }: SeriesFetchEntity): void {
    this.outcomes.inc({ outcome: 'done' });
    this.log.event('workout_series.fetch_done', { task_id: id, account_ref: account_id });
  }

  deferred({ id, account_id }: SeriesFetchEntity, code: string, delayMs: number): void {
    this.outcomes.inc({ outcome: 'deferred' });
    this.log.event(
      'workout_series.fetch_deferred',
      { task_id: id, account_ref: account_id, code, delay_ms: delayMs },
      'warn',
    );
  }

  failed({ id, account_id }: SeriesFetchEntity, code: string, error: unknown): void {
    this.outcomes.inc({ outcome: 'failed' });
    const { error: name } = describeError(error);
    this.log.event('workout_series.fetch_failed', { task_id: id, account_ref: account_id, code, error: name }, 'error');
  }
}
