import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Messages of users who are not known here wait for a lookup, apart from all others; long ones have a queue too. */
export class OwnerLookups1763701800000 implements MigrationInterface {
  readonly name = 'OwnerLookups1763701800000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, counted, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE owner_lookups (
        "id" ${counted},
        user_id ${text},
        client_user_id ${text},
        due_at ${int},
        attempts ${int} NOT NULL,
        waits ${int} NOT NULL DEFAULT 0,
        lease_owner ${text},
        lease_until ${int},
        error_code ${text},
        awaited ${int} NOT NULL,
        refused_until ${int}
      ) ${strict}`,
      'CREATE UNIQUE INDEX owner_lookups_user_id ON owner_lookups (user_id)',
      'CREATE UNIQUE INDEX owner_lookups_client_user_id ON owner_lookups (client_user_id)',
      'CREATE INDEX owner_lookups_due ON owner_lookups (due_at) WHERE due_at IS NOT NULL',
      'CREATE INDEX owner_lookups_answered ON owner_lookups (id) WHERE due_at IS NULL AND awaited = 1',
      'CREATE INDEX owner_lookups_refused ON owner_lookups (refused_until) WHERE refused_until IS NOT NULL',
      `ALTER TABLE messages ADD COLUMN lookup_id ${int}`,
      'CREATE INDEX messages_lookup ON messages (lookup_id, seq) WHERE lookup_id IS NOT NULL',
      'CREATE INDEX messages_reason_seq ON messages (reason, seq) WHERE reason IS NOT NULL',
      'CREATE INDEX messages_due_long ON messages (due_at, seq) WHERE due_at IS NOT NULL AND size > 262144',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
