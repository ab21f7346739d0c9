import type { AccountNames, ChangeSource } from './change-source.js';
import type { EndedRows } from './ended-rows.js';
import type { ExportSection, PersonalTable } from './personal-data.js';
import type { TimelineSource } from './timeline.js';

/** Counts that the overview shows. "Lately" is since `:lately`. */
export const countFigures = [
  'tasks_pending',
  'tasks_running',
  'tasks_failed',
  'tasks_failed_lately',
  'pulls_failed',
  'pulls_failed_lately',
  'pulls_retrying',
  /** Upstream's own pulls that have been open for too long. */
  'pulls_stuck',
  /** Installations that ask for sign-in tokens as if each launch were a sign-in. */
  'frequent_installations',
  /** Sources of retired providers that are not disconnected. */
  'retired_sources',
  /** Priority lists set here for all accounts, and entries of upstream's lists that name no source. */
  'priorities_set',
  'priorities_unreadable',
  /** Dead messages, until they are replayed. */
  'messages_dead',
  /** Messages that were signed for us and are of another team. */
  'foreign_messages_lately',
  /** Looks that missed so many records that an operator decides. */
  'deletions_held',
  /** Consumers of the change feed that have fallen behind. */
  'consumers_lagging',
  /** Results that upstream announced recently and that could not be fetched. */
  'results_given_up',
  'results_withdrawn_lately',
  /** Results that upstream could not attach to an order and that wait for the customer's decision. */
  'results_to_review',
  /** Users whom events name and who have no account here: looked up upstream, or refused by it lately. */
  'owner_lookups_waiting',
  'owner_lookups_refused',
  'orders_needing_redraw',
  /** Of those, the ones without a record that the patient was informed. */
  'redraws_untold',
  /** Orders that the last walk over upstream's list could not read. */
  'orders_unreadable',
  /** Erasures that fail again and again, or found something that had come back. */
  'erasures_held_up',
  'critical_results',
  /** Of those, the ones of which no record says that the patient was informed. */
  'critical_results_untold',
  /** Push endpoints that have failed for long and are not disabled yet, and those that are. */
  'endpoints_failing',
  'endpoints_disabled',
  /** Accounts with pushes that wait at an endpoint after several failures. */
  'accounts_parked',
  /** 1 while tokens are issued, else 0. */
  'tokens_open',
] as const;
export type CountFigure = (typeof countFigures)[number];

/** Instants that the overview shows, in epoch milliseconds; null where there is none. */
export const instantFigures = [
  'last_delivery_at',
  /** Due time of the message, and of the pull, that has waited longest without a worker. */
  'inbox_due_since',
  'pulls_due_since',
  /** Since when orders may have changed without being read, where the list of orders cannot be read. */
  'order_list_failing_since',
  /** When the oldest of upstream's priority lists was read. */
  'priorities_read_at',
  'pulls_failed_since',
  'pulls_stuck_since',
  'deletions_held_since',
  'consumers_lagging_since',
  'tokens_closed_at',
  'critical_results_newest_at',
  'critical_results_untold_since',
  /** The oldest result that waits for the customer's decision. */
  'results_to_review_since',
  'endpoints_failing_since',
  'stamped_at',
] as const;
export type InstantFigure = (typeof instantFigures)[number];

export type FigureName = CountFigure | InstantFigure;

/** Rows counted by one or two columns. */
export type GroupName = 'accounts' | 'connections';

/** A gauge at `/metrics`: one figure, several figures distinguished by a label, or a group by its columns. */
export type FigureGauge = { readonly name: string; readonly help: string } & (
  | { readonly figure: CountFigure }
  | { readonly label: string; readonly figures: Readonly<Record<string, CountFigure>> }
  | { readonly group: GroupName; readonly labels: readonly string[] }
);

/**
 * A room's declarations of its own tables, in `<room>.declarations.ts`. Erasure, export, timeline, overview and access
 * log collect them from all rooms (src/app/rooms.ts), so that SQL that names a table stays in the room that owns it.
 */
export interface RoomDeclarations {
  readonly entities?: readonly (new () => object)[];
  /** In the order in which rows are deleted: rows before those they refer to. */
  readonly personal?: readonly PersonalTable[];
  /** Tables that stay when a person is erased, and why. */
  readonly kept?: Readonly<Record<string, string>>;
  readonly exports?: readonly ExportSection[];
  readonly ended?: readonly EndedRows[];
  readonly timeline?: readonly TimelineSource[];
  /**
   * SELECTs with one column and one row each; `:lately`, `:day` and `:now` are the start of the last 7 days, the
   * start of the last day, and now, in epoch milliseconds. Each is one index seek, or a count over a partial index of
   * open or failed work; tables that grow without bound are not counted.
   */
  readonly figures?: Readonly<Partial<Record<FigureName, string>>>;
  /** A SELECT of the columns by which rows are counted, and of `count`. */
  readonly groups?: Readonly<Partial<Record<GroupName, string>>>;
  /**
   * By what waits: a SELECT of `error`, the code of the last failure, and `count`, over the rows that wait after one.
   */
  readonly waiting?: Readonly<Record<string, string>>;
  readonly gauges?: readonly FigureGauge[];
  /**
   * By the name of an id in paths (`order` for `:order_id`): a SELECT of `account`, the `accounts.id` it belongs to.
   */
  readonly auditSubjects?: Readonly<Record<string, string>>;
  readonly changes?: readonly ChangeSource[];
  readonly accountNames?: AccountNames;
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
  readonly waiting = merged(this.rooms.map(({ waiting }) => waiting));
  readonly gauges = this.rooms.flatMap(({ gauges = [] }) => gauges);
  readonly auditSubjects = merged(this.rooms.map(({ auditSubjects }) => auditSubjects));
  readonly changes: ReadonlyMap<string, ChangeSource> = new Map(
    this.rooms.flatMap(({ changes = [] }) => changes.map((source) => [source.kind, source])),
  );
  readonly accountNames = this.rooms.find(({ accountNames }) => accountNames)?.accountNames;

  constructor(private readonly rooms: readonly RoomDeclarations[]) {}
}

/** Throws `TypeError` when two rooms declare the same name. */
function merged<T extends object>(parts: readonly (T | undefined)[]): T {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`two rooms declare ${twice}`);
  return Object.fromEntries(entries) as T;
}
