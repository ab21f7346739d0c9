import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Idempotency keys under which orders are placed. */
export class OrderPlacements1763700100000 implements MigrationInterface {
  readonly name = 'OrderPlacements1763700100000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE order_placements (
        key_digest ${text} PRIMARY KEY NOT NULL, placement_id ${text} NOT NULL, account_id ${int} NOT NULL,
        state ${text} NOT NULL
          CONSTRAINT "order_placements_state" CHECK (state IN ('calling', 'unknown', 'refused', 'placed')),
        fingerprint ${text} NOT NULL, created_at ${int} NOT NULL, open_since ${int}, order_id ${text}, placed_at ${int},
        error_code ${text}, lease_owner ${text}, lease_until ${int},
        CONSTRAINT "order_placements_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE UNIQUE INDEX order_placements_placement_id ON order_placements (placement_id)`,
      `CREATE INDEX order_placements_account_id ON order_placements (account_id)`,
      `CREATE INDEX order_placements_state_created ON order_placements (state, created_at)`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
