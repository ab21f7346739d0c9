import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Accounts whose upstream user is gone, and users that had their place before. */
export class RelinkedAccounts1763701920000 implements MigrationInterface {
  readonly name = 'RelinkedAccounts1763701920000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, clustered } = ddlFor(dialectOf(runner));
    const statements = [
      `ALTER TABLE accounts ADD COLUMN user_gone_at ${int}`,
      `ALTER TABLE accounts ADD COLUMN relinked_at ${int}`,
      `CREATE TABLE "former_upstream_users" (
        "user_id" ${text} PRIMARY KEY NOT NULL,
        "account_id" ${int} NOT NULL,
        "replaced_at" ${int} NOT NULL,
        CONSTRAINT "former_upstream_users_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      'CREATE INDEX "former_upstream_users_account_id" ON "former_upstream_users" ("account_id")',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
