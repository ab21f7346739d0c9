import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** What upstream is given in place of the customer's id of an account. */
export class Pseudonyms1763703110000 implements MigrationInterface {
  readonly name = 'Pseudonyms1763703110000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text } = ddlFor(dialectOf(runner));
    const statements = [
      `ALTER TABLE accounts ADD COLUMN pseudonym ${text}`,
      `ALTER TABLE accounts ADD COLUMN pseudonym_at ${int}`,
      `CREATE UNIQUE INDEX accounts_pseudonym ON accounts (pseudonym) WHERE pseudonym IS NOT NULL`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
