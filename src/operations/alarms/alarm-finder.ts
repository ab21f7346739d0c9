import { Injectable } from '@nestjs/common';
import { NewestRecords } from '../../health/reads/newest-records.service.js';
import { AlertConfig, SyncConfig } from '../../platform/config/config.js';
import { FiguresReader } from '../../storage/declarations/figures.reader.js';
import { type Finding, findingsOf } from './alarm-list.js';
import { ProcessReports } from './process-reports.js';

@Injectable()
export class AlarmFinder {
  constructor(
    private readonly figures: FiguresReader,
    private readonly records: NewestRecords,
    private readonly reports: ProcessReports,
    private readonly alerts: AlertConfig,
    private readonly sync: SyncConfig,
  ) {}

  /** Rejects if the store cannot be read. */
  async find(now: number): Promise<Finding[]> {
    const [figures, reports, deliveries] = await Promise.all([
      this.figures.readWithoutAccounts(now),
      this.reports.all(now),
      this.records.lastDeliveries(),
    ]);
    const rules = { silenceHours: this.alerts.silenceHours, intervalMs: this.sync.intervalSeconds * 1_000 };
    return findingsOf({ ...figures, deliveries }, reports, rules, now);
  }
}
