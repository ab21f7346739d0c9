import { type LookupPath, personalTables } from './personal-data-map.js';

/** The SQL condition for the rows of an account that a way finds; takes `accounts.id` as its one parameter. */
export function conditionOf({ column, through, where }: LookupPath): string {
  const own = through === undefined ? `${column} = ?` : `${column} IN ${keysOf(through)}`;
  return where === undefined ? own : `${where} AND ${own}`;
}

function keysOf({ table, key }: NonNullable<LookupPath['through']>): string {
  const way = personalTables.find((personal) => personal.table === table)?.ways[0];
  if (!way) throw new TypeError(`the registry has no table ${table}`);
  return `(SELECT ${key} FROM ${table} WHERE ${conditionOf(way)})`;
}
