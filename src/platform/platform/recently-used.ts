import { LRUCache } from 'lru-cache';

/**
 * Keeps the `most` most recently used entries. lru-cache's `max` is not used, because it allocates space for all of
 * them up front.
 */
export function recentlyUsed<K extends number | string, V extends NonNullable<unknown>>(most: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
