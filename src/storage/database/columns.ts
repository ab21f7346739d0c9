import { Column, type ColumnOptions, getMetadataArgsStorage, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { type ColumnKind, columnTypes, type SqlValue } from './dialect.js';
import type { BulkShape } from './tx.js';

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

export const AutoIncrementKey = (): PropertyDecorator => PrimaryGeneratedColumn('increment', { type: 'bigint' });

/** Body of a CHECK that restricts a column to these states. */
export function oneOf(column: string, states: readonly string[]): string {
  return `${column} IN (${states.map((state) => `'${state}'`).join(', ')})`;
}

/** The table of an entity, for writing complete rows; a row replaces the stored one with the same primary key. */
export interface EntityShape<Row> extends BulkShape {
  /** Without columns that the database fills. */
  readonly columns: readonly { readonly name: keyof Row & string; readonly type: ColumnKind }[];
  readonly conflict: readonly (keyof Row & string)[];
  /** The columns that are not part of the primary key. */
  readonly update: readonly (keyof Row & string)[];
}

const kinds = new Map(Object.entries(types).map(([kind, type]) => [type, kind as ColumnKind]));

/** The kind of a column with this type. Throws a `TypeError` for a type that the decorators above do not set. */
export function kindOf(type: unknown, column: string): ColumnKind {
  const kind = kinds.get(String(type));
  if (kind === undefined) throw new TypeError(`the type of ${column} is not one of ours`);
  return kind;
}

/**
 * The shape with all columns, or with these in this order; the database then fills the others. Throws a `TypeError` for
 * a column with another type than those above.
 */
export function shapeOf<Row extends object>(
  entity: new () => Row,
  only?: readonly (keyof Row & string)[],
): EntityShape<Row> {
  const { tables, columns, generations } = getMetadataArgsStorage();
  const isOf = ({ target }: { readonly target: unknown }): boolean =>
    target === entity || entity.prototype instanceof (target as typeof Object);
  const generated = new Set(generations.filter(isOf).map(({ propertyName }) => propertyName));
  const declared = columns.filter(isOf).map(({ propertyName, options }) => {
    const type = kindOf(options.type, `${entity.name}.${propertyName}`);
    return { name: propertyName as keyof Row & string, type, isKey: options.primary === true };
  });
  const named = (isKey: boolean): (keyof Row & string)[] =>
    declared.filter((column) => column.isKey === isKey).map(({ name }) => name);
  return {
    table: tables.find(({ target }) => target === entity)?.name ?? '',
    columns: only
      ? only.flatMap((wanted) => declared.filter(({ name }) => name === wanted))
      : declared.filter(({ name }) => !generated.has(name)),
    conflict: named(true),
    update: named(false),
  };
}

/** The values of rows, one row after another. */
export function valuesOf<Row>({ columns }: EntityShape<Row>, rows: readonly Row[]): SqlValue[] {
  return rows.flatMap((row) => columns.map(({ name }) => row[name] as SqlValue));
}
