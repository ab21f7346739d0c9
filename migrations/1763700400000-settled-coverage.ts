import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** The default of SYNC_LOOKBACK_HOURS, by which stretches stored before are split. */
const lateness = 48 * 3_600_000;
const border = `CASE WHEN confirmed_at - ${lateness} < range_end THEN confirmed_at - ${lateness} ELSE range_end END`;

/**
 * Coverage says what is settled, pulled again long after, and what is fresh; unfinished and failed tasks are found by
 * account.
 */
export class SettledCoverage1763700400000 implements MigrationInterface {
  readonly name = 'SettledCoverage1763700400000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, clustered } = ddlFor(dialectOf(runner));
    const statements = [
      'CREATE TABLE coverage_before AS SELECT * FROM coverage',
      'DROP TABLE coverage',
      `CREATE TABLE coverage (
        account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL, range_start ${int} NOT NULL,
        range_end ${int} NOT NULL, confirmed_at ${int} NOT NULL, state ${text} NOT NULL
          CONSTRAINT "coverage_state" CHECK (state IN ('fresh', 'settled')),
        PRIMARY KEY (account_id, provider, resource, range_start),
        CONSTRAINT "coverage_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      `INSERT INTO coverage SELECT account_id, provider, resource, range_start, ${border}, confirmed_at, 'settled'
        FROM coverage_before WHERE range_start < ${border}`,
      `INSERT INTO coverage SELECT account_id, provider, resource,
          CASE WHEN range_start < ${border} THEN ${border} ELSE range_start END, range_end, confirmed_at, 'fresh'
        FROM coverage_before WHERE ${border} < range_end`,
      'DROP TABLE coverage_before',
      `CREATE INDEX sync_tasks_not_done ON sync_tasks (account_id, resource, id) WHERE status <> 'done'`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
