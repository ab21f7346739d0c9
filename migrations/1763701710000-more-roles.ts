import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from './ddl.js';

const before = `role IN ('viewer', 'reader', 'operator')`;
const after = `role IN ('monitor', 'viewer', 'reader', 'operator', 'backend')`;

/** Entries of the access log by the roles `monitor` and `backend`. */
export class MoreRoles1763701710000 implements MigrationInterface {
  readonly name = 'MoreRoles1763701710000';

  async up(runner: QueryRunner): Promise<void> {
    await (dialectOf(runner) === 'postgres' ? inPostgres(runner) : inSqlite(runner));
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}

async function inPostgres(runner: QueryRunner): Promise<void> {
  await runner.query(
    `ALTER TABLE access_log DROP CONSTRAINT "access_log_role", ADD CONSTRAINT "access_log_role" CHECK (${after})`,
  );
}

/** SQLite cannot change a constraint: the table is made anew with its rows, and then its indexes and guards. */
async function inSqlite(runner: QueryRunner): Promise<void> {
  const made = (await runner.query(
    `SELECT type, sql FROM sqlite_master WHERE tbl_name = 'access_log' AND sql IS NOT NULL`,
  )) as { type: string; sql: string }[];
  await runner.query('ALTER TABLE access_log RENAME TO access_log_before');
  for (const { type, sql } of made) if (type === 'table') await runner.query(sql.replace(before, after));
  await runner.query('INSERT INTO access_log SELECT * FROM access_log_before');
  await runner.query('DROP TABLE access_log_before');
  for (const { type, sql } of made) if (type !== 'table') await runner.query(sql);
}
