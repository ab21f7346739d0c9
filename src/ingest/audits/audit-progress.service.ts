import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { AuditsRepository, type Progress } from './audits.repository.js';

export type { Progress } from './audits.repository.js';

/** Counting the days of everybody takes long, and changes slowly. */
const KEPT_MS = 600_000;

/** How far audits have come with everybody. */
@Injectable()
export class AuditProgress {
  private last: { readonly at: number; readonly progress: Promise<Progress> } | null = null;

  constructor(
    private readonly audits: AuditsRepository,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const help = 'Share of the compared days that were proven equal with upstream within 7 and 30 days';
    metrics.storeGauge('audit_proven_share', help, ['within'], async (gauge) => {
      const progress = await this.read().catch(() => null);
      gauge.reset();
      if (progress === null || progress.compared === 0) return;
      gauge.set({ within: '7d' }, progress.provenInWeek / progress.compared);
      gauge.set({ within: '30d' }, progress.provenInMonth / progress.compared);
    });
  }

  /** At most ten minutes old. */
  read(): Promise<Progress> {
    const now = this.clock.now();
    const kept = this.last;
    if (kept && now - kept.at < KEPT_MS && now >= kept.at) return kept.progress;
    const progress = this.audits.progress({ week: now - 7 * DAY_MS, month: now - 30 * DAY_MS });
    const reading = { at: now, progress };
    this.last = reading;
    progress.catch(() => {
      if (this.last === reading) this.last = null;
    });
    return progress;
  }
}
