import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Who says how a linking attempt ended, what became of connections when, and indexes to tell an account's story by. */
export class Inspection1763700500000 implements MigrationInterface {
  readonly name = 'Inspection1763700500000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, counted, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `ALTER TABLE link_attempts ADD COLUMN outcome_source ${text}
        CONSTRAINT "link_attempts_outcome_source" CHECK (outcome_source IN ('report', 'redirect', 'connection'))`,
      `ALTER TABLE link_attempts ADD COLUMN connected_provider ${text}`,
      `UPDATE link_attempts SET outcome_source = 'report' WHERE outcome IS NOT NULL`,
      `CREATE INDEX link_attempts_created_at ON link_attempts (created_at, link_attempt_id, expires_at, outcome,
        outcome_source, error_type, provider, connected_provider)`,
      `CREATE INDEX link_attempts_outcome_at ON link_attempts (account_id, outcome_at, link_attempt_id)
        WHERE outcome_at IS NOT NULL`,

      `ALTER TABLE token_issues ADD COLUMN frequency ${int}`,
      `CREATE INDEX token_issues_frequent ON token_issues (issued_at, account_id, installation_id, frequency)
        WHERE frequency IS NOT NULL`,

      `CREATE TABLE connection_changes (
        "id" ${counted}, account_id ${int} NOT NULL, provider ${text} NOT NULL, status ${text} NOT NULL,
        error_type ${text}, at ${int} NOT NULL,
        CONSTRAINT "connection_changes_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX connection_changes_account_at ON connection_changes (account_id, at, id)`,

      `CREATE INDEX access_log_acts ON access_log (account_ref, at, seq) WHERE role IS NOT NULL`,
      `CREATE INDEX messages_account_received_at ON messages (account_id, received_at, seq) WHERE account_id IS NOT NULL`,
      `CREATE INDEX messages_dead ON messages (account_id, finished_at, seq) WHERE status = 'dead'`,
      `CREATE INDEX sync_tasks_account_created_at ON sync_tasks (account_id, created_at, id)`,
      `CREATE INDEX sync_tasks_account_ended ON sync_tasks (account_id, status, finished_at, id)
        WHERE finished_at IS NOT NULL`,
      `CREATE INDEX sync_tasks_failed ON sync_tasks (status, finished_at) WHERE status = 'failed'`,
      `CREATE INDEX historical_pulls_status_at ON historical_pulls (status, observed_at, scheduled_at)`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
