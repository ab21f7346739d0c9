import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Why somebody read or acted, and how often the same was read again within a minute. */
export class ReasonsOfAccess1763702900000 implements MigrationInterface {
  readonly name = 'ReasonsOfAccess1763702900000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `ALTER TABLE access_log ADD COLUMN reason ${text}`,
      `ALTER TABLE access_log ADD COLUMN repeats ${int}`,
      `CREATE TABLE access_log_repeats (
        seq ${int} PRIMARY KEY NOT NULL, times ${int} NOT NULL, last_at ${int} NOT NULL
      ) ${strict}`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
