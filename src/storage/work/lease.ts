import { backoffDelay } from '../../platform/platform/backoff.js';

/**
 * Length of a lease unless it is renewed (lease-keeper.ts). Longer than the statement timeout, so that a holder
 * notices a failing database before another process takes over.
 */
export const LEASE_MS = 10_000;

/** A row that ended this many holders in a row is buried. */
export const MOST_ENDS = 5;
/** A row that may kill the process again waits until other work had time. */
const suspectPause = { baseMs: 2_000, capMs: 60_000, factor: 2, jitter: 0.5 };

/** Delay in milliseconds for a row that ended this many holders in a row. */
export function pauseAfter(ends: number): number {
  return backoffDelay(suspectPause, ends - 1);
}

/** The columns of every table of work. */
export interface LeasedRow {
  /** Time from which the row may be claimed; null if nothing is left to do. A lease does not change it. */
  readonly due_at: number | null;
  /** Tries since the last successful step. Counted at the claim, so a try that kills the process counts too. */
  readonly attempts: number;
  /** Consecutive tries that upstream or the store could not serve. Such a try does not count. */
  readonly waits: number;
  /** The claim that holds the row, or the last one if it ended without an outcome. */
  readonly lease_owner: string | null;
  /** When the lease ends. A lease that ends exactly now is over. */
  readonly lease_until: number | null;
}

/** Consecutive failed tries, whatever the cause; the current one is not counted. */
export function failuresOf({ attempts, waits, lease_owner }: LeasedRow): number {
  return attempts + waits - (lease_owner === null ? 0 : 1);
}

/** Own columns of a table that change together with the lease, and `attempts` where a table counts them on. */
export type Change<Row> = Partial<Omit<Row, Exclude<keyof LeasedRow, 'attempts'>>>;

/**
 * Suffix of the holder's name, or the complete value while the row is deferred: the number of holders it ended in a
 * row.
 */
export function markOf(ends: number): string {
  return ends === 0 ? '' : `~${ends}`;
}

/** Number of consecutive holders that ended without an outcome before the current one. */
export function endsBefore({ lease_owner }: Pick<LeasedRow, 'lease_owner'>): number {
  return Number(lease_owner?.split('~')[1] ?? 0);
}

/**
 * The same for a row without a holder, including its last one. A successful step resets `attempts` to one and this
 * number to zero.
 */
export function endsOf(row: LeasedRow): number {
  if (row.lease_owner === null) return 0;
  if (row.lease_until === null) return endsBefore(row);
  return row.attempts <= 1 ? 1 : endsBefore(row) + 1;
}

/** True if it ended more than one holder and was not deferred for that yet. */
export function isToBePutOff(row: LeasedRow): boolean {
  const ends = endsOf(row);
  return ends > 1 && ends < MOST_ENDS && row.lease_until !== null;
}

/** The lease was not cleared, so the holder died or is late. */
function isAbandoned({ lease_owner }: LeasedRow): boolean {
  return lease_owner !== null;
}

/** The rows before the first abandoned one; that one alone when it is the first. */
export function withoutAbandoned<Row extends LeasedRow>(due: readonly Row[]): readonly Row[] {
  const first = due.findIndex(isAbandoned);
  return first < 0 ? due : due.slice(0, Math.max(1, first));
}
