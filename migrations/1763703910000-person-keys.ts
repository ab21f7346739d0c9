import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Which keys of the key file message bodies and results are sealed with. */
export class PersonKeys1763703910000 implements MigrationInterface {
  readonly name = 'PersonKeys1763703910000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, bytes, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE person_key_file (
        id ${int} PRIMARY KEY NOT NULL, file_id ${text} NOT NULL, stamped_at ${int} NOT NULL
      ) ${strict}`,
      `CREATE TABLE person_keys (
        account_id ${int} PRIMARY KEY NOT NULL, key_id ${int} NOT NULL,
        CONSTRAINT "person_keys_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE TABLE message_keys (
        seq ${int} PRIMARY KEY NOT NULL, key_id ${int} NOT NULL, data_key ${bytes} NOT NULL,
        CONSTRAINT "message_keys_body" FOREIGN KEY ("seq") REFERENCES "message_bodies" ("seq") ON DELETE CASCADE
      ) ${strict}`,
      `CREATE INDEX message_keys_period ON message_keys (key_id) WHERE key_id < 0`,
      `ALTER TABLE lab_results ADD COLUMN key_id ${int}`,
      `ALTER TABLE erasures ADD COLUMN key_destroyed_at ${int}`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
