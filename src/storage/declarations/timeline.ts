/** Kinds of timeline entries. The timeline is newest first, so at equal times a consequence precedes its cause. */
export const timelineKinds = [
  'operator_act',
  'critical_result',
  'result',
  'unmatched_result',
  'parsing_job',
  'appointment',
  'order_event',
  'order',
  'records_gone',
  'pull_failed',
  'pull_done',
  'pull_requested',
  'history_pull',
  'connection',
  'link_outcome',
  'message_given_up',
  'message',
  'link_token',
  'sign_in_token',
  'account_linked',
  'user_replaced',
  'account_created',
] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export type Detail = string | number | boolean | null;

/** One timeline entry with states, counts, names, and our and upstream's ids; never a value, a token or free text. */
export interface TimelineEntry {
  readonly kind: TimelineKind;
  /** Epoch milliseconds. */
  readonly at: number;
  /** One sentence without values. */
  readonly title: string;
  readonly ref: { readonly type: string; readonly id: string };
  readonly details: Readonly<Record<string, Detail>>;
}

/** A column that distinguishes rows with the same time. */
export interface SourceKey {
  readonly column: string;
  readonly type: 'int' | 'text';
}

/**
 * A source of entries of one kind. Its rows are paged newest first by `at` and `keys`, each account through an index.
 */
export interface TimelineSource<Row = Record<string, string | number | null>> {
  readonly kind: TimelineKind;
  /** The table with its alias, and joins. */
  readonly from: string;
  /** Column with `accounts.id`. */
  readonly account: string;
  /** Column in epoch milliseconds; if possible one that never changes, so that pages stay stable. */
  readonly at: string;
  readonly keys: readonly [SourceKey] | readonly [SourceKey, SourceKey];
  readonly where?: string;
  /** Columns that `show` needs. */
  readonly columns: readonly string[];
  /** Builds the entry of a row; `details` contains everything that is shown. */
  show(row: Row): Pick<TimelineEntry, 'title' | 'ref' | 'details'>;
}

type NameOf<Column> = Column extends `${string}.${infer Name}` ? Name : never;

/**
 * A source whose columns belong to an entity, each prefixed with the alias of its table. The entity types the row of
 * `show`.
 */
export function timelineSource<Entity extends object, const Column extends string>(
  _entity: new () => Entity,
  source: Omit<TimelineSource<Pick<Entity, NameOf<Column> & keyof Entity>>, 'columns'> & {
    readonly columns: readonly Column[];
  },
): TimelineSource {
  return source as unknown as TimelineSource;
}

const wordPattern = /^[A-Za-z0-9_.:-]{1,80}$/;

/** Upstream's words are open; a text that is not a word is not repeated. */
export function word(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  return wordPattern.test(text) ? text : 'unreadable';
}

/** The source and resource of an entry for its title: "Oura sleep", or "Sleep of all sources" without a provider. */
export function subjectOf(provider: string | null, resource: string | null = null): string {
  const plain = (code: string): string => (code === '' ? '' : (word(code) ?? '').replaceAll('_', ' '));
  const [source, kind] = [plain(provider ?? ''), plain(resource ?? '')];
  const named = source.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  if (source !== '') return [named, kind].filter(Boolean).join(' ');
  return kind === '' ? 'All sources' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} of all sources`;
}
