import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Since when no record names an observation. */
export class UnusedObservations1763703300000 implements MigrationInterface {
  readonly name = 'UnusedObservations1763703300000';

  async up(runner: QueryRunner): Promise<void> {
    const { int } = ddlFor(dialectOf(runner));
    await runner.query(`ALTER TABLE observations ADD COLUMN unused_since ${int}`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
