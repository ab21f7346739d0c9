import { toIso } from '../../platform/platform/time.js';
import { shapeOf } from '../database/columns.js';
import type { Reader } from '../database/reader.js';

/**
 * Finds the rows of an account: by a column with `accounts.id`, or by one with the `key` of rows in another table
 * that are found this way. `where` narrows it.
 */
export interface LookupPath {
  readonly column: string;
  readonly through?: { readonly table: string; readonly key: string };
  readonly where?: string;
}

/** The form of a table's rows in an export; `readable` converts every column. */
export interface ExportedRows {
  /** The type of their lines. */
  readonly as: string;
  readonly json?: readonly string[];
  /** Columns that say nothing of the person: internal numbers and what workers note. */
  readonly without?: readonly string[];
}

/** A table with rows that belong to a person: an erasure deletes them. */
export interface PersonalTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly paths: readonly LookupPath[];
  /** Or where an export shows the rows instead; see {@link ExportSection}. */
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

/** The path of most tables. */
export const byAccount: readonly LookupPath[] = [{ column: 'account_id' }];

/** For rows that name an upstream user, perhaps from before it was known whose it is: the present and earlier users. */
export const byUser: readonly LookupPath[] = [
  { column: 'user_id', through: { table: 'accounts', key: 'upstream_user_id' } },
  { column: 'user_id', through: { table: 'former_upstream_users', key: 'user_id' } },
];

/** Columns with which workers lease a row. */
export const leaseColumns = ['due_at', 'lease_owner', 'lease_until', 'attempts', 'waits'] as const;

export type Row = Readonly<Record<string, unknown>>;

export interface ExportLine {
  readonly type: string;
  readonly data: Row;
}

export interface ExportSource {
  readonly reader: Reader;
}

/** Lines of an export that are more than the rows of one table, in pages; takes `accounts.id`. */
export type ExportSection = (source: ExportSource, accountId: number) => AsyncIterable<readonly ExportLine[]>;

const PAGE = 200;

/** Reads page after page until one is not full. `read` returns the rows after a place, `placeOf` the place of a row. */
export async function* pagesOf<T, Place>(
  start: Place,
  read: (after: Place, limit: number) => Promise<readonly T[]>,
  placeOf: (row: T) => Place,
): AsyncGenerator<readonly T[]> {
  for (let after = start; ; ) {
    const page = await read(after, PAGE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = placeOf(last);
  }
}

/** Names of the columns that hold epoch milliseconds. */
const timeNames = /(^|_)(at|until|since|start|end|time|reached)$/;
/** Internal columns: every line concerns one account anyway, and lease columns are not personal data. */
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

/** The text itself where it is no JSON after all. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as text where they are UTF-8, else as base64. */
export function readableBytes(bytes: Buffer | null): { body: string | null; body_base64?: string } {
  if (bytes === null) return { body: null };
  try {
    return { body: utf8.decode(bytes) };
  } catch {
    return { body: null, body_base64: bytes.toString('base64') };
  }
}
