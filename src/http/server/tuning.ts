/** Memory for the bodies of all connections, from their first byte until the response has closed. */
export const MAX_BODY_ROOM_BYTES = 32 * 1_048_576;
/** Pause named to a caller for whose body there is no room: those in progress have ended by then. */
export const BODY_RETRY_SECONDS = 5;
/** Memory for forms from their first byte until the response has closed, apart from that of other bodies. */
export const MAX_FORM_ROOM_BYTES = 64 * 1_048_576;
/** Requests that a client may pipeline on one connection while an earlier one is in progress. */
export const MAX_PIPELINED = 100;
/** Smaller responses are not worth compressing: they fit into one packet. */
export const MIN_COMPRESSED_BYTES = 1_400;
/** Interval at which a stop closes connections that have become idle. */
export const DRAIN_SWEEP_MS = 50;
/** Callers remembered. The one idle for longest is forgotten first and later starts with a full quota. */
export const MAX_CALLERS = 50_000;
/** For each key. A program that needs more uses another key. */
export const MAX_KEY_REQUESTS_PER_MINUTE = 12_000;
/** `used_at` is written at most once in this time, because every request uses its session. */
export const SESSION_USED_EVERY_MS = 60_000;

/** Requests with a new key wait for a read of the key set. */
export const KEY_SET_TIMEOUT_MS = 5_000;
/** Minimum pause between two reads for unknown keys, for which tokens with one wait ... */
export const KEY_SET_LOOK_MS = 1_000;
/** ... unless the set lacked its key less than this ago. */
export const KEY_SET_MISSING_MS = 10_000;
/** Pause after a failed read with a usable set ... */
export const KEY_SET_RETRY_MS = 10_000;
/** ... and without one, when every request fails. */
export const KEY_SET_RETRY_SOON_MS = 1_000;
