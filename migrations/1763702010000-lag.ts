import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The stream whose newest whole window is the oldest is found by index alone. */
export class Lag1763702010000 implements MigrationInterface {
  readonly name = 'Lag1763702010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX pull_streams_covered ON pull_streams (covered_until, created_at)
      WHERE status = 'active' AND next_due_at IS NOT NULL`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
