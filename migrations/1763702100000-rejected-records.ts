import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Points of upstream that cannot be stored as records are kept as they came. */
export class RejectedRecords1763702100000 implements MigrationInterface {
  readonly name = 'RejectedRecords1763702100000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, clustered } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE rejected_records (
        account_id ${int} NOT NULL,
        digest ${text} NOT NULL,
        resource ${text} NOT NULL,
        provider ${text} NOT NULL,
        reason ${text} NOT NULL,
        time_from ${int} NOT NULL,
        time_to ${int} NOT NULL,
        count ${int} NOT NULL,
        raw ${text},
        kind ${text} NOT NULL,
        ref ${int} NOT NULL,
        seen_at ${int} NOT NULL,
        PRIMARY KEY (account_id, digest),
        CONSTRAINT "rejected_records_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      'CREATE INDEX rejected_records_origin ON rejected_records (kind, ref)',
      'CREATE INDEX rejected_records_resource ON rejected_records (account_id, resource, time_from)',
      'CREATE INDEX rejected_records_seen_at ON rejected_records (seen_at)',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
