import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { InputPlace } from '../upstream/wire-labs.js';

/** The table availability_input. */
@Injectable()
export class AvailabilityInputRepository {
  constructor(private readonly reader: Reader) {}

  async place(): Promise<InputPlace> {
    const sql = 'SELECT query_since FROM availability_input WHERE id = 1';
    const row = await this.reader.row<{ query_since: number | null }>(sql);
    return (row?.query_since ?? null) === null ? 'body' : 'query';
  }

  /** False when it was so before. */
  async setPlace(tx: Tx, place: InputPlace, at: number): Promise<boolean> {
    const was = place === 'query' ? 'IS NULL' : 'IS NOT NULL';
    const sql = `UPDATE availability_input SET query_since = ? WHERE id = 1 AND query_since ${was}`;
    return (await tx.execute(sql, [place === 'query' ? at : null])) > 0;
  }
}
