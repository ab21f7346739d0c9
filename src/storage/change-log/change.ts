import type { ChangeKind } from '../../platform/config/feed-scope.js';

export { type ChangeKind, changeKinds } from '../../platform/config/feed-scope.js';

export const changeActions = ['created', 'changed', 'gone'] as const;
export type ChangeAction = (typeof changeActions)[number];

/**
 * Why the data came now: `live`: upstream reported it; `history`: a pull of the past; `repair`: a pull that reads
 * again what may be wrong or missing; `replay`: a stored message was processed again.
 */
export const changeOrigins = ['live', 'history', 'repair', 'replay'] as const;
export type ChangeOrigin = (typeof changeOrigins)[number];

/** The changed samples of one series. */
export interface ChangedSamples {
  /** Time of the first and the last one, in epoch milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** First and last local day, as days since 1970-01-01. */
  readonly firstDay: number;
  readonly lastDay: number;
}

/** A change to note. */
export interface NewChange {
  readonly kind: ChangeKind;
  readonly action: ChangeAction;
  /** Default: that of the transaction (`setOrigin`), or `live`. */
  readonly origin?: ChangeOrigin;
  /** `accounts.id`; null for changes that belong to no account. */
  readonly account: number | null;
  /** The id of the changed object among those of its kind. */
  readonly subject: string;
  readonly resource?: string;
  readonly provider?: string;
  /** For the kind `samples`. */
  readonly samples?: ChangedSamples;
}

/** A numbered change. It holds no values. */
export interface Change {
  readonly number: number;
  /** When it was noted, in epoch milliseconds. */
  readonly at: number;
  readonly kind: ChangeKind;
  readonly action: ChangeAction;
  readonly origin: ChangeOrigin;
  readonly account: number | null;
  readonly subject: string;
  readonly resource: string | null;
  readonly provider: string | null;
  readonly samples: ChangedSamples | null;
}
