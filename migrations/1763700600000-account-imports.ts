import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Walks over upstream's list of users, whom each has seen, and what they found out. */
export class AccountImports1763700600000 implements MigrationInterface {
  readonly name = 'AccountImports1763700600000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, counted, strict, clustered } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE account_imports (
        "id" ${counted}, state ${text} NOT NULL
          CONSTRAINT "account_imports_state" CHECK (state IN ('running', 'done', 'failed')), phase ${text} NOT NULL
          CONSTRAINT "account_imports_phase" CHECK (phase IN ('walk', 'verify')),
        pass ${int} NOT NULL, next_offset ${int} NOT NULL, total ${int}, pass_total ${int}, pass_seen ${int} NOT NULL,
        stable ${int}, verified_until ${int} NOT NULL, pages ${int} NOT NULL, known ${int} NOT NULL,
        adopted ${int} NOT NULL, refused ${int} NOT NULL, missing ${int} NOT NULL, verified ${int} NOT NULL,
        due_at ${int}, failures ${int} NOT NULL, lease_owner ${text}, lease_until ${int}, error_code ${text},
        started_at ${int} NOT NULL, finished_at ${int}
      ) ${strict}`,
      `CREATE UNIQUE INDEX account_imports_running ON account_imports (state) WHERE state = 'running'`,
      `CREATE INDEX account_imports_due ON account_imports (due_at) WHERE due_at IS NOT NULL`,

      `CREATE TABLE account_import_sightings (
        import_id ${int} NOT NULL, user_id ${text} NOT NULL, account_id ${int}, pass ${int} NOT NULL,
        PRIMARY KEY (import_id, user_id),
        CONSTRAINT "account_import_sightings_import" FOREIGN KEY ("import_id") REFERENCES "account_imports" ("id"),
        CONSTRAINT "account_import_sightings_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      `CREATE INDEX account_import_sightings_account_id ON account_import_sightings (account_id)
        WHERE account_id IS NOT NULL`,

      `CREATE TABLE account_import_differences (
        "id" ${counted}, import_id ${int} NOT NULL, kind ${text} NOT NULL
          CONSTRAINT "account_import_differences_kind" CHECK (kind IN ('adopted', 'refused', 'unknown_upstream')),
        reason ${text}, account_id ${int}, user_id ${text}, found_at ${int} NOT NULL,
        CONSTRAINT "account_import_differences_import" FOREIGN KEY ("import_id") REFERENCES "account_imports" ("id"),
        CONSTRAINT "account_import_differences_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX account_import_differences_page ON account_import_differences (import_id, id)`,
      `CREATE INDEX account_import_differences_kind_page ON account_import_differences (import_id, kind, id)`,
      `CREATE INDEX account_import_differences_account_id ON account_import_differences (account_id)
        WHERE account_id IS NOT NULL`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
