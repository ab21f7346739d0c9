/** Attempts at a call before its caller decides: rows in queues have attempts of their own. */
export const MAX_CALL_TRIES = 3;
/** First pause between two attempts, which doubles each time: most failures of a connection pass quickly ... */
export const RETRY_BASE_MS = 500;
/** ... and its upper limit. */
export const MAX_RETRY_MS = 8_000;
/** Longest pause after a 429: no limit of calls per minute needs more. */
export const MAX_THROTTLED_PAUSE_MS = 60_000;
/** Pause after a 429 if upstream names no time. */
export const THROTTLED_PAUSE_MS = 1_000;
/** Failed calls in a row that open the circuit: fewer may be chance. */
export const MAX_FAILURES_IN_A_ROW = 10;
/** Pause until an open circuit lets one call through; it grows while such calls fail ... */
export const CIRCUIT_OPEN_MS = 5_000;
/** ... up to this, so that the end of an outage is noticed. */
export const MAX_CIRCUIT_OPEN_MS = 60_000;
/** Deadline of a background call, in timeouts of one attempt. The deadline of an interactive call is one timeout. */
export const DEADLINE_TIMEOUTS = 4;
/** Time of a complete PDF. The longest pause without a byte is the timeout of one attempt. */
export const MAX_PDF_MS = 600_000;

/** Idle connections kept to upstream: more than calls in progress at usual budgets. */
export const MAX_FREE_SOCKETS = 16;
/** Parts of a second in which the call budget is handed out, so that a call waits for a part and no full second. */
export const SLICES_PER_SECOND = 10;
/** Part of its share that a process never lends, so that its next calls need not wait until it has the rest back. */
export const MIN_KEPT = 0.2;
/** Length of a body above which other work gets a turn before parsing. */
export const LONG_BODY_CHARACTERS = 100_000;
