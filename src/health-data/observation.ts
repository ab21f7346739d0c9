import type { ObservationKind } from './observation.entity.js';

/** Looks within one millisecond; the next millisecond's ids follow. */
const PER_MILLISECOND = 64;

/**
 * Observation ids grow with the instant of the look and take six bytes, so a sample's one column says both which
 * look it came from and how new it is.
 */
export function observationIdsAt(at: number): { readonly first: number; readonly end: number } {
  return { first: at * PER_MILLISECOND, end: (at + 1) * PER_MILLISECOND };
}

/** The instant of a look, in epoch milliseconds. */
export function observedAt(observationId: number): number {
  return Math.floor(observationId / PER_MILLISECOND);
}

/** A look at upstream's data that has been stored. */
export interface Observation {
  readonly id: number;
  readonly kind: ObservationKind;
}

/** What was looked at: `messages.seq`, or `sync_tasks.id` and the page; and when, in epoch milliseconds. */
export interface Provenance {
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page?: number;
  readonly at: number;
}
