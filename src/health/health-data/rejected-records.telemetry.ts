import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/platform/metrics.js';
import type { Rejection } from '../catalogue/records.js';

/** Counts points and objects that could not be stored. */
@Injectable()
export class RejectedRecordsTelemetry {
  private readonly records;

  constructor(metrics: Metrics) {
    const labels = ['resource', 'reason', 'way'] as const;
    this.records = metrics.counter('records_rejected_total', 'Records that could not be stored', labels);
  }

  rejected(resource: string, rejections: readonly Rejection[], way: 'message' | 'page'): void {
    for (const { reason, count } of rejections) this.records.inc({ resource, reason, way }, count);
  }
}
