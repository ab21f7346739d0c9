import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/platform/metrics.js';
import { type LimitName, limitNames } from './limits.js';
import type { Places } from './places.js';

/** Over the quota of the caller, over its share of open requests, or too many requests of all callers waiting. */
export type LimitReason = 'quota' | 'share' | 'queue';

/** Counts of refused, cancelled, running and waiting requests by limit; never by caller. */
@Injectable()
export class AdmissionTelemetry {
  private readonly refusals;
  private readonly departures;

  constructor(private readonly metrics: Metrics) {
    this.refusals = metrics.counter('rate_limited_total', 'Requests refused by a limit, by reason', [
      'limit',
      'reason',
    ]);
    this.departures = metrics.counter(
      'requests_left_total',
      'Requests cancelled by the client while waiting for a place',
      ['limit'],
    );
  }

  limited(limit: LimitName, reason: LimitReason): void {
    this.refusals.inc({ limit, reason });
  }

  left(limit: LimitName): void {
    this.departures.inc({ limit });
  }

  watch(placesOf: (limit: LimitName) => Pick<Places, 'running' | 'waiting'>): void {
    this.metrics.gauge('requests_waiting', 'Requests waiting for a place', ['limit'], (gauge) => {
      for (const limit of limitNames) gauge.set({ limit }, placesOf(limit).waiting);
    });
    this.metrics.gauge('requests_running', 'Requests whose handler is running in a place', ['limit'], (gauge) => {
      for (const limit of limitNames) gauge.set({ limit }, placesOf(limit).running);
    });
  }
}
