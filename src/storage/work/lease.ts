import { backoffDelay } from '../../platform/platform/backoff.js';

/**
 * How long a lease lasts unless it is renewed (lease-keeper.ts): longer than a statement may take
 * (postgres-pool/limits.ts), so that a holder hears of a failing database before others take over.
 */
export const LEASE_MS = 10_000;

/** A row that has ended so many holders in a row is not tried again. */
export const MOST_ENDS = 5;
/** What may kill the process again is tried once the rest of the work had time. */
const suspectPause = { baseMs: 2_000, capMs: 60_000, factor: 2, jitter: 0.5 };

/** How long a row that has ended so many holders in a row is put off, in milliseconds. */
export function pauseAfter(ends: number): number {
  return backoffDelay(suspectPause, ends - 1);
}

/** The columns of every table whose rows are work to do. */
export interface LeasedRow {
  /** When the row may be claimed; null once there is nothing left to do. A lease leaves it as it is. */
  readonly due_at: number | null;
  /** Tries since the last step that worked. Counted at the claim, so a try that kills the process counts too. */
  readonly attempts: number;
  /** How often in a row upstream or the store could not serve it. Such a try is given back. */
  readonly waits: number;
  /** The claim that holds the row, or held it and ended without a word. */
  readonly lease_owner: string | null;
  /** When the lease ends. A lease that ends exactly now is over. */
  readonly lease_until: number | null;
}

/** Tries in a row that failed, whoever's fault it was; the one under way is none. */
export function failuresOf({ attempts, waits, lease_owner }: LeasedRow): number {
  return attempts + waits - (lease_owner === null ? 0 : 1);
}

/** Own columns of a table that change together with the lease, and `attempts` where a table counts them on. */
export type Change<Row> = Partial<Omit<Row, Exclude<keyof LeasedRow, 'attempts'>>>;

/** What stands behind the name of a holder, or alone while the row is put off: how many it has ended in a row. */
export function markOf(ends: number): string {
  return ends === 0 ? '' : `~${ends}`;
}

/** How many holders in a row had ended without a word before the one that holds it. */
export function endsBefore({ lease_owner }: Pick<LeasedRow, 'lease_owner'>): number {
  return Number(lease_owner?.split('~')[1] ?? 0);
}

/**
 * The same of a row that nobody holds, its last holder included. A step that works sets `attempts` back to one, and
 * with it begins anew.
 */
export function endsOf(row: LeasedRow): number {
  if (row.lease_owner === null) return 0;
  if (row.lease_until === null) return endsBefore(row);
  return row.attempts <= 1 ? 1 : endsBefore(row) + 1;
}

/** Whether it has ended its holders more than once, and has not been put off for that yet. */
export function isToBePutOff(row: LeasedRow): boolean {
  const ends = endsOf(row);
  return ends > 1 && ends < MOST_ENDS && row.lease_until !== null;
}

/** Nobody cleared its lease, so its holder died or is late. */
function isAbandoned({ lease_owner }: LeasedRow): boolean {
  return lease_owner !== null;
}

/** The rows before the first abandoned one; that one alone when it is the first. */
export function withoutAbandoned<Row extends LeasedRow>(due: readonly Row[]): readonly Row[] {
  const first = due.findIndex(isAbandoned);
  return first < 0 ? due : due.slice(0, Math.max(1, first));
}
