/** Points mapped without a pause, which takes about a millisecond ... */
export const MAX_POINTS_A_TURN = 2_000;
/** ... and summaries, which may have many kilobytes each. */
export const MAX_SUMMARIES_A_TURN = 100;
/** Minimum interval between writes of a provider's last delivery, so that few transactions write the same row. */
export const DELIVERY_STEP_MS = 300_000;
/** Rejections that the cleaner deletes together; larger write jobs would delay webhooks. */
export const MAX_OLD_REJECTIONS_A_SLICE = 200;

/** Number of samples in a read where some of a page were left out. */
export const MAX_SAMPLES_A_READ = 2_000;
/** Streams of one statement: one for all of an account as a rule, and far from the limit of parameters. */
export const MAX_STREAMS_A_STATEMENT = 1_000;
/** Size of a read, as a multiple of the limit, before it is decided which record stands for a day. */
export const CANDIDATES_A_READ = 4;
/** Candidates per read where every day is wanted. */
export const MAX_CANDIDATES_A_READ = 500;
/** Sets of attributes read by one statement, far from the limit of parameters. */
export const MAX_ATTRIBUTES_A_STATEMENT = 1_024;
/** Maximum number of samples counted per series and day, so that counting a year of heart rate takes bounded time. */
export const MAX_COUNTED_A_DAY = 1_000;
/** `ofDays` reads at most this many rows of hidden records, which are in memory together. */
export const MAX_HIDDEN = 10_000;
/** Maximum JSON characters in one batch of summaries: a single workout stream can have millions. */
export const MAX_BATCH_CHARACTERS = 2 * 1024 * 1024;
/** Ranges of one statement; on SQLite each is a part of its text. */
export const MAX_RANGES_A_STATEMENT = 512;
/** Local days whose samples are read together: the columns of a year would cost more in garbage collection. */
export const MAX_DATES_A_READ = 32;
/** Groups of one statement, far from the limit of parameters. */
export const MAX_GROUPS_A_STATEMENT = 1_024;

/** Rows in one write job; larger jobs make webhooks wait. */
export const MAX_ROWS_A_JOB = 100;
/** Missing records that a round asks to be pulled again, in one write job. */
export const MAX_DUE_A_ROUND = 500;
/** Maximum number of records that one look judges; a look that misses more is held. */
export const MAX_JUDGED = 10_000;

/** Accounts with samples of a resource that one read of the walk lists. */
export const MAX_ACCOUNTS_A_READ = 200;
/** Days of one account and resource that are thinned together: a day of heart rate has thousands of samples. */
export const MAX_DAYS_A_SLICE = 7;
/** Hourly sums that an export reads together. */
export const MAX_EXPORTED_TOGETHER = 100;
