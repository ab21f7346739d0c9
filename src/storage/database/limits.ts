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
  /** Silence on a connection in use after which the server is probed on another connection. */
  suspicious: 2_000,
  /** For the probe's response. Without one the database is unreachable and is probed again after `askAgain`. */
  answer: 2_000,
  askAgain: 500,
  /** Silence on one connection while the server responds on others; longer than any statement timeout. */
  silent: 5_000,
  /** Pause before the pool opens another connection after the server had none left. */
  keepTo: 30_000,
  /**
   * Longest life of a connection, so that reads do not stay on a server that a failover has demoted. Writes notice at
   * once: it answers 25006.
   */
  life: 60_000,
  /** Idle time of an unused connection before TCP keepalive probes it. */
  keepAlive: 10_000,
} as const;

/** Limits that the server enforces, as session parameters. */
export const limitsOfServer = {
  statement_timeout: limits.statement,
  lock_timeout: limits.lock,
  idle_in_transaction_session_timeout: limits.idleInTransaction,
} as const;

/** The server's part, as session parameters. The server detects a dead client on its own. */
export const serverLimits: readonly string[] = [
  ...Object.entries(limitsOfServer).map(([name, value]) => `${name}=${value}`),
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=15000',
];
