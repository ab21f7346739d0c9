import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { entities, rooms } from '../../../../src/app/rooms.js';
import type { SqlValue } from '../../../../src/storage/database/dialect.js';
import type { Store } from '../../../../src/storage/database/store.js';
import { Declarations } from '../../../../src/storage/declarations/declarations.js';
import type { PersonalTable } from '../../../../src/storage/declarations/personal-data.js';
import type { TestDatabase } from '../../../support/test-store.js';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly counted: boolean;
}

type Row = Record<string, SqlValue>;

/** The declarations of every room. */
export const declarations = new Declarations(rooms);

const metadata = getMetadataArgsStorage();

export function tableNames(): string[] {
  return entities.map((entity) => tableOf(entity));
}

function tableOf(entity: unknown): string {
  return String(metadata.tables.find(({ target }) => target === entity)?.name);
}

function entityOf(table: string): unknown {
  return entities.find((entity) => tableOf(entity) === table);
}

export function columnsOf(table: string): Column[] {
  const entity = entityOf(table);
  return metadata.columns
    .filter(({ target }) => target === entity || isInherited(entity, target))
    .map(({ propertyName: name, options }) => ({
      name,
      type: String(options.type),
      counted: metadata.generations.some((made) => made.target === entity && made.propertyName === name),
    }));
}

function isInherited(entity: unknown, from: unknown): boolean {
  return typeof entity === 'function' && typeof from === 'function' && entity.prototype instanceof from;
}

/** The first state a CHECK of the table allows. */
export function stateOf(table: string, column: string): string | undefined {
  const checks = metadata.checks.filter(({ target }) => target === entityOf(table));
  const own = checks.find(({ expression }) => expression.startsWith(`${column} IN (`));
  return /'([^']+)'/.exec(own?.expression ?? '')?.[1];
}

/**
 * Fills every table of the registry with rows of one account: each text and each body contains the mark, each
 * measured number is the given one. The rows are derived from the entities, so new tables are filled as well.
 */
export class Filling {
  /** Numbers that are no times too are of this day. */
  private static serial = Date.parse('2026-11-20T11:00:00Z');
  private readonly parents = new Map<string, Row[]>();
  private imported: number | null = null;

  constructor(
    private readonly store: Store,
    private readonly account: number,
    private readonly mark: { readonly text: string; readonly number: number },
  ) {}

  /** Inserts `rows` into each table; returns the number of rows of each, including the account itself. */
  async fill(rows: number, more: Readonly<Record<string, number>> = {}): Promise<Record<string, number>> {
    const counts: Record<string, number> = { accounts: 1 };
    this.imported ??= await this.anImport();
    this.parents.set('accounts', [await this.ownAccount()]);
    for (const personal of [...declarations.personal].reverse()) {
      if (personal.table === 'accounts') continue;
      const single = (personal.key[0] === 'account_id' && personal.key.length === 1) || isByOwnIds(personal);
      const count = single ? 1 : (more[personal.table] ?? rows);
      const made = Array.from({ length: count }, (_, index) => this.row(personal, index));
      this.parents.set(personal.table, made);
      for (let from = 0; from < made.length; from += 500)
        await this.insert(personal.table, made.slice(from, from + 500));
      counts[personal.table] = made.length;
    }
    return counts;
  }

  private async ownAccount(): Promise<Row> {
    const row = await this.store.reader.row<Row>('SELECT * FROM accounts WHERE id = ?', [this.account]);
    return row as Row;
  }

  /** An import, the owner of sightings and differences; it belongs to no account. */
  private async anImport(): Promise<number> {
    const columns = columnsOf('account_imports').filter(({ counted, type }) => !counted && type === 'bigint');
    const numbers = columns.map(({ name }) => name).filter((name) => !['due_at', 'lease_until'].includes(name));
    const sql = `INSERT INTO account_imports (state, phase, ${numbers.join(', ')})
      VALUES ('done', 'walk', ${numbers.map(() => '0').join(', ')}) RETURNING id`;
    const [row] = await this.store.lane.run((tx) => tx.rows<{ id: number }>(sql));
    return Number(row?.id);
  }

  private insert(table: string, rows: readonly Row[]): Promise<void> {
    return this.store.lane.run(async (tx) => {
      for (const row of rows) {
        const names = Object.keys(row);
        const sql = `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
          VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;
        await tx.execute(sql, Object.values(row));
      }
    });
  }

  private row(personal: PersonalTable, index: number): Row {
    const columns = columnsOf(personal.table);
    const isByIds = isByOwnIds(personal);
    const through = personal.paths.find(({ through }) => through && (isByIds || !ownTables.has(through.table)));
    const others = isByIds ? personal.paths.filter((path) => path !== through).map(({ column }) => column) : [];
    const entries = columns.map(({ name, type }): [string, SqlValue] => {
      if (name === 'account_id') return [name, this.account];
      if (name === 'import_id') return [name, this.imported];
      if (through?.through && name === through.column && this.parents.has(through.through.table))
        return [name, this.parentKey(through.through, index)];
      return [name, others.includes(name) ? null : this.value(personal.table, name, type)];
    });
    if (personal.table === 'observations') entries.push(['kind', 'message']);
    return Object.fromEntries(entries);
  }

  private parentKey({ table, key }: { table: string; key: string }, index: number): SqlValue {
    const rows = this.parents.get(table) ?? [];
    return rows[index % rows.length]?.[key] ?? null;
  }

  private value(table: string, column: string, type: string): SqlValue {
    const serial = ++Filling.serial;
    const { text: mark, number } = this.mark;
    if (type === 'double precision') return number;
    if (type === 'bytea') return Buffer.from(`{"${mark}":"${'b'.repeat(serial % 9_000)}${mark}"}`);
    if (type !== 'text') return column === 'due_at' ? null : serial;
    return stateOf(table, column) ?? JSON.stringify({ [mark]: `${mark} ${column} ${serial}` });
  }
}

/** Tables with ids of the account itself. */
const ownTables: ReadonlySet<string> = new Set(['accounts', 'former_upstream_users']);

/** A row of such a table is found by one id of the account itself, and there is one for each. */
function isByOwnIds({ paths }: PersonalTable): boolean {
  return paths.every(({ through }) => through && ownTables.has(through.table));
}

/** Names of tables in which a text occurs, in whatever column. */
export async function tablesWith(store: Store, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of [...tableNames(), 'migrations']) {
    const rows = await store.reader.rows<Row>(`SELECT * FROM ${table}`);
    const values = rows.flatMap((row) => Object.values(row));
    const holds = values.some((value) => {
      if (Buffer.isBuffer(value)) return value.includes(text);
      return typeof value === 'string' ? value.includes(text) : String(value) === text;
    });
    if (holds) found.push(table);
  }
  return found;
}

/** Names of the database's own files that hold any of these bytes; none where the database is no file. */
export function filesWith(database: TestDatabase, needles: readonly (string | Buffer)[]): string[] {
  if (database.config.kind !== 'sqlite') return [];
  const { path } = database.config;
  const folder = dirname(path);
  return readdirSync(folder).filter((name) => {
    if (!name.startsWith(basename(path)) || !existsSync(join(folder, name))) return false;
    const bytes = readFileSync(join(folder, name));
    return needles.some((needle) => bytes.includes(needle));
  });
}

/** A number as SQLite stores it. */
export function bytesOf(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes;
}

export async function countsOf(store: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tableNames()) {
    const row = await store.reader.row<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`);
    counts[table] = Number(row?.count);
  }
  return counts;
}
