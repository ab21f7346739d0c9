import { cursorOf, type Position } from '../../storage/change-log/cursor.js';
import type { SubscriptionEntity } from './subscription.entity.js';

/** The columns with a subscription's position in the feed. */
type Place = Pick<SubscriptionEntity, 'feed' | 'number' | 'number_at'>;

export function placeOf({ feed, number, at }: Position): Place {
  return { feed, number, number_at: at };
}

export function positionOf({ feed, number, number_at: at }: Place): Position {
  return { feed, number, at };
}

/** The position as a cursor. */
export function positionText(place: Place): string {
  return cursorOf(positionOf(place));
}
