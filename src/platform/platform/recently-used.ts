import { LRUCache } from 'lru-cache';

/**
 * Keeps the `most` most recently used entries. Does not use lru-cache's `max`, which allocates space for all of them
 * up front.
 */
export function recentlyUsed<K extends number | string, V extends NonNullable<unknown>>(most: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
