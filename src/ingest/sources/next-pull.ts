import { MOST_AHEAD_MS } from '../../platform/platform/time.js';

/*
 * Decides from upstream's ingestion state (docs/upstream/introspection.md#ingestion-state) whether a stream may have
 * records that are not stored, and when to pull it next. docs/operations.md ("What is pulled") has the rules as a
 * table. A stream without a state is pulled every interval; no state delays a pull beyond the longest interval,
 * because gaps and changed records do not show in it.
 */

/** Upstream's report on one stream, in epoch milliseconds; null if it reports nothing. */
export interface Ingestion {
  /** When upstream last polled the provider or received data from it. */
  readonly lastAttemptAt: number | null;
  /** The time of the newest record that upstream has. */
  readonly newestData: number | null;
}

/** Stored state of a stream, in epoch milliseconds. */
export interface StoredStream {
  /** The end of the newest record; null without any. */
  readonly newest: number | null;
  /** Every record that upstream had by then is stored, as far as the last pull reached back. */
  readonly coveredUntil: number;
}

/**
 * nothing_missing: the newest record is stored, or nothing came in since the last pull · not_listed: upstream takes in
 * other resources of the source and not this one · under_way: a webhook may be about to bring it · missing: upstream
 * has a newer record · unknown: upstream does not say.
 */
export const findings = ['nothing_missing', 'not_listed', 'under_way', 'missing', 'unknown'] as const;
export type Finding = (typeof findings)[number];

/** Data this recent may still arrive by webhook: upstream retries after 5 s and 5 minutes. */
const UNDER_WAY_MS = 10 * 60_000;
/** More than this cannot be missing for want of the last webhook alone, where data comes in all the time. */
const MOST_UNDER_WAY_MS = 60 * 60_000;

/** `listed`: what upstream says of the stream; null where it lists only other streams of the source. */
export function findingOf(listed: Ingestion | null, stored: StoredStream, now: number): Finding {
  if (listed === null) return 'not_listed';
  const { lastAttemptAt, newestData } = listed;
  const pulledSince = lastAttemptAt !== null && stored.coveredUntil - UNDER_WAY_MS > lastAttemptAt;
  if (pulledSince) return 'nothing_missing';
  if (newestData !== null && newestData > now + MOST_AHEAD_MS) return 'unknown';
  if (newestData === null) return lastAttemptAt === null || stored.newest !== null ? 'unknown' : 'nothing_missing';
  if (stored.newest !== null && stored.newest >= newestData) return 'nothing_missing';
  const cameLately = lastAttemptAt !== null && now - lastAttemptAt < UNDER_WAY_MS;
  const isLittle = stored.newest !== null && newestData - stored.newest <= MOST_UNDER_WAY_MS;
  return cameLately && isLittle ? 'under_way' : 'missing';
}

export interface PullRule {
  readonly intervalMs: number;
  /** No two pulls of a stream are further apart. */
  readonly longestMs: number;
}

/** Better due time of a stream that is due at `nextDueAt`; null to keep that. */
export function nextPull(
  finding: Finding,
  { coveredUntil, nextDueAt }: { readonly coveredUntil: number; readonly nextDueAt: number },
  { intervalMs, longestMs }: PullRule,
  now: number,
): number | null {
  switch (finding) {
    case 'nothing_missing':
    case 'not_listed': {
      const steps = Math.floor((coveredUntil + longestMs - nextDueAt) / intervalMs);
      return steps > 0 ? nextDueAt + steps * intervalMs : null;
    }
    case 'missing': {
      const soon = Math.max(now, coveredUntil + intervalMs / 2);
      return soon < nextDueAt ? soon : null;
    }
    case 'unknown': {
      const steps = Math.floor((nextDueAt - now) / intervalMs);
      return steps > 0 && nextDueAt - coveredUntil > 1.5 * intervalMs ? nextDueAt - steps * intervalMs : null;
    }
    case 'under_way':
      return null;
  }
}
