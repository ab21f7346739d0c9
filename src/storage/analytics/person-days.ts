import { dateAfter } from '../../platform/platform/time.js';
import { MAX_DAYS_A_CALL } from '../database/tuning.js';
import type { DayRows, Row } from '../declarations/views.js';

/** Before every sample. */
const FIRST_DAY = '0001-01-01';

/** The rows of a person on sorted days, or all if null, a call's worth at a time. */
export function rowsOf(rows: DayRows, account: number, days: readonly string[] | null): AsyncGenerator<readonly Row[]> {
  return days === null ? allRowsOf(rows, account) : rowsOfDays(rows, account, days);
}

/** All rows of a person, a call's worth at a time. */
export async function* allRowsOf(rows: DayRows, account: number): AsyncGenerator<readonly Row[]> {
  for (let from = await rows.nextDay(account, FIRST_DAY); from !== null; ) {
    const to = dateAfter(from, MAX_DAYS_A_CALL - 1);
    yield await rows.of(account, from, to);
    from = await rows.nextDay(account, dateAfter(to, 1));
  }
}

async function* rowsOfDays(rows: DayRows, account: number, days: readonly string[]): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < days.length; ) {
    const from = days[at] ?? '';
    let to = from;
    for (at++; at < days.length && days[at] === dateAfter(to, 1) && to < dateAfter(from, MAX_DAYS_A_CALL - 1); at++) {
      to = days[at] ?? to;
    }
    yield await rows.of(account, from, to);
  }
}
