import { latelyDays } from '../../storage/declarations/figures.reader.js';
import type { AlarmCode } from './alarm-codes.js';

/** One sentence for each alarm; what to do about it is in docs/runbook.md. */
export const alarmMessages: Readonly<Record<AlarmCode, string>> = {
  store_refused: 'The database takes no writes: nothing can be acknowledged or worked on.',
  database_went_back: 'The database went back in time: what was acknowledged since may be missing from it.',
  backup_late: 'The newest backup is more than twice as old as it should be.',
  access_log_broken: 'A verification found that the access log was changed.',
  worker_stuck: 'Background work hangs in a round that does not end.',
  inbox_unworked: 'Messages are due, and no process works on them.',
  pulls_unworked: 'Pulls are due, and no process works on them.',
  upstream_key_refused: 'Upstream refuses the team key.',
  upstream_away: 'Upstream cannot be reached or does not work.',
  deliveries_refused: 'Deliveries are refused: no secret held made their signatures, and none has been accepted since.',
  deliveries_untimely:
    'Deliveries are refused: their signatures are good and their times are not those of this clock, and none has been ' +
    'accepted since.',
  deliveries_shed: 'Deliveries are put off: messages wait for longer than allowed before they are tried.',
  key_set_unreadable: 'The keys of access tokens cannot be read: apps are refused, or soon will be.',
  secret_files_refused:
    'Files of secrets could not be taken over when they were read again: earlier secrets are in use.',
  fence_key_missing: 'Fences of erased persons do not hold: they were made with a key that is not configured.',
  silence: 'No message was delivered for longer than allowed although sources are connected.',
  provider_silent: 'A provider has sent nothing for longer than SILENCE_ALERT_HOURS, while others still do.',
  tokens_closed: 'An operator stopped the issue of tokens to everybody.',
  dead_messages: 'Messages were given up; look at them and replay them.',
  foreign_messages: `Messages of another team came in the last ${latelyDays} days; they are not applied.`,
  failed_tasks: `Pulls were given up in the last ${latelyDays} days.`,
  failed_historical_pulls: `Upstream gave up pulling history in the last ${latelyDays} days.`,
  stuck_historical_pulls: "Upstream's pulls of history have not ended for more than 24 hours.",
  order_list_stuck: 'The list of orders cannot be read: orders whose events were lost stay unknown.',
  results_given_up: `Results that upstream told of in the last ${latelyDays} days could not be fetched.`,
  critical_results: `A lab called results critical in the last ${latelyDays} days.`,
  frequent_sign_ins: 'Installations of the app asked for a sign-in token again and again; one is needed per sign-in.',
  erasures_held_up: 'Erasures fail again and again, or found something that had come back; see their error_code.',
};
