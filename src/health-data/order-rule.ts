import type { ObservationKind } from './observation.entity.js';

/*
 * What is newer. No event carries a time of its own and nothing arrives in order, so:
 *
 * - a summary is as new as its `updated_at`; of two with the same one the later observation wins;
 * - a sample is as new as the observation that saw it: the start of the fetch for a page, the first receipt for a
 *   message.
 *
 * An equal record seen later is written too: it moves to the later observation, so that nothing between can replace it.
 *
 * A late retry of an old message seems newer than it is (docs/upstream/webhooks.md#late-messages), and a page may have
 * been made after a message that came while it was fetched. Wherever two observations disagree and their order cannot
 * be known, the rule still picks one and reports a conflict: whoever applies it asks upstream again.
 */

export interface SampleVerdict {
  readonly write: boolean;
  readonly conflict: boolean;
}

/** `stored` is the observation id of the stored sample, null where there is none; ids grow with the instant. */
export function judgeSample(
  stored: number | null,
  incoming: { readonly observation: number; readonly kind: ObservationKind },
  sameContent: boolean,
): SampleVerdict {
  if (stored === null) return { write: true, conflict: false };
  const write = incoming.observation >= stored;
  return { write, conflict: !sameContent && (incoming.kind === 'message' ? write : !write) };
}

/** The same for SQL: the update of a guarded upsert on `samples` (a test holds the two together). */
export const sampleGuard = 'excluded.observation_id >= samples.observation_id';

export interface SummaryVersion {
  readonly version: number;
  readonly observation: number;
}

export function judgeSummary(stored: SummaryVersion | null, incoming: SummaryVersion): boolean {
  if (stored === null || incoming.version > stored.version) return true;
  return incoming.version === stored.version && incoming.observation >= stored.observation;
}

/** The same for SQL. */
export const summaryGuard = `excluded.version > summaries.version
  OR (excluded.version = summaries.version AND excluded.observation_id >= summaries.observation_id)`;
