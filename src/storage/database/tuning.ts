/** Items of one statement and commit: large enough to share a commit, small enough for the jobs behind it. */
export const MAX_ITEMS_A_COMMIT = 500;
/** After this time a turn takes no more jobs, so that the event loop can run other work. */
export const MAX_WRITE_TURN_MS = 4;
/** Upper limit of the debt to other jobs, and thereby of the time that urgent ones wait. */
export const MAX_OWED_MS = 100;
/** Longer than brief locks of other connections, such as those of checkpoints. */
export const MAX_LOCK_WAIT_MS = 1_000;
/** Pause between two attempts at a locked file: a checkpoint holds its lock for milliseconds. */
export const LOCK_LOOK_MS = 10;
/** Rows of a statement on SQLite; more are not faster (docs/decisions/0003-sqlite-and-the-write-lane.md). */
export const MAX_ROWS_A_STATEMENT = 100;
/**
 * Rows passed to one statement. Lists are padded with NULL rows, which match no key, so that few sizes are needed and
 * statements stay prepared.
 */
export const MAX_ROWS_GIVEN = 128;
/** Attempts at a transaction that loses against others; after so many, its caller gets the error. */
export const MAX_TRANSACTION_TRIES = 5;
/** Connections for writing; as many again are used for reading. Enough to keep two cores of a database server busy. */
export const MAX_POSTGRES_CONNECTIONS = 10;
/** From this size of the log on (256 MiB) the committing connection makes checkpoints. */
export const MAX_LOG_PAGES = 65_536;
/** Minimum interval between checks of the log, because commits come faster than it grows. */
export const LOG_LOOK_MS = 10;
/** Passes before writers are held: each leaves only what was written during the previous one. */
export const MAX_CHECKPOINTS_BEFORE_HOLD = 3;
/** Larger files are not rewritten: SQLite rewrites about 100 MB per second and blocks writes meanwhile. */
export const MAX_BYTES_REWRITTEN = 256 * 1_048_576;
/** Larger tables are not vacuumed for each erasure: VACUUM reads all of their indexes. */
export const MAX_BYTES_VACUUMED = 1_024 * 1_048_576;
/** Pages that a reading connection keeps; the cache of the operating system has the others. */
export const READER_CACHE_KB = 4_000;
/** One for each core of a small machine; more threads do not read one file faster, and each takes about 10 MB. */
export const MAX_READER_THREADS = 2;
/** Longer than most queries, so that the second thread starts only for long ones. */
export const SECOND_READER_AFTER_MS = 100;
/** Idle time until the second thread ends: long enough for the next request of the same caller. */
export const SECOND_READER_IDLE_MS = 10_000;
/** Enough for several seconds of the slowest pages. */
export const MAX_READS_WAITING = 5_000;
/** Statements that a thread keeps prepared: more than all texts that are read often. */
export const MAX_STATEMENTS_PREPARED = 200;
/** Rows of a person's data read together: an export must not hold many of them in memory. */
export const MAX_PERSONAL_ROWS_A_READ = 200;
/** Rows of changes read in one statement: a page of changes takes few statements. */
export const MAX_CHANGED_ROWS_A_READ = 100;
/** A count that takes longer is remembered. */
export const LONG_COUNT_MS = 25;
/** A remembered count is used for so many times as long as it took, so that counting takes one percent of the time. */
export const COUNT_REUSE = 100;
/** A remembered count that is older is not used. */
export const MAX_COUNT_AGE_MS = 300_000;
/** Pauses for a server that starts up: with the next number, longer than a restart without recovery takes. */
export const MAX_STARTING_UP_WAITS = 20;
/** Pause before the next attempt to connect to a server that starts up. */
export const STARTING_UP_PAUSE_MS = 1_000;
/**
 * Length of a lease unless it is renewed (work/lease-keeper.ts). Longer than the statement timeout, so that a holder
 * notices a failing database before another process takes over.
 */
export const LEASE_MS = 10_000;
/** A lease survives two failed renewals in a row. */
export const LEASE_RENEW_MS = 3_000;
/** Work without progress for this long counts as stuck, and its lease expires: far longer than any call takes. */
export const STUCK_AFTER_MS = 600_000;
/** Interval between searches for more rows while rows are in progress. */
export const RUNNING_LOOK_MS = 100;
/** A failed round is repeated after this long, even if the interval of its worker is longer. */
export const ROUND_RETRY_MS = 60_000;
/** Longest pause of a queue, so that it notices soon that the other side works again. */
export const MAX_QUEUE_PAUSE_MS = 60_000;
/** A refused key needs an operator, so retrying faster does not help. */
export const KEY_REFUSED_PAUSE_MS = 60_000;
/** Rounds of the cleaner: rows live for days, so an hour more makes no difference. */
export const CLEANER_EVERY_MS = 3_600_000;
/** Divisor of the size of slices after a failure, of which the size may be the cause; it doubles with each success. */
export const CLEANER_SHRINK = 4;
/** Rows that the cleaner finds together: enough for one reading of the index. */
export const MAX_OLD_ROWS_A_SLICE = 500;
/** The delete checks the condition again, and blocks other writes while it runs. */
export const MAX_OLD_ROWS_A_DELETE = 50;
/** Looks at the clock: a step back delays due work by no more than this. */
export const CLOCK_STEPS_EVERY_MS = 5_000;
/** Looks at the connections: more often than alarms are raised. */
export const DATABASE_WATCH_EVERY_MS = 5_000;
/** Interval of the search for changes that other processes noted. */
export const SEQUENCER_EVERY_MS = 100;
/** Changes noted within this time are numbered together. */
export const SEQUENCER_GATHER_MS = 15;
/** Maximum numbered in one write job; larger jobs would delay webhooks. */
export const MAX_CHANGES_NUMBERED = 300;
/** Interval at which the history of the server is read while nothing changes. */
export const SERVER_LOOK_MS = 5_000;
/** Interval at which the newest number is read while a reader waits, because another process may number changes. */
export const CHANGE_TAIL_LOOK_MS = 100;
/** Rows of one read, of which a call may need several. */
export const MAX_CHANGES_A_READ = 500;
/** Rows that a call reads at most before it returns what it has. */
export const MAX_CHANGES_A_CALL = 10_000;
/** Maximum number of an account's changes that are searched for those since an instant. */
export const MAX_RECENT_CHANGES = 2_000;
/** Changes deleted in one write job; larger jobs would delay webhooks. */
export const MAX_OLD_CHANGES_A_SLICE = 300;
/** Rows of a dataset that are read together: thousands share the price of a read, and fit into memory. */
export const MAX_DATASET_ROWS_A_READ = 2_000;
/** A group ends at this number of rows ... */
export const MAX_PARQUET_ROWS_A_GROUP = 20_000;
/** ... or of characters of text, because the writer holds a group in memory. */
export const MAX_PARQUET_TEXT_A_GROUP = 8 * 1024 * 1024;
/** Days of one call: enough to share what a call reads, few enough for memory. */
export const MAX_DAYS_A_CALL = 92;
/** Rows of one transaction of a copy, after which a Ctrl-C is noticed. */
export const MAX_VIEW_ROWS_A_TRANSACTION = 5_000;
/** Changes read together to find the days that they touch. */
export const MAX_TOUCHING_CHANGES_A_READ = 500;
/** Looks whether a backup is due: a minute later makes no difference. */
export const BACKUP_EVERY_MS = 60_000;
/** For a large database on a slow disk. */
export const MAX_BACKUP_MS = 6 * 3_600_000;
/** The cause of a failed backup rarely disappears quickly, and each attempt reads the complete database. */
export const BACKUP_RETRY_MS = 900_000;
/** 4 MiB per turn: fast, and Ctrl-C is noticed soon. */
export const MAX_BACKUP_PAGES_A_TURN = 1_024;
/** Rows of one statement: each page costs a round trip to both databases. */
export const MAX_COPIED_ROWS_A_PAGE = 5_000;
/** Limits pages of long rows, so that one passes a slow connection within the server's statement timeout. */
export const MAX_COPIED_BYTES_A_PAGE = 2 * 1024 * 1024;
