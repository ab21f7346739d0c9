import type BetterSqlite3 from 'better-sqlite3';
import { measuredIn } from '../declarations/views.js';

/** Functions for which PostgreSQL has regular expressions. */
export function registerMeasures(db: BetterSqlite3.Database): void {
  const options = { deterministic: true };
  const given = (text: unknown): string => (typeof text === 'string' ? text : '');
  db.function('measured_value', options, (text: unknown) => measuredIn(given(text))?.value ?? null);
  db.function('measured_comparator', options, (text: unknown) => measuredIn(given(text))?.comparator ?? null);
}
