import { toIso } from '../../platform/platform/time.js';
import { shapeOf } from '../database/columns.js';
import type { Reader } from '../database/reader.js';
import { MAX_PERSONAL_ROWS_A_READ } from '../database/tuning.js';

/**
 * Finds the rows of an account: by a column with `accounts.id`, or by a column with the `key` of rows in another table
 * that are found in the same way. `where` restricts them.
 */
export interface LookupPath {
  readonly column: string;
  readonly through?: { readonly table: string; readonly key: string };
  readonly where?: string;
}

/** Form of the rows of a table in an export; `readable` converts every column. */
export interface ExportedRows {
  /** Type of their lines. */
  readonly as: string;
  readonly json?: readonly string[];
  /** Columns that reveal nothing about the person: internal numbers and the notes of workers. */
  readonly without?: readonly string[];
}

/** A table with rows that belong to a person; an erasure deletes them. */
export interface PersonalTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly paths: readonly LookupPath[];
  /** Or what shows the rows in an export instead; see {@link ExportSection}. */
  readonly exported: ExportedRows | string;
}

export function personalRows(
  entity: new () => object,
  paths: PersonalTable['paths'],
  exported: PersonalTable['exported'],
): PersonalTable {
  const { table, conflict: key } = shapeOf(entity);
  return { table, key, paths, exported };
}

/** Path of most tables. */
export const byAccount: readonly LookupPath[] = [{ column: 'account_id' }];

/** For rows that name an upstream user, maybe stored before the owner was known: current and former upstream users. */
export const byUser: readonly LookupPath[] = [
  { column: 'user_id', through: { table: 'accounts', key: 'upstream_user_id' } },
  { column: 'user_id', through: { table: 'former_upstream_users', key: 'user_id' } },
];

/** Columns by which workers lease a row. */
export const leaseColumns = ['due_at', 'lease_owner', 'lease_until', 'attempts', 'waits'] as const;

export type Row = Readonly<Record<string, unknown>>;

export interface ExportLine {
  readonly type: string;
  readonly data: Row;
}

export interface ExportSource {
  readonly reader: Reader;
}

/** Pages of export lines that are not simply the rows of one table; takes `accounts.id`. */
export type ExportSection = (source: ExportSource, accountId: number) => AsyncIterable<readonly ExportLine[]>;

/** Reads pages until one is not full. `read` returns the rows after a place, `placeOf` the place of a row. */
export async function* pagesOf<T, Place>(
  start: Place,
  read: (after: Place, limit: number) => Promise<readonly T[]>,
  placeOf: (row: T) => Place,
): AsyncGenerator<readonly T[]> {
  for (let after = start; ; ) {
    const page = await read(after, MAX_PERSONAL_ROWS_A_READ);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < MAX_PERSONAL_ROWS_A_READ) return;
    after = placeOf(last);
  }
}

/** Names of columns with epoch milliseconds. */
const timeNames = /(^|_)(at|until|since|start|end|time|reached)$/;
/** Columns omitted from exports: every line concerns one account anyway, and lease columns are not personal data. */
const internal: ReadonlySet<string> = new Set(['account_id', 'lease_owner', 'lease_until']);

/** A row for external readers: times in RFC 3339, JSON parsed, without columns that only workers need. */
export function readable(row: Row, { as, json = [], without = [] }: ExportedRows): ExportLine {
  const kept = Object.entries(row).filter(([name]) => !internal.has(name) && !without.includes(name));
  return { type: as, data: Object.fromEntries(kept.map(([name, value]) => [name, readableValue(name, value, json)])) };
}

function readableValue(name: string, value: unknown, json: readonly string[]): unknown {
  if (typeof value === 'number' && name === 'floating_time') return value === 1;
  if (typeof value === 'number' && timeNames.test(name)) return toIso(value);
  return json.includes(name) && typeof value === 'string' ? parsed(value) : value;
}

/** Returns the text unchanged if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as text if they are UTF-8, else as base64. */
export function readableBytes(bytes: Buffer | null): { body: string | null; body_base64?: string } {
  if (bytes === null) return { body: null };
  try {
    return { body: utf8.decode(bytes) };
  } catch {
    return { body: null, body_base64: bytes.toString('base64') };
  }
}
