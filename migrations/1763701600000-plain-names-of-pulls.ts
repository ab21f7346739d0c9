import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameTable } from './ddl.js';

/** Tables named by the words of the glossary: poll, pull stream, workout series. */
export class PlainNamesOfPulls1763701600000 implements MigrationInterface {
  readonly name = 'PlainNamesOfPulls1763701600000';

  async up(runner: QueryRunner): Promise<void> {
    await renameTable(runner, 'source_checks', 'source_polls');
    await renameTable(runner, 'sync_streams', 'pull_streams');
    await renameTable(runner, 'workout_stream_fetches', 'workout_series_fetches');
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
