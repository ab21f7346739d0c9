import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Results of orders and transactions in their versions, and those still to be fetched. */
export class LabResults1763700200000 implements MigrationInterface {
  readonly name = 'LabResults1763700200000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE lab_results (
        scope ${text} NOT NULL CONSTRAINT "lab_results_scope" CHECK (scope IN ('order', 'transaction')),
        subject_id ${text} NOT NULL,
        form ${text} NOT NULL CONSTRAINT "lab_results_form" CHECK (form IN ('json', 'pdf')),
        version ${int} NOT NULL, account_id ${int} NOT NULL, checksum ${text} NOT NULL, bytes ${int} NOT NULL,
        status ${text} CONSTRAINT "lab_results_status" CHECK (status IN ('partial', 'final')),
        interpretation ${text}, content ${text},
        source ${text} NOT NULL CONSTRAINT "lab_results_source" CHECK (source IN ('read', 'fetch')),
        first_seen_at ${int} NOT NULL, last_confirmed_at ${int} NOT NULL,
        PRIMARY KEY (scope, subject_id, form, version),
        CONSTRAINT "lab_results_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX lab_results_account_id ON lab_results (account_id)`,
      `CREATE TABLE result_fetches (
        scope ${text} NOT NULL CONSTRAINT "result_fetches_scope" CHECK (scope IN ('order', 'transaction')),
        subject_id ${text} NOT NULL, account_id ${int}, requested_at ${int} NOT NULL, due_at ${int},
        attempts ${int} NOT NULL, lease_owner ${text}, lease_until ${int}, error_code ${text},
        PRIMARY KEY (scope, subject_id),
        CONSTRAINT "result_fetches_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX result_fetches_due ON result_fetches (due_at) WHERE due_at IS NOT NULL`,
      `CREATE INDEX result_fetches_account_id ON result_fetches (account_id)`,
      `CREATE INDEX critical_results_observed_at ON critical_results (observed_at)`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
