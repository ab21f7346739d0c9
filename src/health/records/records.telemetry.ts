import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/platform/metrics.js';
import type { Rejection } from '../catalogue/records.js';
import type { MissingState } from './missing-record.entity.js';

/** Counts records that complete looks did not show, and those that could not be stored. */
@Injectable()
export class RecordsTelemetry {
  private readonly missed;
  private readonly rejections;
  private readonly thinnedSamples;

  constructor(metrics: Metrics) {
    const help = 'Stored records that complete looks did not show, by outcome';
    this.missed = metrics.counter('records_missing_total', help, ['resource', 'outcome']);
    this.thinnedSamples = metrics.counter('samples_thinned_total', 'Samples replaced by hourly sums', ['resource']);
    const labels = ['resource', 'reason', 'way'] as const;
    this.rejections = metrics.counter('records_rejected_total', 'Records that could not be stored', labels);
  }

  /** `observed`: DELETIONS is set to observe, so they are only counted. */
  missing(resource: string, outcome: MissingState | 'observed', count: number): void {
    if (count > 0) this.missed.inc({ resource, outcome }, count);
  }

  thinned(resource: string, count: number): void {
    if (count > 0) this.thinnedSamples.inc({ resource }, count);
  }

  rejected(resource: string, rejections: readonly Rejection[], way: 'message' | 'page'): void {
    for (const { reason, count } of rejections) this.rejections.inc({ resource, reason, way }, count);
  }
}
