import type { Queryable } from '../database/tx.js';

/** A change with a subject that must be read. */
export interface ChangedSubject {
  /** `accounts.id`. */
  readonly account: number | null;
  readonly subject: string;
  readonly resource: string | null;
  readonly provider: string | null;
  /** Times of the first and last changed sample, in epoch milliseconds; null for other kinds. */
  readonly start: number | null;
  readonly end: number | null;
}

/** The current state of a subject, in the form in which consumers receive it. */
export type CurrentState = Readonly<Record<string, unknown>>;

/** A subject found by a walk over all subjects of a kind. */
export interface WalkedSubject {
  /** Position in the walk. */
  readonly key: readonly (string | number)[];
  /** `accounts.id`; null if it belongs to no account. */
  readonly account: number | null;
  readonly subject: string;
  readonly resource: string | null;
  readonly provider: string | null;
  readonly data: CurrentState;
}

/** Where a walk continues, and which subjects it includes. */
export interface WalkOptions {
  /** Key of the previous subject; null at the beginning. */
  readonly after: readonly (string | number)[] | null;
  readonly limit: number;
  /** `accounts.id`; absent for all accounts. */
  readonly account?: number | undefined;
}

/** Reads the current state of the subjects of one kind for the change feed. Owned by the room of their tables. */
export interface ChangeSource {
  readonly kind: string;
  /** States in the order of `changed`; null for a subject that no longer exists. */
  readonly current: (
    queryable: Queryable,
    changed: readonly ChangedSubject[],
  ) => Promise<readonly (CurrentState | null)[]>;
  /** Subjects in key order, for a snapshot. */
  readonly walk: (queryable: Queryable, options: WalkOptions) => Promise<readonly WalkedSubject[]>;
}

/** The customer's ids of accounts. Owned by the room of accounts. */
export interface AccountNames {
  /** Ids by `accounts.id`, without accounts that were deleted or are being erased. */
  namesOf(queryable: Queryable, accounts: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** `accounts.id` of a customer's id; null if there is no such account. */
  accountOf(queryable: Queryable, name: string): Promise<number | null>;
}
