import type { AlarmCode } from './alarm-list.js';

interface AlarmAction {
  /** One sentence: what to do first. docs/runbook.md has the rest. */
  readonly action: string;
  /** A command that does it or shows what is affected; null if there is none. Capitals stand for what to fill in. */
  readonly command: string | null;
}

const recover = 'pulsekeep sync recover --from TIME --to TIME';

/** What to do about each alarm. */
export const alarmActions: Readonly<Record<AlarmCode, AlarmAction>> = {
  critical_results: {
    action: 'Inform the patients, then record for each order that the patient was notified.',
    command: 'pulsekeep orders tell --order ORDER_ID --how phone',
  },
  store_refused: {
    action: 'Free disk space or restore the database connection; no restart is needed.',
    command: 'pulsekeep doctor',
  },
  database_file_lost: {
    action: 'Stop the service, put the database file back, and start it again.',
    command: null,
  },
  database_went_back: {
    action:
      'Restart the service, import the accounts, recover the time since then, and repeat erasures if no journal does.',
    command: recover,
  },
  database_promoted: {
    action: 'Unless the switch was planned, import the accounts and recover the time that the standby lacked.',
    command: recover,
  },
  rows_hidden: {
    action: 'Undo the change of the tables that doctor names.',
    command: 'pulsekeep doctor',
  },
  numbers_repeated: {
    action: 'Find out who copied rows into the database or reset a sequence, and stop it.',
    command: null,
  },
  sessions_few: {
    action: 'Allow 20 sessions for each process at the database and its pooler.',
    command: 'pulsekeep doctor',
  },
  replica_unused: {
    action: 'Bring the standby of DATABASE_READ_URL up to date, or correct the address; doctor has the reason.',
    command: 'pulsekeep doctor',
  },
  disk_low: {
    action: 'Enlarge the disk, or delete what may be deleted.',
    command: 'pulsekeep overview get-forecast',
  },
  backup_late: {
    action: 'Free space, then make a backup into BACKUP_FOLDER.',
    command: 'pulsekeep backup --out PATH',
  },
  access_log_broken: {
    action: 'Copy the database, then compare every checkpoint that you kept with the access log.',
    command: 'pulsekeep access-log verify --checkpoint FILE',
  },
  access_log_unchained: {
    action: 'Start a process with workers, or find out in its log why the rounds of access-log-chain fail.',
    command: 'pulsekeep access-log verify',
  },
  worker_stuck: {
    action: 'Restart the process; its work resumes from the database.',
    command: null,
  },
  rounds_failing: {
    action: 'Run ANALYZE on the database; if it goes on, report it with the log line worker.round_failed.',
    command: null,
  },
  inbox_unworked: {
    action: 'Start a process with ROLE=worker or ROLE=all, or restart the one that runs.',
    command: 'pulsekeep messages list --status received',
  },
  pulls_unworked: {
    action: 'Start a process with ROLE=worker or ROLE=all, or restart the one that runs.',
    command: 'pulsekeep tasks --status pending',
  },
  upstream_key_refused: {
    action: 'Put the current team key into UPSTREAM_API_KEY and restart, or change its file and send SIGHUP.',
    command: 'pulsekeep doctor',
  },
  upstream_away: {
    action: "Check upstream's status page, then your network; nothing is lost while you wait.",
    command: 'pulsekeep doctor',
  },
  deliveries_refused: {
    action: "Put upstream's secret first in WEBHOOK_SECRETS, then restart or send SIGHUP.",
    command: 'pulsekeep doctor',
  },
  deliveries_untimely: {
    action: 'Correct the clock of this machine.',
    command: 'pulsekeep doctor',
  },
  deliveries_misaddressed: {
    action: "Correct the endpoint's URL in upstream's settings: its path is /webhooks.",
    command: null,
  },
  deliveries_shed: {
    action: 'Start more workers on PostgreSQL, or wait while the queue shrinks; recover what upstream gave up.',
    command: recover,
  },
  broker_not_consuming: {
    action:
      'Correct WEBHOOK_AMQP_URL, its queue or the broker: the reason is in the log. Nothing is lost while it keeps them.',
    command: 'pulsekeep doctor',
  },
  callers_waiting: {
    action: 'Find out whether upstream or the database is slow; on PostgreSQL more processes help.',
    command: 'pulsekeep overview get',
  },
  key_set_unreadable: {
    action: 'Make the key set of access tokens reachable again; the log has the reason.',
    command: 'pulsekeep doctor',
  },
  secret_files_refused: {
    action: 'Correct the secret file that the log names, and send SIGHUP to every process.',
    command: null,
  },
  fence_key_missing: {
    action: 'Add the missing key at the end of ERASURE_FENCE_SECRETS and restart.',
    command: null,
  },
  silence: {
    action: "Enable the endpoint in upstream's settings, then recover the time since the last message.",
    command: recover,
  },
  provider_silent: {
    action: 'Report it to upstream, and recover the time since the last delivery afterwards.',
    command: recover,
  },
  other_account: {
    action: 'Ask the person; if it was somebody else, disconnect the source.',
    command: 'pulsekeep accounts disconnect ACCOUNT_ID PROVIDER',
  },
  tokens_closed: {
    action: 'Enable token issuance once its reason is gone.',
    command: 'pulsekeep accounts set-token-issuance --open true',
  },
  dead_messages: {
    action: 'Fix the cause that their reason names, then replay them.',
    command: 'pulsekeep inbox replay --status dead',
  },
  foreign_messages: {
    action: "Stop them in upstream's settings: another team uses this endpoint or its secret.",
    command: 'pulsekeep messages list --status ignored --reason foreign_team',
  },
  failed_tasks: {
    action: 'Look at the last error of each pull, then pull the window again.',
    command: 'pulsekeep tasks --status failed',
  },
  failed_historical_pulls: {
    action: "Send their trace_id to upstream's support.",
    command: 'pulsekeep sync list-historical-pulls --status failure',
  },
  stuck_historical_pulls: {
    action: "Send their trace_id to upstream's support.",
    command: 'pulsekeep sync list-historical-pulls --stuck true',
  },
  deletions_held: {
    action: 'Decide for each whether the records are gone; if many accounts wait, ask upstream first.',
    command: 'pulsekeep deletions list --state open',
  },
  audit_faults: {
    action: 'Look at the days that differ: find out who changed the database, or report a mapping fault as a bug.',
    command: 'pulsekeep audit list',
  },
  consumer_lagging: {
    action: 'Restart or fix the service that follows the feed; nothing is lost for CHANGE_RETENTION_DAYS.',
    command: 'pulsekeep changes list-consumers',
  },
  order_list_stuck: {
    action: 'Follow the code of order.list_deferred in the log; upstream_contract needs a newer version.',
    command: null,
  },
  results_to_review: {
    action: 'Decide for each result which order it belongs to; choose unsure if you are not certain of the patient.',
    command: 'pulsekeep orders list-unmatched-results',
  },
  results_given_up: {
    action: 'Ask the lab for the results, then read each again.',
    command: 'pulsekeep orders list --result given_up',
  },
  reads_given_up: {
    action: 'Refresh the orders; replay the messages of workout series and parsing jobs.',
    command: 'pulsekeep orders refresh-order-transaction ID',
  },
  results_withdrawn: {
    action: 'Ask upstream for the reason, and inform the people who may have seen the result.',
    command: 'pulsekeep orders list --result withdrawn',
  },
  redraws_untold: {
    action: 'Inform the patients of the second draw, then record it for each order transaction.',
    command: 'pulsekeep orders tell --transaction ID --how phone',
  },
  redraws_overdue: {
    action: 'Call the patients and book the draw, or cancel the order.',
    command: 'pulsekeep orders list-lab-work',
  },
  uploads_unknown: {
    action: 'Upload each report that has no parsing job again, with a new idempotency key.',
    command: 'pulsekeep orders list-parsing-jobs',
  },
  frequent_sign_ins: {
    action: 'Change the app: it needs one sign-in token per sign-in.',
    command: 'pulsekeep accounts list-frequent-sign-ins',
  },
  push_failing: {
    action: 'Repair the endpoint, then send it a test push.',
    command: 'pulsekeep subscriptions test ID',
  },
  push_disabled: {
    action: 'Repair the endpoint, then enable its subscription; after a gap the receiver starts over.',
    command: 'pulsekeep subscriptions enable ID',
  },
  erasures_held_up: {
    action: 'Follow the error_code of each erasure.',
    command: 'pulsekeep accounts list-erasures',
  },
};
