import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/platform/metrics.js';
import { type LimitName, limitNames } from './limits.js';

/** Over its quota, over its share of what is under way, or too many of all callers wait. */
export type LimitReason = 'quota' | 'share' | 'queue';

/** How requests meet their limits, as counts; never who sent them. */
@Injectable()
export class AdmissionTelemetry {
  private readonly refusals;
  private readonly departures;

  constructor(private readonly metrics: Metrics) {
    this.refusals = metrics.counter('rate_limited_total', 'Requests refused by a limit of their caller', [
      'limit',
      'reason',
    ]);
    this.departures = metrics.counter('requests_left_total', 'Requests whose callers left while they waited', [
      'limit',
    ]);
  }

  limited(limit: LimitName, reason: LimitReason): void {
    this.refusals.inc({ limit, reason });
  }

  left(limit: LimitName): void {
    this.departures.inc({ limit });
  }

  watch(waiting: (limit: LimitName) => number): void {
    this.metrics.gauge('requests_waiting', 'Requests that wait for a place', ['limit'], (gauge) => {
      for (const limit of limitNames) gauge.set({ limit }, waiting(limit));
    });
  }
}
