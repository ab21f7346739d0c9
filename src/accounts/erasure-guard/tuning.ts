/** Interval of the search for accounts that upstream does not have yet; their own request tried first. */
export const PENDING_ACCOUNTS_EVERY_MS = 60_000;
/** Accounts created in a round, one call each. */
export const MAX_PENDING_A_ROUND = 20;
/** First pause before an account is created again, which then grows with its age ... */
export const FIRST_ACCOUNT_RETRY_MS = 60_000;
/** ... up to six hours: after days of failures an operator has to act. */
export const MAX_ACCOUNT_RETRY_MS = 6 * 3_600_000;
/** Interval of the search for users to rename at upstream, which nothing waits for. */
export const PSEUDONYMS_EVERY_MS = 60_000;
/** Users renamed in a round, one call each. */
export const MAX_RENAMED_A_ROUND = 50;
/** Interval of the search for the next part of an import, which is a job of minutes. */
export const IMPORT_EVERY_MS = 2_000;

/** Interval of attempts to truncate the log while readers use it. */
export const LATE_SCRUB_EVERY_MS = 10_000;
/** Interval of the check that the keys of all fences are known: keys change only with the configuration. */
export const FENCES_EVERY_MS = 3_600_000;
/** Ids looked up by one statement, which costs a digest for each. */
export const MAX_IDS_A_STATEMENT = 500;
