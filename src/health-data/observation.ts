import type { ObservationKind } from './observation.entity.js';

/** Observations within one millisecond; the next millisecond's ids follow. */
const PER_MILLISECOND = 64;

/**
 * Observation ids grow with their instant and take six bytes, so a sample's one column says both which observation it
 * came from and how new it is.
 */
export function observationIdsAt(at: number): { readonly first: number; readonly end: number } {
  return { first: at * PER_MILLISECOND, end: (at + 1) * PER_MILLISECOND };
}

/** The instant of an observation, in epoch milliseconds. */
export function observedAt(observationId: number): number {
  return Math.floor(observationId / PER_MILLISECOND);
}

/** An observation of upstream's data that has been stored. */
export interface Observation {
  readonly id: number;
  readonly kind: ObservationKind;
}

/** What was read: `messages.seq`, or `sync_tasks.id` and the page; and when, in epoch milliseconds. */
export interface Provenance {
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page?: number;
  readonly at: number;
}
