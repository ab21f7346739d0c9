import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { type Alarm, alarmCodes, runbookOf } from './alarm-codes.js';

/** Alarms as a line of the log, when raised and when cleared, and as a gauge. */
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

  raised({ code, count, providers }: Alarm): void {
    this.changes.inc({ code, change: 'raised' });
    this.log.event('alarm.raised', { code, count: count ?? undefined, providers, file: runbookOf(code) }, 'error');
  }

  cleared({ code, raised_at }: Alarm, now: number): void {
    this.changes.inc({ code, change: 'cleared' });
    this.log.event('alarm.cleared', { code, duration_ms: Math.max(0, now - raised_at) });
  }

  /** `current`: what is raised as far as this process knows, without asking the store. */
  watch(current: () => readonly Alarm[], showsStore: () => boolean): void {
    this.metrics.showStoreWhen(showsStore);
    const help = '1 in the process whose metrics show the store, 0 in all others';
    this.metrics.gauge('shows_store', help, [], (gauge) => gauge.set(showsStore() ? 1 : 0));
    this.metrics.gauge('alarm', '1 while the alarm is raised; docs/runbook.md says what to do', ['code'], (gauge) => {
      const raised = new Set(current().map(({ code }) => code));
      for (const code of alarmCodes) gauge.set({ code }, raised.has(code) ? 1 : 0);
    });
  }
}
