import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { type Alarm, alarmCodes, runbookOf } from './alarm-list.js';

/** Logs raised and cleared alarms, and shows raised ones as a gauge. */
@Injectable()
export class AlarmsTelemetry {
  private readonly changes;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    this.changes = metrics.counter('alarm_changes_total', 'Alarms raised and cleared by this process', [
      'code',
      'change',
    ]);
  }

  raised({ code, count, providers, reasons }: Alarm): void {
    this.changes.inc({ code, change: 'raised' });
    const about = { count: count ?? undefined, providers, reasons };
    this.log.event('alarm.raised', { code, ...about, runbook: runbookOf(code) }, 'error');
  }

  cleared({ code, raised_at }: Alarm, now: number): void {
    this.changes.inc({ code, change: 'cleared' });
    this.log.event('alarm.cleared', { code, duration_ms: Math.max(0, now - raised_at) });
  }

  /** `current` must not read the store. */
  watch(current: () => readonly Alarm[], showsStore: () => boolean): void {
    this.metrics.showStoreWhen(showsStore);
    const help = '1 in the process whose metrics include the store, 0 in all others';
    this.metrics.gauge('shows_store', help, [], (gauge) => gauge.set(showsStore() ? 1 : 0));
    this.metrics.gauge(
      'alarm',
      '1 while the alarm is raised and not acknowledged; docs/runbook.md has the remedy',
      ['code'],
      (gauge) => {
        const raised = new Set(current().flatMap(({ code, acknowledged }) => (acknowledged ? [] : [code])));
        for (const code of alarmCodes) gauge.set({ code }, raised.has(code) ? 1 : 0);
      },
    );
  }
}
