import type { ChangedDays } from '../../../../src/health/clock/changed-days.service.js';

/** The days of people who live by UTC, for a store without accounts. */
export const utcDays = {
  placed: (_tx, _series, { unplaced, ...change }) =>
    Promise.resolve(unplaced === null ? change : { ...change, firstDay: 0, lastDay: 0 }),
} satisfies Pick<ChangedDays, 'placed'> as unknown as ChangedDays;
