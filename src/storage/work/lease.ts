import { backoffDelay } from '../../platform/platform/backoff.js';

/**
 * A row is buried after so many holders in a row that ended without an outcome while it was the only row in flight:
 * then it is what ends them. In company it may be innocent, as when the system kills the process; only after many such
 * ends is chance ruled out.
 */
const MAX_ENDS = 5;
const MAX_ENDS_IN_COMPANY = 30;
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

/** Numbers of consecutive holders that ended without an outcome: all, and those with no other row in flight. */
export interface Ends {
  readonly all: number;
  readonly alone: number;
}

/** Added to the holder's name once other rows are in flight in its process, if earlier holders of the row ended. */
export const companyMark = '+';

/** Suffix of the holder's name, or the complete value while the row is deferred: the ends before. */
export function markOf({ all, alone }: Ends): string {
  return all === 0 ? '' : `~${all}/${alone}`;
}

/** Ends before the current holder. */
export function endsBefore({ lease_owner }: Pick<LeasedRow, 'lease_owner'>): Ends {
  const [all = 0, alone = 0] = lease_owner?.split('~')[1]?.replace(companyMark, '').split('/').map(Number) ?? [];
  return { all, alone };
}

/**
 * The same for a row without a holder, including its last one. A successful step resets `attempts` to one and both
 * numbers to zero.
 */
export function endsOf(row: LeasedRow): Ends {
  if (row.lease_owner === null) return { all: 0, alone: 0 };
  const before = endsBefore(row);
  if (row.lease_until === null) return before;
  const { all, alone } = row.attempts <= 1 ? { all: 0, alone: 0 } : before;
  return { all: all + 1, alone: alone + (wasInCompany(row) ? 0 : 1) };
}

/** True if other rows were in flight when the last holder was seen. */
function wasInCompany({ lease_owner }: LeasedRow): boolean {
  return lease_owner?.endsWith(companyMark) === true;
}

/** Attempts of a claimable row. An end in company is no attempt of the row, unless it is the first one. */
export function attemptsOf(row: LeasedRow): number {
  return wasInCompany(row) && row.attempts > 1 ? row.attempts - 1 : row.attempts;
}

/** True if the row is what ends its holders. */
export function isGuilty({ all, alone }: Ends): boolean {
  return alone >= MAX_ENDS || all >= MAX_ENDS_IN_COMPANY;
}

/** True if more than one holder ended without an outcome, and the row was not deferred for that yet. */
export function isToBePutOff(row: LeasedRow): boolean {
  const ends = endsOf(row);
  return ends.all > 1 && !isGuilty(ends) && row.lease_until !== null;
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
