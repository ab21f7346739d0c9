import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { assignments, placeholders, type SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { lockRow } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { IdempotencyKeyEntity, type KeySubject } from './idempotency-key.entity.js';

export type KeyRow = IdempotencyKeyEntity;

/** The key of a row, and what is written if there is none. */
type NewKey = Pick<KeyRow, 'subject' | 'key_digest' | 'call_id' | 'account_id' | 'object_id' | 'created_at'>;
type Started = Pick<KeyRow, 'account_id' | 'object_id' | 'fingerprint' | 'open_since' | 'lease_owner' | 'lease_until'>;

const keys = shapeOf(IdempotencyKeyEntity);
const ended = { lease_owner: null, lease_until: null } as const;

/** The idempotency_keys table. */
@Injectable()
export class IdempotencyKeysRepository {
  constructor(private readonly reader: Reader) {}

  /** Locks the row of a key until the transaction ends; inserts it as free if it is missing. */
  lock(tx: Tx, fresh: NewKey): Promise<KeyRow> {
    return lockRow(tx, keys, { ...fresh, state: 'refused', fingerprint: '' });
  }

  async startCall(tx: Tx, callId: string, started: Started): Promise<void> {
    await this.write(tx, { ...started, state: 'calling', error_code: null }, 'call_id = ?', [callId]);
  }

  /** Does nothing if another attempt holds the lease or the outcome is already stored. */
  async fail(tx: Tx, failed: { callId: string; attempt: string; settled: boolean; code: string }): Promise<void> {
    const outcome = failed.settled
      ? ({ state: 'refused', open_since: null } as const)
      : ({ state: 'unknown' } as const);
    const change = { ...ended, ...outcome, error_code: failed.code };
    const held = `call_id = ? AND state = 'calling' AND lease_owner = ?`;
    await this.write(tx, change, held, [failed.callId, failed.attempt]);
  }

  /** Stores an outcome, regardless of who holds the lease. The first outcome stays. */
  async done(
    tx: Tx,
    { subject, callId, account }: { subject: KeySubject; callId: string; account?: number | undefined },
    outcome: { id: string; at: number },
  ): Promise<void> {
    const change = { ...ended, state: 'done', outcome_id: outcome.id, done_at: outcome.at } as const;
    const own = new Conditions().add('account_id = ?', account);
    const open = `call_id = ? AND subject = ? AND state <> 'done' ${own.and}`;
    await this.write(tx, { ...change, open_since: null, error_code: null }, open, [callId, subject, ...own.values]);
  }

  async outcome(tx: Tx, callId: string): Promise<string | null> {
    const sql = 'SELECT outcome_id FROM idempotency_keys WHERE call_id = ?';
    const [row] = await tx.rows<Pick<KeyRow, 'outcome_id'>>(sql, [callId]);
    return row?.outcome_id ?? null;
  }

  /** Unfinished calls about the same object under other keys. */
  otherCalls(tx: Tx, { subject, call_id, object_id }: KeyRow): Promise<KeyRow[]> {
    const sql = `SELECT * FROM idempotency_keys
      WHERE object_id = ? AND subject = ? AND call_id <> ? AND state = 'calling'`;
    return tx.rows<KeyRow>(sql, [object_id, subject, call_id]);
  }

  /** Those of the outcomes that belong to another key. */
  async outcomesOfOthers(
    { subject, callId }: { subject: KeySubject; callId: string },
    outcomeIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (outcomeIds.length === 0) return new Set();
    const rows = await this.reader.rows<{ outcome_id: string }>(
      `SELECT outcome_id FROM idempotency_keys
       WHERE outcome_id IN (${placeholders(outcomeIds.length)}) AND subject = ? AND call_id <> ?`,
      [...outcomeIds, subject, callId],
    );
    return new Set(rows.map(({ outcome_id }) => outcome_id));
  }

  /** True if another key, first used after this one, is done with the same object. */
  async isDoneByAnother(callId: string): Promise<boolean> {
    const rows = await this.reader.rows(
      `SELECT 1 AS found FROM idempotency_keys mine JOIN idempotency_keys other
         ON other.object_id = mine.object_id AND other.subject = mine.subject AND other.call_id <> mine.call_id
       WHERE mine.call_id = ? AND other.state = 'done' AND other.created_at >= mine.created_at`,
      [callId],
    );
    return rows.length > 0;
  }

  /** Number of keys with an unknown outcome and no call in progress that could settle it. */
  async countUnresolved(subject: KeySubject, now: number): Promise<number> {
    const [row] = await this.reader.rows<{ count: number }>(
      `SELECT COUNT(*) AS count FROM idempotency_keys
       WHERE subject = ? AND (state = 'unknown' OR (state = 'calling' AND lease_until <= ?))`,
      [subject, now],
    );
    return row?.count ?? 0;
  }

  private async write(tx: Tx, change: Partial<KeyRow>, where: string, values: readonly SqlInput[]): Promise<void> {
    const changed = assignments(change);
    await tx.execute(`UPDATE idempotency_keys ${changed.set} WHERE ${where}`, [...changed.values, ...values]);
  }
}
