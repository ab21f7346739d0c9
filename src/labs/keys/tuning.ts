/** Interval of the search for orders to read: events that name one order arrive within seconds of each other. */
export const ORDER_REFRESH_EVERY_MS = 3_000;
/** Interval of the search for the next page of the list of orders. */
export const ORDER_SYNC_EVERY_MS = 3_000;
/** One pass per week is over all orders and finds those that upstream no longer has. */
export const ALL_ORDERS_EVERY_MS = 7 * 86_400_000;
/** Delay before an order named by another one is read from upstream, because its own event may still arrive. */
export const NAMED_ORDER_WAIT_MS = 60_000;

/** Interval of the search for results to read: a clinic waits for minutes, not for seconds. */
export const RESULT_FETCH_EVERY_MS = 3_000;
/** Interval of the search for parsing jobs to read: their end normally arrives as an event. */
export const PARSING_JOB_READ_EVERY_MS = 15_000;
/** Time in which the event of the end normally arrives; later the job is read. */
export const PARSING_JOB_WAIT_MS = 5 * 60_000;
/** Interval of the search for results to read that wait for a decision. */
export const UNMATCHED_READ_EVERY_MS = 3_000;
/** Interval of the search for the next page of their list. */
export const UNMATCHED_WALK_EVERY_MS = 3_000;

/** Maximum cache time of free slots, which others book. */
export const MAX_AVAILABILITY_AGE_MS = 60_000;
/** An empty response is cached for less, because slots become free again. */
export const MAX_NO_SLOTS_AGE_MS = 15_000;
/** The compendium changes only with upstream's releases, but a new test should appear soon. */
export const MAX_COMPENDIUM_AGE_MS = 10 * 60_000;
/** An empty response is cached for less, so that a new test appears soon. */
export const MAX_NOTHING_FOUND_AGE_MS = 60_000;
/** Short, so that a new test appears soon. */
export const MAX_LAB_TESTS_AGE_MS = 60_000;
/** Places rarely change. */
export const MAX_PLACES_AGE_MS = 10 * 60_000;
