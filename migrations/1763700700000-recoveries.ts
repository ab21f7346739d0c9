import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Outages that are being made up for, and the pulls of each. */
export class Recoveries1763700700000 implements MigrationInterface {
  readonly name = 'Recoveries1763700700000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, counted, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE recoveries (
        "id" ${counted}, state ${text} NOT NULL
          CONSTRAINT "recoveries_state" CHECK (state IN ('planning', 'pulling', 'done')),
        window_start ${int} NOT NULL, window_end ${int} NOT NULL, asked_end ${int} NOT NULL, resources ${text} NOT NULL,
        accounts_total ${int} NOT NULL, accounts_planned ${int} NOT NULL, planned_until ${int} NOT NULL,
        last_account ${int} NOT NULL, pulls_expected ${int} NOT NULL, pulls_planned ${int} NOT NULL,
        pulls_joined ${int} NOT NULL, pulls_shared ${int} NOT NULL, pulls_done ${int} NOT NULL,
        pulls_failed ${int} NOT NULL, pages ${int} NOT NULL, created_at ${int} NOT NULL, planned_at ${int},
        finished_at ${int}
      ) ${strict}`,
      `CREATE UNIQUE INDEX recoveries_open ON recoveries (window_start, asked_end, resources)
        WHERE finished_at IS NULL`,
      `ALTER TABLE sync_tasks ADD COLUMN recovery_id ${int}`,
      `CREATE INDEX sync_tasks_recovery ON sync_tasks (recovery_id, status, pages) WHERE recovery_id IS NOT NULL`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
