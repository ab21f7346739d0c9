import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Scheduled backups as a line of the log and a count, and how old the newest is. */
@Injectable()
export class BackupTelemetry {
  private readonly outcomes;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.outcomes = metrics.counter('backups_total', 'Scheduled backups by outcome', ['outcome']);
  }

  made({ bytes, durationMs }: { bytes: number; durationMs: number }): void {
    this.outcomes.inc({ outcome: 'made' });
    this.log.event('database.backup_made', { bytes, duration_ms: Math.round(durationMs) });
  }

  failed(error: unknown): void {
    this.outcomes.inc({ outcome: 'failed' });
    this.log.event('database.backup_failed', { ...describeError(error) }, 'error');
  }

  /** `newestAt`: epoch milliseconds; null while there is no backup. */
  watch(newestAt: () => number | null): void {
    const help = 'Age of the newest backup in BACKUP_FOLDER: what the loss of the database would lose';
    this.metrics.gauge('recovery_point_seconds', help, [], (gauge) => {
      const at = newestAt();
      gauge.remove();
      if (at !== null) gauge.set(Math.max(0, this.clock.now() - at) / 1_000);
    });
  }
}
