import type { TimeRange } from '../../platform/platform/time.js';
import type { StateChange } from './connections.repository.js';

/** End of a gap that has not ended. */
const STILL_OPEN = Number.MAX_SAFE_INTEGER;

/**
 * The times in which each source was not connected, by rising start: from when a state other than `connected` began
 * until the source was seen connected again. The time before the first connection is no gap. `changes` in their order.
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
