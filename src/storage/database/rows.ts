import { type EntityShape, valuesOf } from './columns.js';
import { insertion, type SqlInput } from './dialect.js';
import type { Tx } from './tx.js';

/** The row with the key of `fresh`, locked until the transaction ends; inserts `fresh` if there is none. */
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

/** Writes rows and returns their number. They replace rows with the same key, unless the shape says otherwise. */
export function saveRows<Row>(tx: Tx, shape: EntityShape<Row>, rows: readonly Row[]): Promise<number> {
  return tx.bulk(shape, valuesOf(shape, rows));
}
