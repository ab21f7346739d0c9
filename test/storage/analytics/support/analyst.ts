import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresViews } from '../../../../src/app/rooms.js';
import { SqliteDatabase } from '../../../../src/storage/database/sqlite-driver.js';
import {
  identitySchema,
  type View,
  type ViewColumnType,
  viewSchema,
} from '../../../../src/storage/declarations/views.js';
import { type Ended, runCli } from '../../../operations/cli/support/run-cli.js';
import { environmentOn, nowhere } from '../../../support/environment.js';
import { fastFolder, type TestDatabase } from '../../../support/test-store.js';

type Cell = string | number | boolean | null | object;
export type ViewRow = Record<string, Cell>;

/** Who reads with SQL what a service stored: a role on PostgreSQL, or a copy of the SQLite file. */
export class Analyst {
  readonly role = `analyst_${randomBytes(6).toString('hex')}`;
  readonly folder = fastFolder('pulsekeep-analyst-');
  readonly file = join(this.folder, 'copy.sqlite');
  private session: pg.Client | null = null;
  private hasRole = false;

  constructor(private readonly database: TestDatabase) {}

  /** Runs a command on the database. */
  cli(...args: string[]): Promise<Ended> {
    return runCli(['analytics', ...args, '--json'], this.environment());
  }

  environment(): Record<string, string> {
    return environmentOn(this.database, nowhere, {});
  }

  /** All rows of a view, in the order of its columns; with the rights that the command gives. */
  async rows(name: string): Promise<ViewRow[]> {
    const view = postgresViews.find((each) => each.name === name) as View;
    const rows = this.database.config.kind === 'sqlite' ? await this.copied(view) : await this.granted(view);
    return rows.map((row) => readable(view, row));
  }

  /** Runs SQL as the role. PostgreSQL only. */
  async query<T extends object>(sql: string): Promise<T[]> {
    return (await (await this.connected()).query<T>(sql)).rows;
  }

  /** Runs SQL as the owner of the tables. PostgreSQL only. */
  async asOwner<T extends object>(sql: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.url() });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async createRole(): Promise<void> {
    if (this.hasRole) return;
    await this.asOwner(`CREATE ROLE ${this.role} LOGIN PASSWORD 'analyst'`);
    this.hasRole = true;
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await this.session?.end();
    if (this.database.config.kind !== 'postgres') return;
    await this.asOwner(`DROP SCHEMA IF EXISTS ${viewSchema}, ${identitySchema} CASCADE`);
    if (this.hasRole) await this.asOwner(`DROP OWNED BY ${this.role}; DROP ROLE ${this.role}`);
  }

  /** Names of the columns of a view, in order. */
  async columns(name: string): Promise<string[]> {
    await this.rows(name);
    if (this.database.config.kind === 'postgres') {
      const sql = `SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema IN ('${viewSchema}', '${identitySchema}') AND table_name = '${name}' ORDER BY ordinal_position`;
      return (await this.query<{ name: string }>(sql)).map((column) => column.name);
    }
    const file = new SqliteDatabase(this.file, { readonly: true });
    const columns = file.pragma(`table_info(${name})`) as { name: string }[];
    file.close();
    return columns.map((column) => column.name);
  }

  private async copied({ name }: View): Promise<ViewRow[]> {
    const { code, err } = await this.cli('copy', '--out', this.file, '--account-ids');
    if (code !== 0) throw new Error(err);
    return this.tableOf(name);
  }

  /** All rows of a table of the copy that was made. */
  tableOf(name: string): ViewRow[] {
    const file = new SqliteDatabase(this.file, { readonly: true });
    try {
      return file.prepare(`SELECT * FROM ${name}`).all() as ViewRow[];
    } finally {
      file.close();
    }
  }

  private async granted({ name, namesPeople }: View): Promise<ViewRow[]> {
    await this.createRole();
    const { code, err } = await this.cli('grant', this.role, '--account-ids');
    if (code !== 0) throw new Error(err);
    return this.query<ViewRow>(`SELECT * FROM ${namesPeople ? identitySchema : viewSchema}.${name}`);
  }

  private async connected(): Promise<pg.Client> {
    if (this.session) return this.session;
    const url = new URL(this.url());
    Object.assign(url, { username: this.role, password: 'analyst' });
    this.session = new pg.Client({ connectionString: url.toString() });
    // The server ends it when the database is dropped.
    this.session.on('error', () => undefined);
    await this.session.connect();
    return this.session;
  }

  private url(): string {
    const { config } = this.database;
    if (config.kind !== 'postgres') throw new Error('The database is a SQLite file.');
    return config.url.reveal();
  }
}

/** The same values from both databases. */
function readable({ columns }: View, row: ViewRow): ViewRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => {
      const type = columns.find((column) => column.name === name)?.type;
      return [name, cell === null || type === undefined ? cell : cellOf(type, cell)];
    }),
  );
}

function cellOf(type: ViewColumnType, cell: Exclude<Cell, null>): Cell {
  if (type === 'integer' || type === 'number') return Number(cell);
  if (type === 'boolean') return cell === true || cell === 1;
  if (type === 'json') return typeof cell === 'string' ? (JSON.parse(cell) as object) : cell;
  return cell instanceof Date ? cell.toISOString() : cell;
}
