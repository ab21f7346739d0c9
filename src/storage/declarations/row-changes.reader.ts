import { shapeOf } from '../database/columns.js';
import { placeholders, type SqlInput } from '../database/dialect.js';
import { MAX_CHANGED_ROWS_A_READ } from '../database/tuning.js';
import type { Queryable } from '../database/tx.js';
import type { ChangedSubject, ChangeSource, CurrentState, WalkedSubject, WalkOptions } from './change-source.js';
import { type ExportedRows, type Row, readable } from './personal-data.js';

/** A kind whose subjects are rows of one table. */
export interface RowKind extends Omit<ExportedRows, 'as'> {
  readonly kind: string;
  readonly entity: new () => object;
  /**
   * Columns whose values, joined by `/`, identify the subject; `account_id` among them stands for the account of the
   * change. Default: the primary key.
   */
  readonly key?: readonly string[];
  /** Column with `accounts.id`; null if the rows belong to no account. Default: `account_id`. */
  readonly account?: string | null;
  readonly where?: string;
  /** Column that numbers the versions of a subject; the newest version is its state. */
  readonly version?: string;
}

/** Reads rows of a kind in the form of an export. */
export function rowChanges(rows: RowKind): ChangeSource {
  const { table, conflict } = shapeOf(rows.entity);
  const { kind, key = conflict, account = 'account_id', version, where = '1 = 1' } = rows;
  const one = `(${key.map((column) => `${column} = ?`).join(' AND ')})`;
  const columns = key.length === 1 ? key : key.filter((column) => column !== account);
  const ordered = [...key, ...(version === undefined ? [] : [version])].join(', ');
  const isNewest =
    version === undefined
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM ${table} later WHERE ${key.map((name) => `later.${name} = ${table}.${name}`).join(' AND ')}
          AND later.${version} > ${table}.${version})`;
  const subjectOf = (row: Row): string => columns.map((column) => String(row[column])).join('/');
  const stateOf = (row: Row): CurrentState => readable(row, { ...rows, as: kind }).data;
  const ownerOf = (row: Row): number | null => (account === null ? null : (row[account] as number | null));
  const nameOf = (of: number | null, subject: string): string =>
    columns.length < key.length ? `${of} ${subject}` : subject;

  async function current(queryable: Queryable, changed: readonly ChangedSubject[]): Promise<(CurrentState | null)[]> {
    const found = new Map<string, CurrentState>();
    for (let from = 0; from < changed.length; from += MAX_CHANGED_ROWS_A_READ) {
      const some = changed.slice(from, from + MAX_CHANGED_ROWS_A_READ);
      const sql = `SELECT * FROM ${table} WHERE (${some.map(() => one).join(' OR ')}) AND ${where} ORDER BY ${ordered}`;
      const values = some.flatMap(({ account: of, subject }): SqlInput[] => {
        const parts = subject.split('/');
        return key.map((column) => (columns.includes(column) ? parts[columns.indexOf(column)] : of));
      });
      for (const row of await queryable.rows<Row>(sql, values)) {
        found.set(nameOf(ownerOf(row), subjectOf(row)), stateOf(row));
      }
    }
    return changed.map(({ account: of, subject }) => found.get(nameOf(of, subject)) ?? null);
  }

  async function walk(queryable: Queryable, { after, limit, account: of }: WalkOptions): Promise<WalkedSubject[]> {
    if (account === null && of !== undefined) return [];
    const beyond = after === null ? '' : `AND (${key.join(', ')}) > (${placeholders(key.length)})`;
    const own = of === undefined ? '' : `AND ${account} = ?`;
    const owned = account === null ? '' : `AND ${account} IS NOT NULL`;
    const sql = `SELECT * FROM ${table} WHERE ${where} ${owned} ${beyond} ${own} ${isNewest}
      ORDER BY ${key.join(', ')} LIMIT ?`;
    const found = await queryable.rows<Row>(sql, [...(after ?? []), ...(of === undefined ? [] : [of]), limit]);
    return found.map((row) => ({
      key: key.map((column) => row[column] as string | number),
      account: ownerOf(row),
      subject: subjectOf(row),
      resource: null,
      provider: (row['provider'] as string | undefined) ?? null,
      data: stateOf(row),
    }));
  }

  return { kind, current, walk };
}
