/** Number of observation ids per millisecond. */
export const PER_MILLISECOND = 64;

/** The lowest id that an observation of an instant may have. */
export function firstObservationAt(ms: number): number {
  return ms * PER_MILLISECOND;
}

/** The instant of an observation, in epoch milliseconds. */
export function observedAt(observationId: number): number {
  return Math.floor(observationId / PER_MILLISECOND);
}
