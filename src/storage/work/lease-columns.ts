import { IntColumn, TextColumn } from '../database/columns.js';

/** Columns of a table whose rows are work, besides `due_at` and `attempts`; see lease.ts. */
export abstract class LeaseColumns {
  /** Consecutive tries that upstream or the store could not serve; such a try does not count. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}
