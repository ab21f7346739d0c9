/** A page with values ends once it has this many characters. */
export const MAX_PAGE_CHARACTERS = 1024 * 1024;
/** Number of changes whose values are read at a time, so that few are read in vain when a page ends. */
export const MAX_VALUES_READ = 20;
/** Subjects read at a time: the next ones are read when the caller has taken these. */
export const MAX_SUBJECTS_A_READ = 200;
/**
 * Time without a change after which a heartbeat is sent: proxies close silent connections after a minute, as a rule.
 */
export const HEARTBEAT_MS = 15_000;
/** A client that reads nothing for this long is disconnected; it can continue with `Last-Event-ID`. */
export const MAX_STALLED_MS = 30_000;
/** Bytes buffered for each connection of the stream, of which there may be many. */
export const MAX_EVENTS_READ_AHEAD_BYTES = 16_384;
/** Bytes buffered for the caller of a snapshot; reading pauses while the buffer is full. */
export const MAX_SNAPSHOT_READ_AHEAD_BYTES = 65_536;

/** Interval at which to check for new changes, also while endpoints are served. */
export const PUSH_EVERY_MS = 250;
/** Maximum number of endpoints served at a time. */
export const MAX_ENDPOINTS_SERVED = 16;
/** Changes per page of pushes without values, which need no further reading. */
export const MAX_CHANGES_A_PAGE = 256;
/** Changes per page with values, which are read before the first push. */
export const MAX_CHANGES_A_PAGE_WITH_VALUES = 64;
/** Pushes to one endpoint at a time. */
export const MAX_PUSHES_TOGETHER = 64;
/** Pushes that probe the endpoint after nothing arrived. */
export const MAX_PROBES = 3;
/** Number of failures without a success after which the rest of the page is not sent. */
export const MAX_FAILURES = 16;
/** Time after which the endpoint is released, and the unfinished accounts of a page move to their lanes. */
export const MAX_FLOW_TURN_MS = 10_000;
/** Interval of the search for lanes whose next push is due: the pauses between retries are longer. */
export const LANES_EVERY_MS = 1_000;
/** Lanes in progress at a time: each sends one push after the other. */
export const MAX_LANES_CLAIMED = 16;
/** Maximum number of pushes of a lane sent in one turn, so that others get theirs ... */
export const MAX_PUSHES_A_TURN = 50;
/** ... and maximum duration of that turn. */
export const MAX_LANE_TURN_MS = 10_000;
/** Timeout of an exchange, from the connection to the end of the response. */
export const PUSH_TIMEOUT_MS = 10_000;
/** Idle connections kept to endpoints: as many as pushes to one endpoint at a time. */
export const MAX_FREE_SOCKETS = 64;
/** Open connections to brokers at a time; beyond it, the oldest is closed. */
export const MAX_BROKERS_OPEN = 64;
/** Rows changed per transaction; larger ones would delay webhooks. */
export const MAX_ROWS_A_TRANSACTION = 500;
