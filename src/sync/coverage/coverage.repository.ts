import { Injectable } from '@nestjs/common';
import { Reader } from '../../database/reader.js';
import type { Tx } from '../../database/tx.js';
import type { StreamKey } from '../schedule/stream.repository.js';
import { type Covered, merge } from './coverage.js';

const stretch = 'range_start AS start, range_end AS "end", confirmed_at AS "confirmedAt"';
const ofStream = 'account_id = ? AND provider = ? AND resource = ?';

/** The coverage table: what was pulled whole, in merged stretches. */
@Injectable()
export class CoverageRepository {
  constructor(private readonly reader: Reader) {}

  /** Adds a stretch, under the lock of its account. */
  async add(tx: Tx, { account, provider, resource }: StreamKey, added: Covered): Promise<void> {
    if (added.start >= added.end) return;
    await tx.lock('account', account);
    const key = [account, provider, resource];
    const touched = `${ofStream} AND range_start <= ? AND range_end >= ?`;
    const known = await tx.rows<Covered>(`SELECT ${stretch} FROM coverage WHERE ${touched}`, [
      ...key,
      added.end,
      added.start,
    ]);
    await tx.execute(`DELETE FROM coverage WHERE ${touched}`, [...key, added.end, added.start]);
    for (const { start, end, confirmedAt } of merge([...known, added])) {
      await tx.execute(
        `INSERT INTO coverage (account_id, provider, resource, range_start, range_end, confirmed_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        [...key, start, end, confirmedAt],
      );
    }
  }

  /** The stretches of one stream by rising start. */
  list({ account, provider, resource }: StreamKey): Promise<Covered[]> {
    return this.reader.rows(`SELECT ${stretch} FROM coverage WHERE ${ofStream} ORDER BY range_start`, [
      account,
      provider,
      resource,
    ]);
  }
}
