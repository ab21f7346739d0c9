import { shapeOf } from '../database/columns.js';
import { assignments, type SqlInput } from '../database/dialect.js';
import { lockRow } from '../database/rows.js';
import type { Queryable, Tx } from '../database/tx.js';
import type { KeyColumns } from './lease-columns.js';

export interface KeyRow extends KeyColumns {
  /**
   * calling: a call to upstream may be in progress · unknown: a call ended without an outcome · refused: upstream did
   * nothing, and the key is free for a corrected body · any other: done.
   */
  readonly state: string;
}

/** The right to make one call under a key. Ending it requires that it is still held. */
export interface Attempt {
  readonly keyDigest: string;
  /** The lease. */
  readonly attempt: string;
}

/**
 * Length of the lease: the call and one lookup before and after it take one timeout each; the rest is for storing their
 * results.
 */
export function callLeaseMs({ timeoutMs }: { readonly timeoutMs: number }): number {
  return 4 * timeoutMs;
}

type Own<Row> = Partial<Omit<Row, Exclude<keyof KeyRow, 'created_at'>>>;

const ended = { lease_owner: null, lease_until: null } as const;

/**
 * The statements about idempotency keys, for one table.
 *
 *   (no row) --lock-->             refused  free
 *   refused, unknown --startCall-> calling  under a lease
 *   calling  --fail-->             refused  nothing was done, or unknown
 *   any      --done-->             done     in the transaction that stores the outcome
 *   calling  --the lease ends-->   (as unknown)
 */
export class IdempotencyKeys<Row extends KeyRow> {
  /** Attempts of this process that have not ended. */
  private readonly running = new Set<string>();
  private readonly shape = shapeOf(this.entity);

  constructor(private readonly entity: new () => Row) {}

  /** Locks the row of a key until the transaction ends; inserts it as free if it is missing. */
  lock(tx: Tx, keyDigest: string, own: Own<Row>): Promise<Row> {
    const fresh: Own<Row> & Partial<KeyRow> = { ...own, key_digest: keyDigest, state: 'refused' };
    return lockRow(tx, this.shape, fresh as Partial<Row>);
  }

  /**
   * True if a call under the key may be in progress. Only one process uses a SQLite file, so an attempt that this
   * process does not know died with the previous one.
   */
  isCalling(tx: Tx, { state, lease_owner, lease_until }: KeyRow, now: number): boolean {
    if (state !== 'calling' || (lease_until ?? 0) <= now) return false;
    return tx.dialect !== 'sqlite' || (lease_owner !== null && this.running.has(lease_owner));
  }

  async startCall(tx: Tx, { keyDigest, attempt }: Attempt, leaseUntil: number, own: Own<Row>): Promise<void> {
    const lease = { lease_owner: attempt, lease_until: leaseUntil };
    await this.write(tx, keyDigest, { ...own, ...lease, state: 'calling', error_code: null });
  }

  /** Stores the outcome in this transaction, whoever holds the lease. */
  async done(tx: Tx, keyDigest: string, state: Row['state'], own: Own<Row>): Promise<void> {
    await this.write(tx, keyDigest, { ...own, ...ended, state, error_code: null });
  }

  /** Does nothing if another attempt holds the lease or the outcome is already stored. */
  async fail(tx: Tx, attempt: Attempt, failure: { settled: boolean; code: string }, own: Own<Row> = {}): Promise<void> {
    const state = failure.settled ? 'refused' : 'unknown';
    const change = { ...own, ...ended, state, error_code: failure.code };
    await this.write(tx, attempt.keyDigest, change, `AND state = 'calling' AND lease_owner = ?`, [attempt.attempt]);
  }

  /** Treats the attempt as alive while `claim` runs and, if it may make the call, until `forget`. */
  async claim<T extends { readonly kind: string }>(attempt: string, claim: () => Promise<T>): Promise<T> {
    this.running.add(attempt);
    try {
      const claimed = await claim();
      if (claimed.kind !== 'call') this.forget(attempt);
      return claimed;
    } catch (error) {
      this.forget(attempt);
      throw error;
    }
  }

  /** The attempt has ended, with any outcome. */
  forget(attempt: string): void {
    this.running.delete(attempt);
  }

  /** Number of keys with an unknown outcome and no call in progress that could settle it. */
  async countUnresolved(queryable: Queryable, now: number): Promise<number> {
    const [row] = await queryable.rows<{ count: number }>(
      `SELECT COUNT(*) AS count FROM ${this.shape.table} WHERE state = 'unknown' OR (state = 'calling' AND lease_until <= ?)`,
      [now],
    );
    return row?.count ?? 0;
  }

  private async write(
    tx: Tx,
    keyDigest: string,
    change: object,
    guard = '',
    values: readonly SqlInput[] = [],
  ): Promise<void> {
    const changed = assignments(change as Record<string, SqlInput>);
    const sql = `UPDATE ${this.shape.table} ${changed.set} WHERE key_digest = ? ${guard}`;
    await tx.execute(sql, [...changed.values, keyDigest, ...values]);
  }
}
