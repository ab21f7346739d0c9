import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/platform/metrics.js';
import type { MissingState } from './missing-record.entity.js';

/** Counts records that complete looks did not show. */
@Injectable()
export class MissingRecordsTelemetry {
  private readonly records;

  constructor(metrics: Metrics) {
    const help = 'Stored records that complete looks did not show, by what follows';
    this.records = metrics.counter('records_missing_total', help, ['resource', 'outcome']);
  }

  /** `observed`: nothing follows, because DELETIONS only observes. */
  counted(resource: string, outcome: MissingState | 'observed', count: number): void {
    if (count > 0) this.records.inc({ resource, outcome }, count);
  }
}
