import { Injectable } from '@nestjs/common';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { ErasureFenceEntity } from './erasure-fence.entity.js';

/** The tables erasure_fences and erasure_fence_keys. */
@Injectable()
export class ErasureFencesRepository {
  constructor(private readonly reader: Reader) {}

  /** The service's own key, in hex; null until one was needed. */
  async ownKey(queryable: Queryable = this.reader): Promise<string | null> {
    const [row] = await queryable.few<{ secret: string }>('SELECT secret FROM erasure_fence_keys WHERE id = 1');
    return row?.secret ?? null;
  }

  /** Stores the key unless there is one already, because another process may have created it. */
  async keepOwnKey(tx: Tx, secret: string): Promise<void> {
    await tx.execute('INSERT INTO erasure_fence_keys (id, secret) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', [secret]);
  }

  async insert(tx: Tx, fence: Omit<ErasureFenceEntity, 'turned_away'>): Promise<void> {
    await tx.execute(
      `INSERT INTO erasure_fences (digest, key_id, erasure_id, fenced_at, turned_away) VALUES (?, ?, ?, ?, 0)
       ON CONFLICT (digest) DO UPDATE SET erasure_id = excluded.erasure_id, fenced_at = excluded.fenced_at`,
      [fence.digest, fence.key_id, fence.erasure_id, fence.fenced_at],
    );
  }

  /** The digests among these that are fenced. */
  async among(digests: readonly string[], queryable: Queryable = this.reader): Promise<Set<string>> {
    if (digests.length === 0) return new Set();
    const rows = await queryable.few<{ digest: string }>(
      `SELECT digest FROM erasure_fences WHERE digest IN (${placeholders(digests.length)})`,
      digests,
    );
    return new Set(rows.map(({ digest }) => digest));
  }

  async find(digests: readonly string[]): Promise<ErasureFenceEntity | null> {
    if (digests.length === 0) return null;
    return this.reader.row(
      `SELECT * FROM erasure_fences WHERE digest IN (${placeholders(digests.length)})
       ORDER BY fenced_at DESC LIMIT 1`,
      digests,
    );
  }

  async count(tx: Tx, digests: readonly string[]): Promise<void> {
    if (digests.length === 0) return;
    await tx.execute(
      `UPDATE erasure_fences SET turned_away = turned_away + 1 WHERE digest IN (${placeholders(digests.length)})`,
      digests,
    );
  }

  /** Deletes all fences of an erasure; returns their number. */
  open(tx: Tx, erasureId: string): Promise<number> {
    return tx.execute('DELETE FROM erasure_fences WHERE erasure_id = ?', [erasureId]);
  }

  ofErasure(erasureId: string): Promise<Pick<ErasureFenceEntity, 'digest' | 'key_id'>[]> {
    const sql = 'SELECT digest, key_id FROM erasure_fences WHERE erasure_id = ? ORDER BY digest';
    return this.reader.rows(sql, [erasureId]);
  }

  async keyIds(): Promise<string[]> {
    const rows = await this.reader.rows<{ key_id: string }>('SELECT DISTINCT key_id FROM erasure_fences', []);
    return rows.map(({ key_id }) => key_id);
  }

  /** Number of refusals per fence, with its erasure. */
  turnedAway(erasureIds: readonly string[]): Promise<{ erasure_id: string; turned_away: number }[]> {
    return this.reader.rows(
      `SELECT erasure_id, turned_away FROM erasure_fences WHERE erasure_id IN (${placeholders(erasureIds.length)})`,
      erasureIds,
    );
  }
}
