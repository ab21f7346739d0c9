import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes, type Dialect } from '../src/database/dialect.js';

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

/** A migration that makes one row of several; `merged` is how many rows went, once it ran. */
export interface MergingMigration extends MigrationInterface {
  readonly merged: number;
}

export function dialectOf(runner: QueryRunner): Dialect {
  return runner.dataSource.options.type === 'postgres' ? 'postgres' : 'sqlite';
}

export function ddlFor(dialect: Dialect): Ddl {
  const types = columnTypes[dialect];
  if (dialect === 'postgres') return { ...types, counted: 'BIGSERIAL PRIMARY KEY', strict: '', clustered: '' };
  return {
    ...types,
    counted: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL',
    strict: 'STRICT',
    clustered: 'WITHOUT ROWID, STRICT',
  };
}

/**
 * Renames a table that no other table refers to, together with its constraints, indexes and sequence, whose names begin
 * with the table's. SQLite cannot rename a constraint, so there the table is made anew and its rows are copied.
 */
export async function renameTable(runner: QueryRunner, from: string, to: string): Promise<void> {
  return dialectOf(runner) === 'postgres' ? renameInPostgres(runner, from, to) : renameInSqlite(runner, from, to);
}

async function renameInPostgres(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  const constraints = (await runner.query(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = '${to}'::regclass AND conname LIKE '${from}%'`,
  )) as { name: string }[];
  for (const { name } of constraints) {
    await runner.query(`ALTER TABLE ${to} RENAME CONSTRAINT "${name}" TO "${name.replace(from, to)}"`);
  }
  const others = (await runner.query(
    `SELECT relname AS name, relkind AS kind FROM pg_class
     WHERE relkind IN ('i', 'S') AND relname LIKE '${from}%' AND relnamespace = current_schema()::regnamespace`,
  )) as { name: string; kind: string }[];
  for (const { name, kind } of others) {
    await runner.query(`ALTER ${kind === 'S' ? 'SEQUENCE' : 'INDEX'} "${name}" RENAME TO "${name.replace(from, to)}"`);
  }
}

async function renameInSqlite(runner: QueryRunner, from: string, to: string): Promise<void> {
  const made = (await runner.query(
    `SELECT type, sql FROM sqlite_master WHERE tbl_name = '${from}' AND sql IS NOT NULL`,
  )) as { type: string; sql: string }[];
  const [tables, indexes] = ['table', 'index'].map((type) => made.filter((row) => row.type === type));
  for (const { sql } of tables ?? []) await runner.query(sql.replaceAll(from, to));
  await runner.query(`INSERT INTO ${to} SELECT * FROM ${from}`);
  // Ids are never given out twice, not even those of rows that are gone.
  await runner.query(
    `UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = '${from}') WHERE name = '${to}'`,
  );
  await runner.query(`INSERT INTO sqlite_sequence (name, seq) SELECT '${to}', seq FROM sqlite_sequence
    WHERE name = '${from}' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${to}')`);
  await runner.query(`DROP TABLE ${from}`);
  for (const { sql } of indexes ?? []) await runner.query(sql.replaceAll(from, to));
}
