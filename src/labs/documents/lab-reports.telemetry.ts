import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { type Failure, loggableFailure } from '../keys/failure.js';

/** Logs and counts uploads of lab reports, never their content. */
@Injectable()
export class LabReportsTelemetry {
  private readonly uploads: Outcomes;

  constructor(log: Log, metrics: Metrics) {
    this.uploads = new Outcomes(log, metrics, 'lab_report_uploads_total', 'Uploads of lab reports by outcome');
  }

  uploaded(account_ref: number, outcome: 'uploaded' | 'repeated'): void {
    this.uploads.note(outcome, 'labs.report_uploaded', { account_ref, outcome });
  }

  failed({ settled, error }: Failure): void {
    const outcome = settled ? 'refused' : 'unknown';
    this.uploads.note(outcome, 'labs.report_upload_failed', { outcome, ...loggableFailure(error) }, 'warn');
  }
}
