import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Receipts of erasures, the fence of erased users, and what it takes to find all that is a person's. */
export class Erasure1763700800000 implements MigrationInterface {
  readonly name = 'Erasure1763700800000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE erasures (
        id ${text} PRIMARY KEY NOT NULL, account_ref ${int} NOT NULL, state ${text} NOT NULL
          CONSTRAINT "erasures_state" CHECK (state IN ('requested', 'deleting', 'upstream', 'waiting', 'done')),
        requested_at ${int} NOT NULL, requested_by ${text} NOT NULL, deleted_at ${int}, upstream_at ${int},
        scrubbed_at ${int}, scrub ${text}
          CONSTRAINT "erasures_scrub" CHECK (scrub IN ('rewritten', 'overwritten', 'vacuumed')),
        verified_at ${int}, counts ${text} NOT NULL, attempts ${int} NOT NULL, due_at ${int},
        lease_owner ${text}, lease_until ${int}, error_code ${text}
      ) ${strict}`,
      `CREATE UNIQUE INDEX erasures_account_ref ON erasures (account_ref)`,
      `CREATE INDEX erasures_requested_at ON erasures (requested_at, id)`,
      `CREATE INDEX erasures_due ON erasures (due_at) WHERE due_at IS NOT NULL`,

      `CREATE TABLE erased_users (
        digest ${text} PRIMARY KEY NOT NULL, erasure_id ${text} NOT NULL, account_ref ${int} NOT NULL,
        erased_at ${int} NOT NULL, turned_away ${int} NOT NULL
      ) ${strict}`,
      `CREATE INDEX erased_users_account_ref ON erased_users (account_ref)`,
      `CREATE INDEX erased_users_erasure_id ON erased_users (erasure_id)`,

      `CREATE INDEX messages_ownerless ON messages (seq) WHERE account_id IS NULL AND next_attempt_at IS NULL`,

      `ALTER TABLE sample_attributes ADD COLUMN account_id ${int} NOT NULL DEFAULT 0`,
      `DROP INDEX sample_attributes_content`,
      `CREATE UNIQUE INDEX sample_attributes_content ON sample_attributes (content, account_id)`,
      `CREATE INDEX sample_attributes_account_id ON sample_attributes (account_id) WHERE account_id <> 0`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
