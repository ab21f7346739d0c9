/** Interval of the alarms: monitoring asks once a minute as a rule. */
export const ALARMS_EVERY_MS = 15_000;
/** Shorter than the interval of the alarms, so that each round tests whether the store accepts writes. */
export const REPORT_EVERY_MS = 10_000;
/** Interval of looks at the disk, whose forecast is in hours. */
export const DISK_WATCH_EVERY_MS = 60_000;
/** Interval of calls that probe an upstream in trouble: each costs one of the budget. */
export const UPSTREAM_PROBE_EVERY_MS = 60_000;

/** Limits write probes of the disk to one per this interval. */
export const READINESS_CACHED_MS = 1_000;
/** Callers would time out before a slower store responded. */
export const READINESS_TIMEOUT_MS = 2_000;
/** Patience of `doctor` with each service that it asks: all of its checks together take seconds. */
export const CHECK_TIMEOUT_MS = 5_000;

/** Maximum streams per page, regardless of `limit`: one workout stream can take many megabytes. */
export const MAX_STREAMS_A_PAGE = 5;
/** Maximum characters of JSON in a page, so that serializing it does not block the event loop for long. */
export const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;
/**
 * Changed summaries whose times are read one by one, and ranges that stay as they are; beyond it, one range covers
 * all.
 */
export const MAX_RANGES = 50;
/** Limit of bytes buffered for the caller; reading pauses while the buffer is full. */
export const MAX_REPORT_READ_AHEAD_BYTES = 65_536;
/** Rows read of a kind, when only ids with a given end count. */
export const MAX_FOUND_A_READ = 100;
/** Accounts whose amounts stand for all in a forecast: enough for an average that a person reads. */
export const MAX_FORECAST_ACCOUNTS = 30;

/** A person waits for the identity provider. */
export const IDENTITY_TIMEOUT_MS = 5_000;
/** Minimum pause between two reads after failures, however many sign-ins fail. */
export const IDENTITY_RETRY_MS = 10_000;

/** Pulls polled together, the least recently polled first. A poll continues while all of them have ended. */
export const MAX_POLLS_TOGETHER = 64;
/** Concurrent requests, so that a long list of accounts does not wait for round trips. */
export const MAX_REQUESTS_TOGETHER = 8;
/** Minimum interval between plain lines of the same label, which a log keeps. */
export const PROGRESS_LINE_MS = 3_000;
/** Polling starts fast for short work ... */
export const FIRST_PROGRESS_PAUSE_MS = 150;
/** ... and slows down to spare the service. */
export const MAX_PROGRESS_PAUSE_MS = 2_000;
/** About a minute of failed polls, so that a restart or network outage does not end a wait of hours. */
export const MAX_FAILED_POLLS = 30;
/** The service refuses a key that sends too many requests for a second or two; a refused request had no effect. */
export const MAX_REFUSALS = 30;
