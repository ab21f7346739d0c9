/*
 * Loans of calls a second among the processes on one database. The sum of all rates stays the sum of the equal shares:
 *
 *   lends    the process makes so many calls a second fewer than its share, until `lends_until`
 *   borrows  the process makes so many more, for LOAN_MS at most
 *
 * A loan is granted under a lock from what others lend for at least as long as the loan lasts, minus what others have
 * borrowed. No loan has to be returned: it ends by itself, also if the borrower dies. A lender that needs its calls
 * again says so and gets them after LOAN_MS, when all loans from before have ended, or immediately if the other lenders
 * cover them. A lender that dies or loses the database keeps its word until `lends_until`. Times are those of the
 * database; a process counts their lengths by its monotonic clock, from before a loan and from after a promise.
 */

/** A loan is renewed twice in this time. */
export const LOAN_MS = 1_000;
/** A lender renews its promise three times in this time. */
export const LENDING_MS = 30_000;

/** Loans of one process. Times are epoch milliseconds of the database; null is long ago. */
export interface CallLoans {
  readonly lends: number | null;
  readonly lends_until: number | null;
  readonly borrows: number | null;
  readonly borrows_until: number | null;
}

const sum = (rates: readonly (number | null)[]): number => rates.reduce<number>((all, rate) => all + (rate ?? 0), 0);

const lentUntil = (others: readonly CallLoans[], until: number): number =>
  sum(others.filter(({ lends_until }) => (lends_until ?? 0) >= until).map(({ lends }) => lends));

const borrowersAt = (others: readonly CallLoans[], now: number): readonly CallLoans[] =>
  others.filter(({ borrows_until }) => (borrows_until ?? 0) > now);

/** Calls a second that a process may borrow from `now` for LOAN_MS; all borrowers get equal parts in the end. */
export function loanFrom(others: readonly CallLoans[], now: number): number {
  const lent = lentUntil(others, now + LOAN_MS);
  const borrowers = borrowersAt(others, now);
  const left = lent - sum(borrowers.map(({ borrows }) => borrows));
  return Math.max(0, Math.min(lent / (borrowers.length + 1), left));
}

/** Milliseconds until a process that lends nothing from `now` on may make these calls itself. */
export function returnedAfter(others: readonly CallLoans[], now: number): number {
  const borrowed = sum(borrowersAt(others, now).map(({ borrows }) => borrows));
  return borrowed <= lentUntil(others, now + LOAN_MS) ? 0 : LOAN_MS;
}
