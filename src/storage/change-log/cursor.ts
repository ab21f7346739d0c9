import type { ChangeFeedEntity } from './change.entity.js';

/**
 * A place in a feed, after the change with this number. `at` is when that change was noted (epoch milliseconds), 0 if
 * unknown. A database that was set back may reuse the number, but not with the same time.
 */
export interface Position {
  readonly feed: string;
  readonly number: number;
  readonly at: number;
}

const pattern = /^([0-9a-f]{12})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/;

/** The position as consumers see it, an opaque text. Also the id of the change. */
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

/**
 * Null if the feed can continue after the position. `at`: when the change with this number was noted, if it is stored.
 */
export function faultOf(position: Position, feed: ChangeFeedEntity, at: number | null): CursorFault | null {
  if (position.feed !== feed.feed) return 'feed_restarted';
  if (position.number > feed.last_number) return 'cursor_ahead';
  if (position.number < feed.expired_number) return 'cursor_expired';
  const isOther = at !== null && position.at !== 0 && at !== position.at;
  return isOther ? 'feed_restarted' : null;
}
