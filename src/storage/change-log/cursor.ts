/**
 * A place in a feed, after the change with this number. `at` is when that change was noted (epoch milliseconds), 0 if
 * unknown: a database that was set back may use the number again, but not at the same time.
 */
export interface Position {
  readonly feed: string;
  readonly number: number;
  readonly at: number;
}

const pattern = /^([0-9a-f]{12})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/;

/** The position as consumers see it: opaque text. It is also the id of the change. */
export function cursorOf({ feed, number, at }: Position): string {
  return `${feed}-${number.toString(36)}-${at.toString(36)}`;
}

/** Null for any other text. */
export function positionOf(cursor: string): Position | null {
  const [, feed, number, at] = pattern.exec(cursor) ?? [];
  if (feed === undefined) return null;
  const position = { feed, number: parseInt(String(number), 36), at: parseInt(String(at), 36) };
  return cursorOf(position) === cursor ? position : null;
}

/** Reasons why a feed cannot continue after a cursor. */
export type CursorFault = 'cursor_expired' | 'feed_restarted' | 'cursor_ahead';

/** The state of a feed against which a cursor is checked. */
export interface FeedState {
  readonly feed: string;
  readonly lastNumber: number;
  readonly expiredNumber: number;
  /** When the change at the cursor's number was noted; null if it is not stored. */
  readonly at: number | null;
}

/** Null if the feed can continue after the position. */
export function faultOf(position: Position, state: FeedState): CursorFault | null {
  if (position.feed !== state.feed) return 'feed_restarted';
  if (position.number > state.lastNumber) return 'cursor_ahead';
  if (position.number < state.expiredNumber) return 'cursor_expired';
  const isOther = state.at !== null && position.at !== 0 && state.at !== position.at;
  return isOther ? 'feed_restarted' : null;
}
