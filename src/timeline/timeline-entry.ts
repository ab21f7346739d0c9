/** What can have happened to an account; newest first, so at one instant what follows stands before what led to it. */
export const timelineKinds = [
  'operator_act',
  'critical_result',
  'result',
  'appointment',
  'order_event',
  'order',
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
  'account_created',
] as const;
export type TimelineKind = (typeof timelineKinds)[number];

export type Detail = string | number | boolean | null;

/** One thing that happened: states, counts, names and ids of ours and upstream's; never a value, a token or a text. */
export interface TimelineEntry {
  readonly kind: TimelineKind;
  /** Epoch milliseconds. */
  readonly at: number;
  /** One plain sentence without values. */
  readonly title: string;
  readonly ref: { readonly type: string; readonly id: string };
  readonly details: Readonly<Record<string, Detail>>;
}

/** Where an entry stands: no two of an account stand at the same place. */
export interface Place {
  readonly at: number;
  readonly kind: TimelineKind;
  /** What tells entries of one kind and instant apart, in the order of its source. */
  readonly keys: readonly [string, string];
}

const wordPattern = /^[A-Za-z0-9_.:-]{1,80}$/;

/** Upstream's words are open; what is not a word is not repeated. */
export function word(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  return wordPattern.test(text) ? text : 'unreadable';
}
