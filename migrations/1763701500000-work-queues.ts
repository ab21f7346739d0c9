import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

const queues = [
  'messages',
  'sync_tasks',
  'source_checks',
  'order_refreshes',
  'result_fetches',
  'workout_stream_fetches',
  'account_imports',
  'erasures',
  'order_sync',
];

/** The same lease columns in every table of due work: tries since the last step that worked, and waits for others. */
export class WorkQueues1763701500000 implements MigrationInterface {
  readonly name = 'WorkQueues1763701500000';

  async up(runner: QueryRunner): Promise<void> {
    const { int } = ddlFor(dialectOf(runner));
    const statements = [
      'ALTER TABLE messages RENAME COLUMN next_attempt_at TO due_at',
      'ALTER TABLE sync_tasks RENAME COLUMN attempts TO turns',
      'ALTER TABLE sync_tasks RENAME COLUMN failures TO attempts',
      'ALTER TABLE workout_stream_fetches RENAME COLUMN failures TO attempts',
      'ALTER TABLE account_imports RENAME COLUMN failures TO attempts',
      'ALTER TABLE order_sync RENAME COLUMN failures TO attempts',
      ...queues.map((table) => `ALTER TABLE ${table} ADD COLUMN waits ${int} NOT NULL DEFAULT 0`),
      'INSERT INTO order_sync (id, page, due_at, attempts) VALUES (1, 1, 0, 0) ON CONFLICT DO NOTHING',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
