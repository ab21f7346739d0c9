import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { configOf, migrated } from './seed.js';

/** A new database on the server of TEST_DATABASE_URL; `make` creates the schema and some accounts. */
export class PostgresDatabase {
  private constructor(
    private readonly admin: pg.Client,
    private readonly name: string,
    readonly url: string,
  ) {}

  /** Without tables. */
  static async empty(): Promise<PostgresDatabase> {
    const server = process.env['TEST_DATABASE_URL'];
    if (server === undefined) throw new Error('TEST_DATABASE_URL names no PostgreSQL.');
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    const name = `pulsekeep_bench_${randomBytes(6).toString('hex')}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return new PostgresDatabase(admin, name, url.toString());
  }

  static async make(accounts: number): Promise<PostgresDatabase> {
    const made = await PostgresDatabase.empty();
    await migrated(configOf(made.url), accounts);
    return made;
  }

  /** The one `value` of a statement. */
  async value(sql: string): Promise<number> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const { rows } = await client.query<{ value: number }>(sql);
    await client.end();
    return rows[0]?.value ?? Number.NaN;
  }

  async end(): Promise<void> {
    await this.admin.query(`DROP DATABASE ${this.name} WITH (FORCE)`);
    await this.admin.end();
  }
}
