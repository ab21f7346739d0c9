import type { TimeRange } from '../../platform/platform/time.js';
import type { StateChange } from './connections.repository.js';

/** End of a gap that is still open. */
const STILL_OPEN = Number.MAX_SAFE_INTEGER;

/**
 * The gaps in which each source was not connected, sorted by start: from the beginning of a state other than
 * `connected` until the source was seen connected again. `changes` must be in order.
 */
export function gapsOf(changes: readonly StateChange[]): Map<string, TimeRange[]> {
  const gaps = new Map<string, TimeRange[]>();
  for (const { provider, status, at, since } of changes) {
    const own = gaps.get(provider) ?? [];
    gaps.set(provider, own);
    const last = own.at(-1);
    const open = last?.end === STILL_OPEN ? last : null;
    if (status !== 'connected') {
      own.splice(own.length - (open ? 1 : 0), 1, { start: Math.min(since, open?.start ?? since), end: STILL_OPEN });
    } else if (open) own[own.length - 1] = { ...open, end: at };
  }
  return gaps;
}
