import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { FleetCounts } from '../../storage/declarations/fleet-counts.js';
import { AuditsRepository, type Progress } from './audits.repository.js';

export type { Progress } from './audits.repository.js';

/** How far audits have come with everybody. */
@Injectable()
export class AuditProgress {
  constructor(
    private readonly audits: AuditsRepository,
    private readonly counts: FleetCounts,
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

  /** May be remembered for some minutes, because counting the days of everybody takes long. */
  async read(): Promise<Progress> {
    const count = (): Promise<Progress> => {
      const now = this.clock.now();
      return this.audits.progress({ week: now - 7 * DAY_MS, month: now - 30 * DAY_MS });
    };
    return (await this.counts.of('audit_progress', count)).value;
  }
}
