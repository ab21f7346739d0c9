import { latelyDays } from '../../storage/declarations/figures.reader.js';
import type { AlarmCode } from './alarm-codes.js';

/** One sentence for each alarm; docs/runbook.md has the remedy. */
export const alarmMessages: Readonly<Record<AlarmCode, string>> = {
  store_refused: 'The database refuses writes: nothing can be acknowledged or processed.',
  database_went_back: 'The database went back to an earlier state: acknowledged data may be missing.',
  backup_late: 'The newest backup is older than twice the backup interval.',
  access_log_broken: 'A verification found that the access log was altered.',
  worker_stuck: 'A background worker is stuck.',
  inbox_unworked: 'Messages are due, but no process works on them.',
  pulls_unworked: 'Pulls are due, but no process works on them.',
  upstream_key_refused: 'Upstream refuses the team key, or reads it from another header than UPSTREAM_API_KEY_HEADER.',
  upstream_away: 'Upstream is unreachable or failing.',
  deliveries_refused: 'All recent deliveries are refused: their signatures match no configured secret.',
  deliveries_untimely:
    'All recent deliveries are refused: they are validly signed, but their timestamps are too far from this clock.',
  deliveries_misaddressed: 'Deliveries arrive at a path other than /webhooks, and none has been accepted since.',
  deliveries_shed: 'Deliveries are refused until later: messages wait longer than allowed for their first attempt.',
  callers_waiting: 'Requests wait for seconds because all places of their kind are taken.',
  key_set_unreadable: 'The key set of access tokens cannot be fetched: apps are refused, or will be soon.',
  secret_files_refused: 'Secret files could not be reloaded: the previous secrets are still in use.',
  fence_key_missing: 'Fences of erased people are not effective: their key is not configured.',
  silence: 'No message was delivered for longer than SILENCE_ALERT_HOURS, although sources are connected.',
  provider_silent: 'A provider has sent nothing for longer than SILENCE_ALERT_HOURS, while others still do.',
  tokens_closed: 'An operator disabled token issuance.',
  dead_messages: 'Messages failed permanently; inspect and replay them.',
  foreign_messages: `Messages for another team arrived in the last ${latelyDays} days; they are not applied.`,
  failed_tasks: `Pulls failed permanently in the last ${latelyDays} days.`,
  failed_historical_pulls: `Historical pulls of upstream failed in the last ${latelyDays} days.`,
  stuck_historical_pulls: 'Historical pulls of upstream have been running for more than 24 hours.',
  order_list_stuck: 'The order list cannot be read: orders whose events were lost stay unknown.',
  results_given_up: `Results that upstream announced in the last ${latelyDays} days could not be fetched.`,
  results_withdrawn: `Upstream withdrew results in the last ${latelyDays} days; people may have seen them.`,
  critical_results: `A lab marked results as critical in the last ${latelyDays} days.`,
  frequent_sign_ins: 'App installations request sign-in tokens repeatedly; one per sign-in is enough.',
  erasures_held_up: 'Erasures fail repeatedly, or erased data reappeared; see their error_code.',
};
