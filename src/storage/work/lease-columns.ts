import { IntColumn, TextColumn } from '../database/columns.js';

/** Columns of a table of work rows, besides `due_at` and `attempts`; see lease.ts. */
export abstract class LeaseColumns {
  /** Consecutive attempts that failed because upstream or the store was unavailable; they do not count as attempts. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}
