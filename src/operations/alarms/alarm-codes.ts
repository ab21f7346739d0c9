/** Alarms by urgency. docs/runbook.md has a section for each. */
export const alarmCodes = [
  'store_refused',
  'database_went_back',
  'backup_late',
  'access_log_broken',
  'worker_stuck',
  'inbox_unworked',
  'pulls_unworked',
  'upstream_key_refused',
  'upstream_away',
  'deliveries_refused',
  'deliveries_untimely',
  'deliveries_misaddressed',
  'deliveries_shed',
  'callers_waiting',
  'key_set_unreadable',
  'secret_files_refused',
  'fence_key_missing',
  'silence',
  'provider_silent',
  'tokens_closed',
  'dead_messages',
  'foreign_messages',
  'failed_tasks',
  'failed_historical_pulls',
  'stuck_historical_pulls',
  'order_list_stuck',
  'results_given_up',
  'results_withdrawn',
  'critical_results',
  'frequent_sign_ins',
  'erasures_held_up',
] as const;
export type AlarmCode = (typeof alarmCodes)[number];

export interface Finding {
  readonly code: AlarmCode;
  /** Number of affected items; null if the condition is not countable. */
  readonly count: number | null;
  /** Start of the condition in epoch milliseconds; null if unknown. */
  readonly since: number | null;
  /** Sorted slugs of the affected providers, if any. */
  readonly providers?: readonly string[];
}

/** A finding that was raised. */
export interface Alarm extends Finding {
  readonly since: number;
  readonly raised_at: number;
}

export function runbookOf(code: AlarmCode): string {
  return `docs/runbook.md#${code}`;
}
