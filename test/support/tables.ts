import { getMetadataArgsStorage, type ObjectLiteral, type ObjectType } from 'typeorm';
import { placeholders, type SqlInput } from '../../src/storage/database/dialect.js';
import type { Reader } from '../../src/storage/database/reader.js';
import type { Store } from '../../src/storage/database/store.js';

/** Inserts a row unchanged, for data that only another version, process or time leaves behind. */
export function writeRow(store: Store, table: string, row: Readonly<Record<string, SqlInput>>): Promise<number> {
  const names = Object.keys(row);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders(names.length)})`;
  return store.lane.run((tx) => tx.execute(sql, Object.values(row)));
}

/** Column values to match. */
type Where<T> = { readonly [K in keyof T]?: T[K] };

/** The rows of one table, in the order of its key. */
export class Table<T extends ObjectLiteral> {
  private readonly table: string;
  private readonly key: readonly string[];
  private readonly name: string;

  /** `byId` compares the column `name`; default: the first column of the key. */
  constructor(
    private readonly reader: Reader,
    entity: ObjectType<T>,
    name?: keyof T & string,
  ) {
    const { tables, columns } = getMetadataArgsStorage();
    this.table = String(tables.find(({ target }) => target === entity)?.name);
    this.key = columns
      .filter(({ target, options }) => target === entity && options.primary)
      .map(({ propertyName }) => propertyName);
    this.name = name ?? this.key[0] ?? 'id';
  }

  all(where: Where<T> = {}): Promise<T[]> {
    return this.ask<T>('*', where, `ORDER BY ${this.key.join(', ')}`);
  }

  async count(where: Where<T> = {}): Promise<number> {
    return (await this.ask<{ count: number }>('COUNT(*) AS count', where))[0]?.count ?? 0;
  }

  /** The only row; throws if there is none or more than one. */
  async only(where: Where<T> = {}): Promise<T> {
    const [row, ...others] = await this.all(where);
    if (!row || others.length > 0) throw new Error(`${row ? others.length + 1 : 0} rows instead of one`);
    return row;
  }

  byId(id: string | number): Promise<T> {
    return this.only({ [this.name]: id } as Where<T>);
  }

  private ask<R>(columns: string, where: Where<T>, order = ''): Promise<R[]> {
    const asked = Object.entries(where) as [string, SqlInput][];
    const conditions = asked.map(([column, value]) => (value === null ? `${column} IS NULL` : `${column} = ?`));
    const filter = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const values = asked.flatMap(([, value]) => (value === null ? [] : [value]));
    return this.reader.few<R>(`SELECT ${columns} FROM ${this.table} ${filter} ${order}`, values);
  }
}
