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
    const read = (): Promise<Progress | null> => this.read().catch(() => null);
    const help = 'Share of the compared days that were proven equal with upstream within 7 and 30 days';
    metrics.storeGauge('audit_proven_share', help, ['within'], async (gauge) => {
      const progress = await read();
      gauge.reset();
      if (progress === null || progress.compared === 0) return;
      gauge.set({ within: '7d' }, progress.provenInWeek / progress.compared);
      gauge.set({ within: '30d' }, progress.provenInMonth / progress.compared);
    });
    const differed = 'Days compared within 7 days that differed at first, and those of them that are not proven yet';
    metrics.storeGauge('audit_differences', differed, ['cause', 'state'], async (gauge) => {
      const progress = await read();
      gauge.reset();
      for (const { cause, found, open } of progress?.differedInWeek ?? []) {
        gauge.set({ cause, state: 'found' }, found);
        gauge.set({ cause, state: 'open' }, open);
      }
    });
    metrics.storeGauge('audit_calls', 'Calls of the audits begun within 7 days', [], async (gauge) => {
      const progress = await read();
      gauge.remove();
      if (progress !== null) gauge.set(progress.callsInWeek);
    });
    metrics.storeGauge('audit_oldest_proof_age_seconds', 'Age of the oldest proof of a day', [], async (gauge) => {
      const at = (await read())?.oldestProofAt ?? null;
      gauge.remove();
      if (at !== null) gauge.set(Math.max(0, this.clock.now() - at) / 1_000);
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
