import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Ids of erased persons that no account may have again, as keyed digests. */
export class ErasureFences1763703100000 implements MigrationInterface {
  readonly name = 'ErasureFences1763703100000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE erasure_fences (
        digest ${text} PRIMARY KEY NOT NULL, key_id ${text} NOT NULL, erasure_id ${text} NOT NULL,
        fenced_at ${int} NOT NULL, turned_away ${int} NOT NULL
      ) ${strict}`,
      `CREATE INDEX erasure_fences_erasure_id ON erasure_fences (erasure_id)`,
      `CREATE INDEX erasure_fences_fenced_at ON erasure_fences (fenced_at)`,
      `CREATE TABLE erasure_fence_keys (id ${int} PRIMARY KEY NOT NULL, secret ${text} NOT NULL) ${strict}`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
