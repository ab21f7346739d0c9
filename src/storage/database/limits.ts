/**
 * How long PostgreSQL may take, in milliseconds. Each is below a lease (work/leased-rows.ts), so that whoever waits for
 * the database hears of its failure while it still holds its rows.
 */
export const limits = {
  /** For a connection, a free one of the pool included; who waits while the database is away is refused before. */
  connect: 9_000,
  /** Kept by the server: a statement, waiting for a lock, and a transaction that does nothing. */
  statement: 4_000,
  lock: 3_000,
  idleInTransaction: 5_000,
  /** Without a byte from a connection in use: the server is asked on another connection whether it answers at all. */
  suspicious: 2_000,
  /** For its answer. Without one the database is away, and is asked again after `askAgain`. */
  answer: 2_000,
  askAgain: 500,
  /** Without a byte while the server answers others: longer than any of the server's own limits on a statement. */
  silent: 5_000,
  /** How long a pool asks for no further connection after the server had none left. */
  keepTo: 30_000,
  /** Between bytes of a connection that nobody uses, before the system asks whether the other side is still there. */
  keepAlive: 10_000,
} as const;

/** The server's part, as parameters of a session. It notices by itself that a client has gone. */
export const serverLimits: readonly string[] = [
  `statement_timeout=${limits.statement}`,
  `lock_timeout=${limits.lock}`,
  `idle_in_transaction_session_timeout=${limits.idleInTransaction}`,
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=15000',
];
