import { LRUCache } from 'lru-cache';

/**
 * Keeps the `most` entries that were used last. Not by lru-cache's `max`, with which it sets the room for all of them
 * aside at once.
 */
export function recentlyUsed<K extends number | string, V extends NonNullable<unknown>>(most: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
