/** Beyond this, deliveries are refused and upstream retries them (docs/upstream/webhooks.md#retry-delays). */
export const MAX_DELIVERIES_WAITING = 5_000;
/** Memory for the bodies of those that wait. */
export const MAX_DELIVERY_BYTES_WAITING = 64 * 1_048_576;
/** Pause named to a refused sender: a full queue is empty again by then. */
export const REFUSED_RETRY_SECONDS = 5;
/** Interval between checks of the oldest message while deliveries arrive. */
export const OLDEST_LOOK_MS = 1_000;
/** Deliveries are refused while the oldest untried message has waited longer than this. */
export const SHED_AFTER_MS = 600_000;
/** Pause named to their sender: such a backlog takes longer to work off than a full queue. */
export const SHED_RETRY_SECONDS = 30;
/** Interval of the search for messages to retry: a delivery wakes the worker itself. */
export const INBOX_EVERY_MS = 1_000;
/** Maximum number of short messages leased at a time. */
export const MAX_MESSAGES_CLAIMED = 256;
/** Limits for messages processed in one transaction, in number ... */
export const MAX_MESSAGES_TOGETHER = 64;
/** ... and body bytes. They keep each turn of the event loop short. */
export const MAX_BYTES_TOGETHER = 262_144;
/** Ended lookups per round: their messages wait no longer than for the next one. */
export const MAX_LOOKUPS_ENDED = 10;
/** Messages of an ended lookup that become due in one write job; larger jobs would delay deliveries. */
export const MAX_MESSAGES_RELEASED = 500;
/** Only the newest messages are grouped, because reading all of them would take seconds. */
export const MAX_MESSAGES_GROUPED = 10_000;
/** The messages of each hour are counted no more often, because the console asks for them all the time. */
export const HOURS_CACHED_MS = 10_000;
/** If more messages wait, they are not counted by hour, because reading them would take too long. */
export const MAX_WAITING_COUNTED = 10_000;
/** Bodies that the cleaner deletes together: some have many kilobytes. */
export const MAX_OLD_BODIES_A_SLICE = 200;
/** Number of messages that a turn makes due, if at most half as many are untried. */
export const MAX_REPLAYED_A_TURN = 512;
/** Messages of which one statement counts those that match, within the statement timeout. */
export const MAX_MESSAGES_COUNTED = 500_000;

/** Pause before the next attempt to connect, and at messages that the inbox refused. */
export const BROKER_EVERY_MS = 5_000;
/** Messages on their way to one commit, at most. */
export const MAX_PREFETCHED = 64;
/** A broker that takes longer to connect is down. */
export const BROKER_TIMEOUT_MS = 10_000;
/** Patience with a broker that does not respond when the process stops. */
export const BROKER_LEAVE_MS = 2_000;

/** Number of records that are written in one short transaction. */
export const MAX_RECORDS_A_TRANSACTION = 1_000;
/** Bytes of a long body that are searched for ids together, to copy little of it. */
export const MAX_BODY_SLICE_BYTES = 262_144;
/** Interval of the search for lookups: messages of a user that is not known here wait for them. */
export const LOOKUPS_EVERY_MS = 1_000;
/** Lookups leased together, because one walk over upstream's users answers many. */
export const MAX_LOOKUPS_CLAIMED = 200;
/** Old lookups removed in one write job; larger jobs would delay deliveries. */
export const MAX_LOOKUPS_REMOVED = 500;
/** After an unsuccessful lookup, upstream is not called again for this user for this long. */
export const LOOKUP_REFUSED_MS = 900_000;
/** Up to this many users are looked up one by one. For more, the list of users is read if that takes fewer calls. */
export const MAX_USERS_ONE_BY_ONE = 10;
/** Maximum number of users in one walk, whose ids are in memory. */
export const MAX_USERS_A_WALK = 50_000;
/** Timeout of a call of a lookup, whose messages wait for it. */
export const LOOKUP_CALL_MS = 10_000;
/** Results of a walk are used for this long. */
export const LOOKUP_ANSWER_MS = 60_000;

/** Interval of the search for due pulls: a second makes no difference to any of them. */
export const PULL_EVERY_MS = 1_000;
/** After this many pages, or this long, a task goes back to the queue, so that others get their turn. */
export const MAX_PAGES_A_TURN = 20;
/** The same in time, for pages that take long. */
export const MAX_PULL_TURN_MS = 60_000;
/** Maximum number of accounts per cycle of turns, so that a claim stays fast. */
export const MAX_ACCOUNTS_A_CYCLE = 100;
/** Only this many of the newest tasks are searched for ended ones, so that counting stays fast. */
export const MAX_TASKS_COUNTED = 100_000;
/** Latest finished tasks, of which the present speed is computed. */
export const MAX_RECENT_TASKS = 200;
/** Number of ended pulls used to estimate the duration of others. */
export const MAX_TASKS_TIMED = 1_000;
/**
 * Much shorter than the time after which a worker counts as stuck and loses its lease (storage/work/lease-keeper.ts).
 */
export const PULL_CALL_MS = 90_000;
/**
 * Summaries are not paged (docs/upstream/summaries.md#no-paging), so a long window is requested in parts of this
 * length: 30 days.
 */
export const SUMMARY_PART_MS = 30 * 86_400_000;
/** Records of a page per write job; larger jobs would delay webhooks. */
export const MAX_RECORDS_A_JOB = 1_000;
/** Interval of the search for streams whose next pull is due: pulls are spread over the seconds. */
export const SCHEDULE_EVERY_MS = 1_000;
/** Streams scheduled in one write job; larger jobs would delay webhooks. */
export const MAX_STREAMS_A_ROUND = 100;
/** Interval of the search for missing records that are to be looked at again, which is due hours later. */
export const MISSING_LOOKS_EVERY_MS = 60_000;
/** Resources without a pull wait at most this long for upstream's own pull of their history. */
export const MAX_FIRST_PULL_WAIT_MS = 3_600_000;
/** Accounts that one statement counts, so that none takes long. */
export const MAX_ACCOUNTS_COUNTED = 200_000;

/** Interval of the search for due fetches: a second makes no difference to any of them. */
export const SERIES_EVERY_MS = 1_000;
/** Series may be many megabytes, so only a few are in memory at a time. */
export const MAX_SERIES_FETCHES = 2;
/** Pause while the account has no upstream user yet. */
export const SERIES_NOT_READY_MS = 30_000;
/**
 * Much shorter than the time after which a worker counts as stuck and loses its lease (storage/work/lease-keeper.ts).
 */
export const SERIES_CALL_MS = 120_000;

/** Interval of the search for due polls: a second makes no difference to any of them. */
export const SOURCE_POLL_EVERY_MS = 1_000;
/** Polls in progress at a time, which share the call budget with pulls. */
export const MAX_POLLS_CLAIMED = 8;
/** A day. Changes visible in upstream's ingestion state are found sooner (sources/ingestion-page.ts). */
export const POLL_INTERVAL_MS = 86_400_000;
/** Less than the interval of polls, so that each daily one reads the user, and the frequent ones between do not. */
export const POLL_USER_EVERY_MS = POLL_INTERVAL_MS / 2;
/**
 * While a pull of upstream is open, polls follow after half of its age, but no sooner than this, because calls cost
 * ...
 */
export const MIN_POLL_DELAY_MS = 30_000;
/** ... and no later than this, so that its end is found. */
export const MAX_POLL_DELAY_MS = 15 * 60_000;
/** Delay after a poll that was not possible: six hours. */
export const POLL_REFUSED_PAUSE_MS = 6 * 3_600_000;
/** Minimum time between polls of an account that are caused by doubts about its sources: six hours. */
export const POLLED_LATELY_MS = 6 * 3_600_000;
/**
 * With the last call, much shorter than the time after which a worker counts as stuck (storage/work/lease-keeper.ts).
 */
export const MAX_POLL_MS = 120_000;
/** Timeout of one call of a poll. */
export const POLL_CALL_MS = 60_000;
/** Interval of the search for the next page of a walk, which is a job of minutes. */
export const INGESTION_STATE_EVERY_MS = 1_000;
/** Timeout of one page of the walk. */
export const INGESTION_STATE_CALL_MS = 60_000;
/** Interval of the search for priorities that upstream does not have yet; a change wakes the worker itself. */
export const SOURCE_PRIORITIES_EVERY_MS = 60_000;
/** Short enough that all calls end long before the worker counts as stuck (storage/work/lease-keeper.ts). */
export const SOURCE_PRIORITIES_CALL_MS = 15_000;

/** Interval of the search for the next batch, which takes its turn among other writes. */
export const RECOVERY_EVERY_MS = 1_000;
/** Approximate number of pulls per transaction; larger ones would delay webhooks. */
export const MAX_PULLS_A_BATCH = 1_000;
/** Accounts of one batch, also if each has few pulls. */
export const MAX_ACCOUNTS_A_BATCH = 500;
/** Share of the call budget for source polls, which have the priority of regular pulls and must not delay them. */
export const POLL_SHARE = 0.25;

/** Interval of the search for the next look of an audit, which is a job of hours. */
export const AUDITS_EVERY_MS = 2_000;
/** Interval of looks at a repair while its pulls run. */
export const AUDIT_PULLS_LOOK_MS = 5_000;
/** Between turns, so that a cancellation is noticed. */
export const MAX_AUDIT_PAUSE_MS = 60_000;
/** After so many calls, a sample ends and leaves the rest to the next one, so that everybody's turn comes. */
export const MAX_SAMPLE_CALLS = 20;
/** Looks whether the next sample is due: samples are minutes apart. */
export const AUDIT_SAMPLE_EVERY_MS = 30_000;
/** Of one account: others are dropped, so that many questions do not hold up the samples. */
export const MAX_QUESTIONS = 10;
/**
 * Much shorter than the time after which a worker counts as stuck and loses its lease (storage/work/lease-keeper.ts).
 */
export const AUDIT_CALL_MS = 90_000;
/** Stored records that are read together for the comparison with a page. */
export const MAX_STORED_A_READ = 1_000;
/** One look may compare a week of samples if all of its days together have had so few. */
export const MAX_OBJECTS_A_WEEK = 5_000;
