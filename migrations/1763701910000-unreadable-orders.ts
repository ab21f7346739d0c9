import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** How many orders of upstream's list could not be read. */
export class UnreadableOrders1763701910000 implements MigrationInterface {
  readonly name = 'UnreadableOrders1763701910000';

  async up(runner: QueryRunner): Promise<void> {
    const { int } = ddlFor(dialectOf(runner));
    await runner.query(`ALTER TABLE order_sync ADD COLUMN unreadable ${int} NOT NULL DEFAULT 0`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
