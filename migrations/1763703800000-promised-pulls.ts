import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** By when each stream is to be pulled whole again, and the walk over what upstream says of its own ingestion. */
export class PromisedPulls1763703800000 implements MigrationInterface {
  readonly name = 'PromisedPulls1763703800000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `ALTER TABLE pull_streams ADD COLUMN promised_at ${int}`,
      'UPDATE pull_streams SET promised_at = next_due_at',
      'DROP INDEX pull_streams_covered',
      `CREATE INDEX pull_streams_promised ON pull_streams (promised_at)
        WHERE status = 'active' AND next_due_at IS NOT NULL`,
      `CREATE TABLE ingestion_walk (
        id ${int} PRIMARY KEY NOT NULL,
        next_cursor ${text},
        walk_started_at ${int},
        pages ${int} NOT NULL DEFAULT 0,
        due_at ${int} NOT NULL,
        attempts ${int} NOT NULL DEFAULT 0,
        waits ${int} NOT NULL DEFAULT 0,
        lease_owner ${text},
        lease_until ${int},
        error_code ${text}
      ) ${strict}`,
      'INSERT INTO ingestion_walk (id, due_at) VALUES (1, 0)',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
