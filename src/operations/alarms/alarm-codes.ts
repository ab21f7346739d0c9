/** What an operator should look at now. Each has a page of its own in docs/runbook.md. */
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
  'deliveries_shed',
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
  'critical_results',
  'frequent_sign_ins',
  'erasures_held_up',
] as const;
export type AlarmCode = (typeof alarmCodes)[number];

/** A condition that holds now. */
export interface Finding {
  readonly code: AlarmCode;
  /** How many of the kind; null where that means nothing. */
  readonly count: number | null;
  /** Epoch milliseconds: since when it holds, where that is known. */
  readonly since: number | null;
  /** The slugs of the providers it is about, in order; absent where it is about none. */
  readonly providers?: readonly string[];
}

/** A finding with the instant at which it was first made. */
export interface Alarm extends Finding {
  readonly since: number;
  readonly raised_at: number;
}

/** Where an alarm is explained. */
export function runbookOf(code: AlarmCode): string {
  return `docs/runbook.md#${code}`;
}
