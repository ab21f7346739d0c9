import { backoffDelay } from '../../platform/platform/backoff.js';

/**
 * Length of a lease unless it is renewed (lease-keeper.ts). Longer than the statement timeout, so that a holder
 * notices a failing database before another process takes over.
 */
export const LEASE_MS = 10_000;

/** A row whose last MOST_ENDS holders ended without an outcome is buried. */
export const MOST_ENDS = 5;
/** A row that may kill the process again waits until other work has had time. */
const suspectPause = { baseMs: 2_000, capMs: 60_000, factor: 2, jitter: 0.5 };

/** Delay in milliseconds for a row whose last `ends` holders ended without an outcome. */
export function pauseAfter(ends: number): number {
  return backoffDelay(suspectPause, ends - 1);
}

/** The columns of every table of work. */
export interface LeasedRow {
  /** When the row may be claimed; null if nothing is left to do. A lease does not change it. */
  readonly due_at: number | null;
  /** Attempts since the last successful step. Counted at the claim, so an attempt that kills the process counts too. */
  readonly attempts: number;
  /** Consecutive attempts that failed because upstream or the store was unavailable; they do not count as attempts. */
  readonly waits: number;
  /** The claim that holds the row, or the last one if it ended without an outcome. */
  readonly lease_owner: string | null;
  /** When the lease ends, exclusive. */
  readonly lease_until: number | null;
}

/** Consecutive failed attempts of any cause, without the current one. */
export function failuresOf({ attempts, waits, lease_owner }: LeasedRow): number {
  return attempts + waits - (lease_owner === null ? 0 : 1);
}

/** A table's own columns that change together with the lease, and `attempts` if the table continues counting it. */
export type Change<Row> = Partial<Omit<Row, Exclude<keyof LeasedRow, 'attempts'>>>;

/**
 * Suffix of the holder's name, or the complete value while the row is deferred: the number of consecutive holders that
 * ended without an outcome.
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

/** True if more than one holder ended without an outcome, and the row was not deferred for that yet. */
export function isToBePutOff(row: LeasedRow): boolean {
  const ends = endsOf(row);
  return ends > 1 && ends < MOST_ENDS && row.lease_until !== null;
}

/** The lease was not cleared, so the holder died or is late. */
function isAbandoned({ lease_owner }: LeasedRow): boolean {
  return lease_owner !== null;
}

/** The rows before the first abandoned one; if that is the first row, only that one. */
export function withoutAbandoned<Row extends LeasedRow>(due: readonly Row[]): readonly Row[] {
  const first = due.findIndex(isAbandoned);
  return first < 0 ? due : due.slice(0, Math.max(1, first));
}
