import {
  type FindOptionsOrder,
  type FindOptionsWhere,
  getMetadataArgsStorage,
  type ObjectLiteral,
  type ObjectType,
} from 'typeorm';
import { placeholders, type SqlInput } from '../../src/storage/database/dialect.js';
import type { Reader } from '../../src/storage/database/reader.js';
import type { Store } from '../../src/storage/database/store.js';

/** Writes a row as it is, for what only another version, process or time leaves behind. */
export function writeRow(store: Store, table: string, row: Readonly<Record<string, SqlInput>>): Promise<number> {
  const names = Object.keys(row);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders(names.length)})`;
  return store.lane.run((tx) => tx.execute(sql, Object.values(row)));
}

/** The rows of one table, in the order of its key. */
export class Table<T extends ObjectLiteral> {
  private readonly key: readonly string[];
  private readonly name: string;

  /** Rows go by the column `name`, where that is not the first of the key. */
  constructor(
    private readonly reader: Reader,
    private readonly entity: ObjectType<T>,
    name?: keyof T & string,
  ) {
    this.key = getMetadataArgsStorage()
      .columns.filter(({ target, options }) => target === entity && options.primary)
      .map(({ propertyName }) => propertyName);
    this.name = name ?? this.key[0] ?? 'id';
  }

  all(where: FindOptionsWhere<T> = {}): Promise<T[]> {
    const order = Object.fromEntries(this.key.map((column) => [column, 'ASC']));
    return this.reader.orm.find(this.entity, { where, order: order as FindOptionsOrder<T> });
  }

  count(where: FindOptionsWhere<T> = {}): Promise<number> {
    return this.reader.orm.countBy(this.entity, where);
  }

  /** The one row there is; throws where there is none or more than one. */
  async only(where: FindOptionsWhere<T> = {}): Promise<T> {
    const [row, ...others] = await this.all(where);
    if (!row || others.length > 0) throw new Error(`${row ? others.length + 1 : 0} rows instead of one`);
    return row;
  }

  byId(id: string | number): Promise<T> {
    return this.only({ [this.name]: id } as FindOptionsWhere<T>);
  }
}
