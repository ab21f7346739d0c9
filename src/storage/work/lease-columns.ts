import { IntColumn, TextColumn, TextKey } from '../database/columns.js';

/** Columns of a table of work rows, besides `due_at` and `attempts`; see lease.ts. */
export abstract class LeaseColumns {
  /** Consecutive attempts that failed because upstream or the store was unavailable; they do not count as attempts. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}

/** Columns of a table of idempotency keys, besides its `state`; see idempotency-keys.ts. */
export abstract class KeyColumns {
  @TextKey() key_digest: string;
  @IntColumn() created_at: number;
  /** Why the last call had no effect. */
  @TextColumn({ nullable: true }) error_code: string | null;
  /** The attempt that may make the call, and when its lease ends. */
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
}
