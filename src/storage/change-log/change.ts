import type { ChangeKind } from '../../platform/config/feed-scope.js';

export const changeActions = ['created', 'changed', 'gone'] as const;
export type ChangeAction = (typeof changeActions)[number];

/**
 * Why the data arrived now. `live`: reported by upstream; `history`: a pull of the past; `repair`: a pull that reads
 * data again that may be wrong or missing; `replay`: a stored message was processed again; `retention`: it is kept for
 * no longer.
 */
export const changeOrigins = ['live', 'history', 'repair', 'replay', 'retention'] as const;
export type ChangeOrigin = (typeof changeOrigins)[number];

/** The changed samples of one series. */
export interface ChangedSamples {
  /** Times of the first and the last sample, in epoch milliseconds. */
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
  /** Default: the origin of the transaction (`setOrigin`), else `live`. */
  readonly origin?: ChangeOrigin;
  /** `accounts.id`; null for changes that belong to no account. */
  readonly account: number | null;
  /** Id of the changed object, unique within its kind. */
  readonly subject: string;
  readonly resource?: string;
  readonly provider?: string;
  /** Only for the kinds `samples` and `sample_hours`. */
  readonly samples?: ChangedSamples;
}

/** A numbered change. It contains no values. */
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
