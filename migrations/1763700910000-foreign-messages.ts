import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages of another team are counted by index alone. */
export class ForeignMessages1763700910000 implements MigrationInterface {
  readonly name = 'ForeignMessages1763700910000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX messages_foreign ON messages (received_at) WHERE reason = 'foreign_team'`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
