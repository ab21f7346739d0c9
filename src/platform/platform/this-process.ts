/** A process's observations of its environment, which no table holds. */
export const processSigns = [
  'upstream_key_refused',
  /** Upstream cannot be reached, or does not work. */
  'upstream_away',
  /** Deliveries whose signature none of our secrets made. */
  'deliveries_refused',
  /** Deliveries with a valid signature and a timestamp too far from our clock. */
  'deliveries_untimely',
  /** Requests with signature headers that came to another path than `/webhooks`. */
  'deliveries_misaddressed',
  /** Deliveries are put off, because messages already wait for too long. */
  'deliveries_shed',
  /** Requests wait long for a place because all places of their kind are taken. */
  'callers_waiting',
  'store_refused',
  /** The database file was removed, moved or replaced while it was open. */
  'database_file_lost',
  /** The database has lost what this process had written: it was restored, or failed over, meanwhile. */
  'database_went_back',
  'key_set_unreadable',
  /** Files of secrets could not be taken over when they were read again; the secrets before them are used. */
  'secret_files_refused',
  /** Fences of erased persons were made with a key that is not known. */
  'fence_key_missing',
  /** A disk that this process writes to has little free space, or will soon be full. */
  'disk_low',
  'backup_late',
  /** A verification found that the access log was changed. */
  'access_log_broken',
] as const;
export type ProcessSign = (typeof processSigns)[number];

interface Seen {
  readonly since: number;
  /** From when on it proves nothing any more. */
  readonly until: number;
}

/**
 * This process and what it sees of its surroundings, kept in memory: the alarms write it down, so that other processes
 * know. A new process begins with nothing seen.
 */
export class ThisProcess {
  private readonly seen = new Map<ProcessSign, Seen>();
  /** Ends of pauses that upstream asked this process for, and others, by operation; epoch milliseconds. */
  private readonly pauses = new Map<string, number>();
  private pausesOfOthers = new Map<string, number>();
  /** Number of processes that share the upstream call budget, including this one. */
  sharers = 1;

  /** `instance`: a new id for every start. */
  constructor(readonly instance: string) {}

  /** `since` is kept from the first time; `until` is renewed. Times in epoch milliseconds. */
  note(sign: ProcessSign, since: number, until = Number.POSITIVE_INFINITY): void {
    this.seen.set(sign, { since: this.seen.get(sign)?.since ?? since, until });
  }

  clear(sign: ProcessSign): void {
    this.seen.delete(sign);
  }

  /** Upstream asks everybody to leave an operation alone. */
  pause(operation: string, until: number): void {
    this.pauses.set(operation, until);
  }

  /** The pauses set by `pause` that still apply at `now`. */
  pausesAt(now: number): Record<string, number> {
    return Object.fromEntries([...this.pauses].filter(([, until]) => until > now));
  }

  /** Pauses reported by other processes. */
  hear(others: readonly Readonly<Record<string, number>>[]): void {
    const heard = new Map<string, number>();
    for (const [operation, until] of others.flatMap((pauses) => Object.entries(pauses))) {
      heard.set(operation, Math.max(until, heard.get(operation) ?? 0));
    }
    this.pausesOfOthers = heard;
  }

  /** Until when other processes were asked to leave an operation alone; 0 when they were not. */
  heardOf(operation: string): number {
    return this.pausesOfOthers.get(operation) ?? 0;
  }

  /** Since when each sign has been seen, of those that still hold at `now`. */
  signs(now: number): Partial<Record<ProcessSign, number>> {
    const held = [...this.seen].filter(([, { until }]) => now < until);
    return Object.fromEntries(held.map(([sign, { since }]) => [sign, since]));
  }
}
