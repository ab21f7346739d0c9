import type { QueryRunner } from 'typeorm';
import { columnTypes, type Dialect } from '../src/storage/database/dialect.js';

/** The words of CREATE TABLE that differ between the databases, for migrations. */
export interface Ddl {
  readonly int: string;
  readonly real: string;
  readonly text: string;
  readonly bytes: string;
  /** A whole-number primary key the database counts up. */
  readonly counted: string;
  /** End of a table: values must have the declared type. */
  readonly strict: string;
  /** The same for a table clustered by its primary key where that exists. */
  readonly clustered: string;
}

export function dialectOf(runner: QueryRunner): Dialect {
  return runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
}

export function ddlFor(dialect: Dialect): Ddl {
  const types = columnTypes[dialect];
  if (dialect === 'postgres') {
    // Indexes in the order of bytes stay right if the operating system of the server sorts otherwise after an update.
    return { ...types, text: 'text COLLATE "C"', counted: 'BIGSERIAL PRIMARY KEY', strict: '', clustered: '' };
  }
  return {
    ...types,
    counted: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL',
    strict: 'STRICT',
    clustered: 'WITHOUT ROWID, STRICT',
  };
}
