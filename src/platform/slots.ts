import { createHash } from 'node:crypto';

/** A number that is always the same for a key and evenly spread over keys: 0 to 2^32 - 1. */
function spreadOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE();
}

/**
 * When something that is due every `intervalMs` is due next after `now`. Each key has its own place in the interval, so
 * that the load is even however the keys came to be; the next time is at least half an interval away.
 */
export function nextSlot(key: string, intervalMs: number, now: number): number {
  const place = spreadOf(key) % intervalMs;
  const earliest = now + intervalMs / 2;
  return Math.floor((earliest - place) / intervalMs) * intervalMs + intervalMs + place;
}
