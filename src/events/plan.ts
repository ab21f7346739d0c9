import type { Tx } from '../database/tx.js';

/** Why a message needs no effect. It is kept all the same. */
export const ignoredReasons = [
  'not_json',
  'no_event_type',
  'unknown_event',
  'unknown_resource',
  'foreign_team',
  'body_not_kept',
  'account_erased',
] as const;
export type IgnoredReason = (typeof ignoredReasons)[number];

/** A message as its handler sees it. */
export interface RoutedEvent {
  /** `messages.seq`: where the effect came from. */
  readonly seq: number;
  /** First receipt in epoch milliseconds, on replays too: the instant of the observation. */
  readonly receivedAt: number;
  /** Upstream's event name of the resource; the middle word of events that have none. */
  readonly resource: string;
  readonly data: unknown;
}

export interface Target {
  /** `accounts.id`. */
  readonly account: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Writes what the event says. May run more than once; holds only together with the done-mark of its message. */
export type Effect = (tx: Tx, target: Target) => Promise<void>;

/** What is to be done about a message, and what to say once it is stored. Making it reads the data, and throws `WireShapeError` for what cannot be used. */
export type Plan = { readonly effect: Effect; readonly committed?: () => void } | { readonly ignored: IgnoredReason };
