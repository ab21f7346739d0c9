import { type EntityShape, valuesOf } from './columns.js';
import { insertion, type SqlInput } from './dialect.js';
import type { Tx } from './tx.js';

/** The row with the key of `fresh`, locked until the transaction ends; made of `fresh` if there is none. */
export async function lockRow<Row extends object>(
  tx: Tx,
  { table, conflict }: EntityShape<Row>,
  fresh: Partial<Row>,
): Promise<Row> {
  const { row, values } = insertion(fresh as Record<string, SqlInput>);
  const [found] = await tx.rows<Row>(
    `INSERT INTO ${table} ${row}
     ON CONFLICT (${conflict.join(', ')}) DO UPDATE SET ${conflict[0]} = excluded.${conflict[0]} RETURNING *`,
    values,
  );
  return found as Row;
}

/** Writes rows as the shape says, over those with the same key unless it says otherwise; returns the number written. */
export function saveRows<Row>(tx: Tx, shape: EntityShape<Row>, rows: readonly Row[]): Promise<number> {
  return tx.bulk(shape, valuesOf(shape, rows));
}
