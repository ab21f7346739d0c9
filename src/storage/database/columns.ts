import { Column, type ColumnOptions, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { columnTypes } from './dialect.js';

/*
 * Entities name PostgreSQL's column types; the SQLite driver maps them to the types of STRICT tables
 * (sqlite.ts). Times are epoch milliseconds in integer columns, booleans 0 or 1.
 */

type Options = Pick<ColumnOptions, 'nullable' | 'unique' | 'default'>;

const types = columnTypes.postgres;

export const IntColumn = (options: Options = {}): PropertyDecorator =>
  Column({ type: types.int as 'bigint', ...options });
export const RealColumn = (options: Options = {}): PropertyDecorator =>
  Column({ type: types.real as 'double precision', ...options });
export const TextColumn = (options: Options = {}): PropertyDecorator =>
  Column({ type: types.text as 'text', ...options });
export const BytesColumn = (options: Options = {}): PropertyDecorator =>
  Column({ type: types.bytes as 'bytea', ...options });

export const IntKey = (): PropertyDecorator => PrimaryColumn({ type: types.int as 'bigint' });
export const TextKey = (): PropertyDecorator => PrimaryColumn({ type: types.text as 'text' });

/** A key that the database generates. */
export const AutoIncrementKey = (): PropertyDecorator => PrimaryGeneratedColumn('increment', { type: 'bigint' });

/** The body of a CHECK that holds a column to a list of states. */
export function oneOf(column: string, states: readonly string[]): string {
  return `${column} IN (${states.map((state) => `'${state}'`).join(', ')})`;
}
