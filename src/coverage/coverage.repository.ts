import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../config/config.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import { HOUR_MS, type TimeRange } from '../platform/time.js';
import type { CoverageEntity } from './coverage.entity.js';
import { type Covered, merge, split } from './coverage.js';
import type { StreamKey } from './pull-streams.repository.js';

type Stretch = Pick<CoverageEntity, 'range_start' | 'range_end' | 'confirmed_at' | 'state'>;

/** A stretch of coverage with the stream it belongs to; an empty provider is every source. */
export type StreamCovered = Covered & { readonly provider: string; readonly resource: string };

const columns = 'range_start, range_end, confirmed_at, state';
const ofStream = 'account_id = ? AND provider = ? AND resource = ?';

/** The coverage table: what was pulled whole, in merged stretches. */
@Injectable()
export class CoverageRepository {
  constructor(
    private readonly reader: Reader,
    private readonly config: SyncConfig,
  ) {}

  /** Adds what a pull confirmed, under the lock of its account; settled as far as the look-back reaches behind it. */
  async add(
    tx: Tx,
    { account, provider, resource }: StreamKey,
    pulled: TimeRange & { readonly confirmedAt: number },
  ): Promise<void> {
    if (pulled.start >= pulled.end) return;
    await tx.lock('account', account);
    const key = [account, provider, resource];
    const touched = `${ofStream} AND range_start <= ? AND range_end >= ?`;
    const reach = [pulled.end, pulled.start];
    const known = await tx.rows<Stretch>(`SELECT ${columns} FROM coverage WHERE ${touched}`, [...key, ...reach]);
    await tx.execute(`DELETE FROM coverage WHERE ${touched}`, [...key, ...reach]);
    const added = split(pulled, pulled.confirmedAt, this.config.lookbackHours * HOUR_MS);
    for (const { start, end, confirmedAt, settled } of merge([...known.map(toCovered), ...added])) {
      await tx.execute(
        `INSERT INTO coverage (account_id, provider, resource, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [...key, start, end, confirmedAt, settled ? 'settled' : 'fresh'],
      );
    }
  }

  /** Every stretch of an account by stream and rising start. */
  async list(account: number): Promise<StreamCovered[]> {
    const rows = await this.reader.rows<Stretch & { provider: string; resource: string }>(
      `SELECT provider, resource, ${columns} FROM coverage WHERE account_id = ?
       ORDER BY provider, resource, range_start`,
      [account],
    );
    return rows.map((row) => ({ provider: row.provider, resource: row.resource, ...toCovered(row) }));
  }
}

function toCovered({ range_start: start, range_end: end, confirmed_at: confirmedAt, state }: Stretch): Covered {
  return { start, end, confirmedAt, settled: state === 'settled' };
}
