/** Observations of a process about its environment that no table shows. */
export const processSigns = [
  'upstream_key_refused',
  /** Upstream cannot be reached or is failing. */
  'upstream_away',
  /** Deliveries whose signature matches none of our secrets. */
  'deliveries_refused',
  /** Deliveries with a valid signature, but a timestamp too far from our clock. */
  'deliveries_untimely',
  /** Requests with signature headers at a path other than `/webhooks`. */
  'deliveries_misaddressed',
  /** Deliveries are refused because messages already wait too long. */
  'deliveries_shed',
  /** The queue of the message broker is not consumed. */
  'broker_not_consuming',
  /** Requests wait long because all slots of their kind are in use. */
  'callers_waiting',
  'store_refused',
  /** A file of the database was removed, moved or replaced while it was open. */
  'database_file_lost',
  /** The database lost what this process had written: it was restored or failed over. */
  'database_went_back',
  /** Rows of the tables may be hidden from the role, so nothing is read or written. */
  'rows_hidden',
  /** A sequence gave a number that a row already has. */
  'numbers_repeated',
  /** The server or its pooler has fewer sessions than the process asks for. */
  'sessions_few',
  /** The replica of DATABASE_READ_URL has not been usable for a while. */
  'replica_unused',
  'key_set_unreadable',
  /** Reloading the secret files failed; the previous secrets are still in use. */
  'secret_files_refused',
  /** Fences of erased people were made with a key that is not configured. */
  'fence_key_missing',
  /** A disk this process writes to has little free space, or will soon be full. */
  'disk_low',
  'backup_late',
  /** A verification or the chaining found that the access log was altered. */
  'access_log_broken',
] as const;
export type ProcessSign = (typeof processSigns)[number];

interface Seen {
  readonly since: number;
  /** The observation expires at this time. */
  readonly until: number;
}

/**
 * This process and its observations, in memory. The alarms write them to the database, where other processes read them.
 */
export class ThisProcess {
  private readonly seen = new Map<ProcessSign, Seen>();
  /** End of each pause that upstream asked of this process and all others, by operation, in epoch milliseconds. */
  private readonly pauses = new Map<string, number>();
  private pausesOfOthers = new Map<string, number>();
  /** Number of processes that share the upstream call budget, including this one. */
  sharers = 1;

  /** `instance` is new at every start. */
  constructor(readonly instance: string) {}

  /** Keeps the first `since`, and replaces `until`. Both are epoch milliseconds. */
  note(sign: ProcessSign, since: number, until = Number.POSITIVE_INFINITY): void {
    this.seen.set(sign, { since: this.seen.get(sign)?.since ?? since, until });
  }

  clear(sign: ProcessSign): void {
    this.seen.delete(sign);
  }

  /** Upstream asked us not to call this operation until this time. */
  pause(operation: string, until: number): void {
    this.pauses.set(operation, until);
  }

  /** Pauses that have not ended at `now`. */
  pausesAt(now: number): Record<string, number> {
    return Object.fromEntries([...this.pauses].filter(([, until]) => until > now));
  }

  /** Stores the pauses that other processes report. */
  hear(others: readonly Readonly<Record<string, number>>[]): void {
    const heard = new Map<string, number>();
    for (const [operation, until] of others.flatMap((pauses) => Object.entries(pauses))) {
      heard.set(operation, Math.max(until, heard.get(operation) ?? 0));
    }
    this.pausesOfOthers = heard;
  }

  /** End of the pause that other processes report for this operation; 0 if none. */
  heardOf(operation: string): number {
    return this.pausesOfOthers.get(operation) ?? 0;
  }

  /** Start of each observation that has not expired at `now`. */
  signs(now: number): Partial<Record<ProcessSign, number>> {
    const held = [...this.seen].filter(([, { until }]) => now < until);
    return Object.fromEntries(held.map(([sign, { since }]) => [sign, since]));
  }
}
