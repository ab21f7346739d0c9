import type { AccountNames, ChangeSource } from './change-source.js';
import type { EndedRows } from './ended-rows.js';
import type { ExportSection, PersonalTable } from './personal-data.js';
import type { TimelineSource } from './timeline.js';
import type { View } from './views.js';

/** Counts in the overview. "Lately" means since `:lately`. */
export const countFigures = [
  'tasks_pending',
  'tasks_running',
  'tasks_failed',
  'tasks_failed_lately',
  'pulls_failed',
  'pulls_failed_lately',
  'pulls_retrying',
  /** Upstream's own pulls that have been running too long. */
  'pulls_stuck',
  /** Installations that request a sign-in token at every launch. */
  'frequent_installations',
  /** Sources of retired providers that are not disconnected. */
  'retired_sources',
  /** Connected sources whose account at the provider is another one than before. */
  'other_accounts',
  /** Priority lists set here for all accounts, and entries of upstream's lists that name no source. */
  'priorities_set',
  'priorities_unreadable',
  /** Messages that failed permanently and were not replayed. */
  'messages_dead',
  /** Messages with a valid signature that belong to another team. */
  'foreign_messages_today',
  /** Looks that lacked so many records that an operator must decide. */
  'deletions_held',
  /** Consumers of the change feed that have fallen behind. */
  'consumers_lagging',
  /** Days that differed from upstream through a fault of this program, lately. */
  'audit_faults',
  /** Days that are not equal with upstream, and those whose repair waits for an operator. */
  'audit_days_different',
  'audit_days_held',
  /** Results that upstream announced recently and that could not be fetched. */
  'results_given_up',
  /** Announced orders, workout series and parsing jobs that could not be read for 30 days, or that upstream refused. */
  'orders_given_up',
  'series_given_up',
  'jobs_given_up',
  'results_withdrawn_lately',
  /** Results that upstream could not attach to an order, and that wait for the customer's decision. */
  'results_to_review',
  /** Critical ones among them. */
  'critical_to_review',
  /**
   * Users named by events who have no account here: those being looked up upstream, and those that upstream recently
   * refused.
   */
  'owner_lookups_waiting',
  'owner_lookups_refused',
  'orders_needing_redraw',
  /** Those among them without a record that the patient was informed. */
  'redraws_untold',
  /** Those that have been owed for longer than `owedDays`. */
  'redraws_overdue',
  /** Uploads of lab reports lately whose outcome is unknown. */
  'uploads_unknown',
  /** Orders that could not be read in the last walk over upstream's list. */
  'orders_unreadable',
  /** Erasures that fail repeatedly, or found data that had reappeared. */
  'erasures_held_up',
  'critical_results',
  /** Those among them without a record that the patient was informed. */
  'critical_results_untold',
  /** Push endpoints that have failed for long but are not disabled yet, and disabled ones. */
  'endpoints_failing',
  'endpoints_disabled',
  /** Accounts whose pushes wait at an endpoint after several failures. */
  'accounts_parked',
  /** 1 if token issuance is enabled, else 0. */
  'tokens_open',
] as const;
export type CountFigure = (typeof countFigures)[number];

/** Times in the overview, in epoch milliseconds; null if there is none. */
export const instantFigures = [
  'last_delivery_at',
  /** Due times of the message and of the pull that have waited longest without a worker. */
  'inbox_due_since',
  'pulls_due_since',
  /** Since when orders may have changed unnoticed, because the order list cannot be read. */
  'order_list_failing_since',
  /** When the oldest of upstream's priority lists was read. */
  'priorities_read_at',
  'pulls_failed_since',
  'pulls_stuck_since',
  'deletions_held_since',
  'audit_faults_since',
  /** When the day was proven whose proof is the oldest. */
  'consumers_lagging_since',
  'tokens_closed_at',
  'critical_results_newest_at',
  'critical_results_untold_since',
  /** When the oldest result that waits for a decision was created. */
  'results_to_review_since',
  'critical_to_review_since',
  'endpoints_failing_since',
  'stamped_at',
  /** When the database was last found on a promoted or moved server, within a day. */
  'database_departed_at',
  /** When the entry of the access log was made that has waited longest for the chain. */
  'access_log_unchained_since',
] as const;
export type InstantFigure = (typeof instantFigures)[number];

export type FigureName = CountFigure | InstantFigure;

/** Counts grouped by one or two columns. */
export type GroupName = 'accounts' | 'connections' | 'endpoint_failures';

/** Rows of a group that the statement of all groups counts at most; those with more are counted one by one. */
export const MAX_COUNTED_TOGETHER = 1_000;

/** A gauge at `/metrics`: one figure, several figures distinguished by a label, or a group by its columns. */
export type FigureGauge = { readonly name: string; readonly help: string } & (
  | { readonly figure: CountFigure }
  | { readonly label: string; readonly figures: Readonly<Record<string, CountFigure>> }
  | { readonly group: GroupName; readonly labels: readonly string[] }
);

/** Text of an alarm for people. */
export interface AlarmText {
  /** critical: immediately, also at night, because data or people may be harmed; warning: within the working day. */
  readonly severity: 'critical' | 'warning';
  readonly message: string;
  /** What to do first, in one sentence. */
  readonly action: string;
}

/**
 * Declarations of a room about its own tables, in `<room>.declarations.ts`. Erasure, export, timeline, overview and
 * access log collect the declarations of all rooms (src/app/rooms.ts), so that SQL that names a table stays in the room
 * that owns it.
 */
export interface RoomDeclarations {
  readonly entities?: readonly (new () => object)[];
  /** In the order of deletion: rows before those they refer to. */
  readonly personal?: readonly PersonalTable[];
  /** Tables that are kept when a person is erased, with the reason. */
  readonly kept?: Readonly<Record<string, string>>;
  readonly exports?: readonly ExportSection[];
  readonly ended?: readonly EndedRows[];
  readonly timeline?: readonly TimelineSource[];
  /**
   * SELECTs that return one column and one row. `:lately`, `:owed`, `:day` and `:now` are the start of the last 7 days,
   * of the last 14, of the last one, and now, in epoch milliseconds. Each must be one index seek, or a count over a
   * partial index of open or failed work; tables that grow without limit are not counted.
   */
  readonly figures?: Readonly<Partial<Record<FigureName, string>>>;
  /** A SELECT of the grouping columns and `count`, with the same bounds. */
  readonly groups?: Readonly<Partial<Record<GroupName, string>>>;
  /**
   * For groups whose `count` stops at `MAX_COUNTED_TOGETHER`: a SELECT of the full `count` of one group, whose columns
   * are its parameters. One statement for all groups would meet the time limit of statements in a large table.
   */
  readonly fullCounts?: Readonly<Partial<Record<GroupName, string>>>;
  /**
   * By kind of work: a SELECT of `error`, the code of the last failure, and `count`, over rows that wait after a
   * failure.
   */
  readonly waiting?: Readonly<Record<string, string>>;
  readonly gauges?: readonly FigureGauge[];
  /** By the name of an id in paths (`order` for `:order_id`): a SELECT of `account`, the `accounts.id` of its owner. */
  readonly auditSubjects?: Readonly<Record<string, string>>;
  /** The same for ids that are numbers. */
  readonly auditNumbers?: Readonly<Record<string, string>>;
  /**
   * By the kind of an id that people search for: a SELECT of `id` and `account` (`accounts.id` of its owner), sorted by
   * id. Its parameters are the first id, the end of the range (exclusive) and the number of rows.
   */
  readonly searches?: Readonly<Record<string, string>>;
  readonly changes?: readonly ChangeSource[];
  readonly accountNames?: AccountNames;
  /** By the code of the alarm. */
  readonly alarmTexts?: Readonly<Record<string, AlarmText>>;
  /** Views of its tables for analysts. */
  readonly views?: readonly View[];
}

export class Declarations {
  readonly entities = this.rooms.flatMap(({ entities = [] }) => entities);
  readonly personal = this.rooms.flatMap(({ personal = [] }) => personal);
  readonly kept = merged(this.rooms.map(({ kept }) => kept));
  readonly exports = this.rooms.flatMap(({ exports = [] }) => exports);
  readonly ended = this.rooms.flatMap(({ ended = [] }) => ended);
  readonly timeline = this.rooms.flatMap(({ timeline = [] }) => timeline);
  readonly figures = merged(this.rooms.map(({ figures }) => figures));
  readonly groups = merged(this.rooms.map(({ groups }) => groups));
  readonly fullCounts = merged(this.rooms.map(({ fullCounts }) => fullCounts));
  readonly waiting = merged(this.rooms.map(({ waiting }) => waiting));
  readonly gauges = this.rooms.flatMap(({ gauges = [] }) => gauges);
  readonly searches = merged(this.rooms.map(({ searches }) => searches));
  readonly auditSubjects = merged(this.rooms.map(({ auditSubjects }) => auditSubjects));
  readonly auditNumbers = merged(this.rooms.map(({ auditNumbers }) => auditNumbers));
  readonly changes: ReadonlyMap<string, ChangeSource> = new Map(
    this.rooms.flatMap(({ changes = [] }) => changes.map((source) => [source.kind, source])),
  );
  readonly alarmTexts: Readonly<Record<string, AlarmText>> = merged(this.rooms.map(({ alarmTexts }) => alarmTexts));
  readonly accountNames = this.rooms.find(({ accountNames }) => accountNames)?.accountNames;

  constructor(private readonly rooms: readonly RoomDeclarations[]) {}
}

/** Throws `TypeError` if two rooms declare the same name. */
function merged<T extends object>(parts: readonly (T | undefined)[]): T {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`two rooms declare ${twice}`);
  return Object.fromEntries(entries) as T;
}
