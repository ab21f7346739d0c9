import type { ProcessSign } from '../../platform/platform/this-process.js';
import type { AlarmText } from '../../storage/declarations/declarations.js';
import { latelyDays, owedDays } from '../../storage/declarations/figures.reader.js';
import {
  type Condition,
  counted,
  countOf,
  type Find,
  failingEndpoints,
  notConsuming,
  orderListStuck,
  seen,
  silence,
  silentProviders,
  since,
  unchained,
  unworked,
} from './alarm-conditions.js';
import { type AlarmFigures, type AlarmRules, isLive, type ProcessReport } from './alarm-facts.js';

interface AlarmRow extends Omit<AlarmText, 'action'> {
  readonly find: Find;
}

/** Every alarm, most urgent first. docs/runbook.md has a section for each code, in the same order. */
export const alarmList = {
  critical_results: {
    severity: 'critical',
    message: 'Results are critical, and no record shows that the patient was informed.',
    find: ({ figures }) => {
      const times = [figures.critical_results_untold_since, figures.critical_to_review_since];
      const first = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
      const count = figures.critical_results_untold + figures.critical_to_review;
      return counted(count, Number.isFinite(first) ? first : null);
    },
  },
  store_refused: {
    severity: 'critical',
    message: 'The database refuses writes: nothing can be acknowledged or processed.',
    find: seen('store_refused'),
  },
  database_file_lost: {
    severity: 'critical',
    message: 'The database file was removed, moved or replaced: nothing is acknowledged, and the process ends.',
    find: seen('database_file_lost'),
  },
  database_went_back: {
    severity: 'critical',
    message: 'The database was reset to an earlier state: acknowledged data may be missing.',
    find: seen('database_went_back'),
  },
  database_promoted: {
    severity: 'critical',
    message: 'The database continues on a promoted or moved server: acknowledged data may be missing.',
    find: ({ figures }) => since(figures.database_departed_at),
  },
  rows_hidden: {
    severity: 'critical',
    message: 'Rows of the database may be hidden from its role: nothing is read or written.',
    find: seen('rows_hidden'),
  },
  numbers_repeated: {
    severity: 'warning',
    message: 'The database gave numbers again that rows already have; their writes failed.',
    find: seen('numbers_repeated'),
  },
  sessions_few: {
    severity: 'warning',
    message: 'The database or its pooler has fewer sessions than the service asks for: requests may wait.',
    find: seen('sessions_few'),
  },
  replica_unused: {
    severity: 'warning',
    message: 'The replica of the database cannot be used: its reads go to the primary.',
    find: seen('replica_unused'),
  },
  disk_low: {
    severity: 'critical',
    message: 'A disk has less free space than DISK_LOW_BYTES, or will be full within 24 hours.',
    find: seen('disk_low'),
  },
  backup_late: {
    severity: 'warning',
    message: 'The newest backup is older than twice the backup interval.',
    find: seen('backup_late'),
  },
  access_log_broken: {
    severity: 'critical',
    message: 'The access log was altered.',
    find: seen('access_log_broken'),
  },
  access_log_unchained: {
    severity: 'critical',
    message: 'Entries of the access log have waited for the chain for more than a minute: they are less protected.',
    find: unchained,
  },
  worker_stuck: {
    severity: 'critical',
    message: 'A background worker is stuck.',
    find: ({ live }) => counted(live.flatMap(({ stuck }) => stuck).length),
  },
  rounds_failing: {
    severity: 'warning',
    message: 'Rounds of a background worker have failed three times in a row.',
    find: ({ live }) => counted(live.flatMap(({ failing }) => failing).length),
  },
  inbox_unworked: {
    severity: 'critical',
    message: 'Messages are due, but no process works on them.',
    find: unworked('inbox', 'inbox_due_since'),
  },
  pulls_unworked: {
    severity: 'critical',
    message: 'Pulls are due, but no process works on them.',
    find: unworked('pull', 'pulls_due_since'),
  },
  upstream_key_refused: {
    severity: 'critical',
    message: 'Upstream refuses the team key, or expects it in a different header than UPSTREAM_API_KEY_HEADER.',
    find: seen('upstream_key_refused'),
  },
  upstream_away: {
    severity: 'warning',
    message: 'Upstream is unreachable or failing.',
    find: seen('upstream_away'),
  },
  deliveries_refused: {
    severity: 'critical',
    message: 'All recent deliveries are refused: their signatures match no configured secret.',
    find: seen('deliveries_refused'),
  },
  deliveries_untimely: {
    severity: 'critical',
    message:
      'All recent deliveries are refused: they are validly signed, but their timestamps are too far from this clock.',
    find: seen('deliveries_untimely'),
  },
  deliveries_misaddressed: {
    severity: 'critical',
    message: 'Deliveries arrive at a path other than /webhooks, and none has been accepted since.',
    find: seen('deliveries_misaddressed'),
  },
  deliveries_shed: {
    severity: 'warning',
    message: 'Deliveries are deferred because messages wait too long for their first attempt.',
    find: seen('deliveries_shed'),
  },
  broker_not_consuming: {
    severity: 'critical',
    message: 'Messages of the broker have not been consumed for more than a minute; they wait in its queue.',
    find: notConsuming,
  },
  callers_waiting: {
    severity: 'warning',
    message: 'Requests wait for seconds because all slots of their kind are in use.',
    find: seen('callers_waiting'),
  },
  key_set_unreadable: {
    severity: 'critical',
    message: 'The key set of access tokens cannot be fetched: apps are refused, or will be soon.',
    find: seen('key_set_unreadable'),
  },
  secret_files_refused: {
    severity: 'warning',
    message: 'Secret files could not be reloaded: the previous secrets are still in use.',
    find: seen('secret_files_refused'),
  },
  fence_key_missing: {
    severity: 'critical',
    message: 'Fences of erased people are not effective: their key is not configured.',
    find: seen('fence_key_missing'),
  },
  silence: {
    severity: 'warning',
    message: 'No message was delivered for longer than SILENCE_ALERT_HOURS, although sources are connected.',
    find: silence,
  },
  provider_silent: {
    severity: 'warning',
    message: 'A provider has sent nothing for longer than SILENCE_ALERT_HOURS, while others still do.',
    find: silentProviders,
  },
  other_account: {
    severity: 'warning',
    message: 'A source was connected with another account at its provider than before: two people may share one list.',
    find: countOf('other_accounts'),
  },
  tokens_closed: {
    severity: 'warning',
    message: 'An operator disabled token issuance.',
    find: ({ figures }) => since(figures.tokens_closed_at),
  },
  dead_messages: {
    severity: 'warning',
    message: 'Messages failed permanently; inspect and replay them.',
    find: countOf('messages_dead'),
  },
  foreign_messages: {
    severity: 'warning',
    message: 'Messages for another team arrived in the last 24 hours; they are not applied.',
    find: countOf('foreign_messages_today'),
  },
  failed_tasks: {
    severity: 'warning',
    message: `Pulls failed permanently in the last ${latelyDays} days, and no later pull stored their windows.`,
    find: countOf('tasks_failed_lately'),
  },
  failed_historical_pulls: {
    severity: 'warning',
    message: `Historical pulls of upstream failed in the last ${latelyDays} days, and no later pull brought their data.`,
    find: countOf('pulls_failed_lately'),
  },
  stuck_historical_pulls: {
    severity: 'warning',
    message: 'Historical pulls of upstream have been running for more than 24 hours.',
    find: ({ figures }) => counted(figures.pulls_stuck, figures.pulls_stuck_since),
  },
  deletions_held: {
    severity: 'warning',
    message: 'Complete pulls lack so many records of a source that an operator must decide whether they are gone.',
    find: ({ figures }) => counted(figures.deletions_held, figures.deletions_held_since),
  },
  audit_faults: {
    severity: 'warning',
    message: 'Audits found days that differ from upstream through a fault of this program.',
    find: ({ figures }) => counted(figures.audit_faults, figures.audit_faults_since),
  },
  consumer_lagging: {
    severity: 'warning',
    message: 'A consumer of the change feed has fallen behind by more than 15 minutes.',
    find: ({ figures }) => counted(figures.consumers_lagging, figures.consumers_lagging_since),
  },
  order_list_stuck: {
    severity: 'warning',
    message: 'The order list cannot be read, so orders whose events were lost stay unknown.',
    find: orderListStuck,
  },
  results_to_review: {
    severity: 'warning',
    message: 'Lab results wait for your decision, because upstream could not attach them to an order.',
    find: ({ figures }) => counted(figures.results_to_review, figures.results_to_review_since),
  },
  results_given_up: {
    severity: 'warning',
    message: 'Results that upstream announced could not be fetched for 30 days, or upstream refused them.',
    find: countOf('results_given_up'),
  },
  reads_given_up: {
    severity: 'warning',
    message:
      'Orders, workout series or parsing jobs could not be read to their end for 30 days, or upstream refused them.',
    find: ({ figures }) => counted(figures.orders_given_up + figures.series_given_up + figures.jobs_given_up, null),
  },
  results_withdrawn: {
    severity: 'warning',
    message: `Upstream withdrew results in the last ${latelyDays} days; people may have seen them.`,
    find: countOf('results_withdrawn_lately'),
  },
  redraws_untold: {
    severity: 'warning',
    message: 'Patients need a second draw, and no record shows that they were informed.',
    find: countOf('redraws_untold'),
  },
  redraws_overdue: {
    severity: 'warning',
    message: `Patients have owed a second draw for more than ${owedDays} days.`,
    find: countOf('redraws_overdue'),
  },
  uploads_unknown: {
    severity: 'warning',
    message: `It is unknown whether lab reports of the last ${latelyDays} days were uploaded to upstream's parser.`,
    find: countOf('uploads_unknown'),
  },
  frequent_sign_ins: {
    severity: 'warning',
    message: 'App installations request sign-in tokens repeatedly; one per sign-in is enough.',
    find: countOf('frequent_installations'),
  },
  push_failing: {
    severity: 'warning',
    message: 'Nothing arrives at an endpoint of pushes; after 3 days the endpoint is disabled.',
    find: failingEndpoints,
  },
  push_disabled: {
    severity: 'warning',
    message:
      'An endpoint gets no pushes: it failed for 3 days, returned 410, fell behind, or the database was restored.',
    find: countOf('endpoints_disabled'),
  },
  erasures_held_up: {
    severity: 'warning',
    message: 'Erasures fail repeatedly, or erased data reappeared; see their error_code.',
    find: countOf('erasures_held_up'),
  },
} as const satisfies Readonly<Record<string, AlarmRow> & Record<ProcessSign, AlarmRow>>;

export type AlarmCode = keyof typeof alarmList;
export const alarmCodes = Object.keys(alarmList) as AlarmCode[];

export interface Finding extends Condition {
  readonly code: AlarmCode;
}

/** An operator knows of an alarm and has said why it may stay. */
export interface Acknowledgement {
  readonly at: number;
  /** Name of the key. */
  readonly by: string;
  readonly reason: string;
  /** Smallest count of the alarm since then. */
  readonly count: number | null;
}

/** A finding that was raised. */
export interface Alarm extends Finding {
  readonly since: number;
  readonly raised_at: number;
  readonly acknowledged: Acknowledgement | null;
}

/** The acknowledgement of `before` if `finding` is no more than what was acknowledged, else null. */
export function stillAcknowledged(
  before: Pick<Alarm, 'acknowledged' | 'providers' | 'reasons'> | undefined,
  { count, providers = [], reasons = [] }: Pick<Finding, 'count' | 'providers' | 'reasons'>,
): Acknowledgement | null {
  if (!before?.acknowledged) return null;
  const isMore = (count ?? 0) > (before.acknowledged.count ?? 0);
  const isAboutOthers =
    providers.some((provider) => !before.providers?.includes(provider)) ||
    reasons.some((reason) => !before.reasons?.includes(reason));
  return isMore || isAboutOthers ? null : { ...before.acknowledged, count };
}

export function runbookOf(code: AlarmCode): string {
  return `docs/runbook.md#${code}`;
}

/** Conditions that hold at `now`, most urgent first. */
export function findingsOf(
  figures: AlarmFigures,
  reports: readonly ProcessReport[],
  rules: AlarmRules,
  now: number,
): Finding[] {
  const live = reports.filter((report) => isLive(report, now));
  return alarmCodes.flatMap((code) => {
    const condition = alarmList[code].find({ figures, live, rules, now });
    return condition === null ? [] : [{ code, ...condition }];
  });
}
