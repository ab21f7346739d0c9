import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import type { EndedRows } from '../declarations/ended-rows.js';

/** A visited row. `made_at` is in epoch milliseconds; `ended` is 1 if it may be deleted. */
export interface PassedRow {
  readonly key: number;
  readonly made_at: number;
  readonly ended: number;
}

@Injectable()
export class OldRowsRepository {
  constructor(private readonly reader: Reader) {}

  /** The next rows by key, each with whether it ended before `before`. */
  next({ table, key, madeAt, ended }: EndedRows, after: number, before: number, limit: number): Promise<PassedRow[]> {
    const { sql, values } = atInstant(ended, before);
    return this.reader.rows(
      `SELECT r.${key} AS key, r.${madeAt} AS made_at, CASE WHEN ${sql} THEN 1 ELSE 0 END AS ended
       FROM ${table} r WHERE r.${key} > ? ORDER BY r.${key} LIMIT ?`,
      [...values, after, limit],
    );
  }

  /** Deletes or empties the rows of `keys` that are still ended; returns their number. */
  delete(tx: Tx, { table, key, ended, emptied }: EndedRows, keys: readonly number[], before: number): Promise<number> {
    const { sql, values } = atInstant(ended, before);
    const end = emptied === undefined ? `DELETE FROM ${table} AS r` : `UPDATE ${table} AS r SET ${emptied} = NULL`;
    return tx.execute(`${end} WHERE r.${key} IN (${placeholders(keys.length)}) AND ${sql}`, [...keys, ...values]);
  }
}

function atInstant(ended: string, before: number): { sql: string; values: number[] } {
  const parts = ended.split(':before');
  return { sql: `(${parts.join('?')})`, values: parts.slice(1).map(() => before) };
}
