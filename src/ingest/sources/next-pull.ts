import { MAX_AHEAD_MS } from '../../platform/platform/time.js';

/*
 * Decides from upstream's ingestion state (docs/upstream/introspection.md#ingestion-state) whether a stream may have
 * records that are not stored, and when to pull it next. docs/operations.md ("What is pulled") has the rules as a
 * table. A stream without a state is pulled every interval. No state delays a pull beyond the longest interval, because
 * it does not show gaps and changed records.
 */

/** Upstream's report of one stream. Times in epoch milliseconds; null if not reported. */
export interface Ingestion {
  /** When upstream last polled the provider or received data from it. */
  readonly lastAttemptAt: number | null;
  /** The time of the newest record that upstream has. */
  readonly newestData: number | null;
}

/** Stored state of a stream. Times in epoch milliseconds. */
export interface StoredStream {
  /** The end of the newest record; null if there is none. */
  readonly newest: number | null;
  /** Every record in the window of the last pull that upstream had by then is stored. */
  readonly coveredUntil: number;
}

/**
 * nothing_missing: the newest record is stored, or upstream received nothing since the last pull · not_listed: upstream
 * receives other resources of the source, but not this one · under_way: a webhook may still deliver it · missing:
 * upstream has a newer record · unknown: upstream does not report it.
 */
const findings = ['nothing_missing', 'not_listed', 'under_way', 'missing', 'unknown'] as const;
export type Finding = (typeof findings)[number];

/** Data this recent may still arrive by webhook: upstream retries after 5 s and 5 minutes. */
const UNDER_WAY_MS = 10 * 60_000;
/** If records are newer than the stored ones by more than this, more than the last webhook is missing. */
const MAX_UNDER_WAY_MS = 60 * 60_000;

/** `listed`: upstream's report of the stream; null if it lists only other streams of the source. */
export function findingOf(listed: Ingestion | null, stored: StoredStream, now: number): Finding {
  if (listed === null) return 'not_listed';
  const { lastAttemptAt, newestData } = listed;
  const pulledSince = lastAttemptAt !== null && stored.coveredUntil - UNDER_WAY_MS > lastAttemptAt;
  if (pulledSince) return 'nothing_missing';
  if (newestData !== null && newestData > now + MAX_AHEAD_MS) return 'unknown';
  if (newestData === null) return lastAttemptAt === null || stored.newest !== null ? 'unknown' : 'nothing_missing';
  if (stored.newest !== null && stored.newest >= newestData) return 'nothing_missing';
  const cameLately = lastAttemptAt !== null && now - lastAttemptAt < UNDER_WAY_MS;
  const isLittle = stored.newest !== null && newestData - stored.newest <= MAX_UNDER_WAY_MS;
  return cameLately && isLittle ? 'under_way' : 'missing';
}

export interface PullRule {
  readonly intervalMs: number;
  /** Maximum time between two pulls of a stream. */
  readonly longestMs: number;
}

/** A better due time than `nextDueAt`; null to keep it. */
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
