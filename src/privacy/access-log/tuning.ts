/** Interval of the search for entries that other processes recorded. */
export const CHAIN_EVERY_MS = 1_000;
/** Entries recorded within this time are chained together. */
export const CHAIN_GATHER_MS = 15;
/** Maximum chained in one write job; larger jobs would delay webhooks. */
export const MAX_ENTRIES_CHAINED = 500;
/** Interval of the search for old entries: they are kept for years, so an hour more makes no difference. */
export const RETENTION_EVERY_MS = 3_600_000;
/** Old entries deleted in one write job; larger jobs would delay webhooks. */
export const MAX_OLD_ENTRIES_A_SLICE = 1_000;
/** Entries read or checked before yielding to the event loop; takes a few milliseconds. */
export const MAX_ENTRIES_A_TURN = 100;
/** Limit of bytes buffered for the caller; reading pauses while the buffer is full. */
export const MAX_READ_AHEAD_BYTES = 65_536;

/** Interval of the search for due erasures; a request wakes the worker itself. */
export const ERASURE_EVERY_MS = 3_000;
/** Pause while the file is in use by what prevents its scrubbing, such as a backup. */
export const SCRUB_RETRY_MS = 10_000;
/** Erasures that share one scrubbing, because it takes as long for one as for many. */
export const MAX_SCRUBBED_TOGETHER = 500;
/** Interval of the search for erasures to check at upstream. */
export const ERASURE_CHECK_EVERY_MS = 3_000;
/** Erasures checked together, because one walk over the list of users answers for all. */
export const MAX_CHECKS_A_SCAN = 200;
/** Interval of the search for erasures to repeat after a restored backup. */
export const ERASURE_REPEAT_EVERY_MS = 5_000;
/** Accounts compared with the list of erasures at a time. */
export const MAX_ACCOUNTS_A_READ = 500;
/** Rows in one write job; larger jobs make webhooks wait. */
export const MAX_ROWS_A_JOB = 500;
/** Bodies of messages without an owner that are in memory together: some have many kilobytes. */
export const MAX_BODIES_A_READ = 20;
