/**
 * PostgreSQL timeouts in milliseconds. Each is shorter than a lease (work/lease.ts), so that a worker notices a
 * failing database while it still holds its rows.
 */
export const limits = {
  /**
   * For a connection, including waiting for a free one in the pool. While the database is unreachable, waiting
   * callers are refused earlier.
   */
  connect: 9_000,
  /** Enforced by the server: for a statement, a lock wait, and an idle transaction. */
  statement: 4_000,
  lock: 3_000,
  idleInTransaction: 5_000,
  /** If a connection in use is silent for this long, the server is probed on another connection. */
  suspicious: 2_000,
  /** For the probe's response. Without one, the database counts as unreachable and is probed again after `askAgain`. */
  answer: 2_000,
  askAgain: 500,
  /**
   * A connection silent for this long is destroyed if the server responds on others; longer than any statement timeout.
   */
  silent: 5_000,
  /** Time for which the pool opens no further connections after the server had none left. */
  keepTo: 30_000,
  /**
   * Maximum life of a connection, so that reads do not stay on a server that a failover demoted. Writes notice that
   * immediately, by error 25006.
   */
  life: 60_000,
  /**
   * For the replica to show what was committed when a read began; then the primary is read. Asked every `lookAgain`.
   */
  catchUp: 1_000,
  lookAgain: 20,
  /** Idle time of an unused connection before TCP keepalive probes it. */
  keepAlive: 10_000,
} as const;

/** Limits enforced by the server, as session parameters. */
export const limitsOfServer = {
  statement_timeout: limits.statement,
  lock_timeout: limits.lock,
  idle_in_transaction_session_timeout: limits.idleInTransaction,
} as const;

/** The same as startup arguments. The server detects a dead client on its own. */
export const serverLimits: readonly string[] = [
  ...Object.entries(limitsOfServer).map(([name, value]) => `${name}=${value}`),
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=15000',
];
