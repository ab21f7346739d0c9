import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** In which hours events brought data of which provider, and which providers an alarm is about. */
export class ProviderHours1763702300000 implements MigrationInterface {
  readonly name = 'ProviderHours1763702300000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, clustered } = ddlFor(dialectOf(runner));
    await runner.query(`CREATE TABLE provider_hours (hour ${int} NOT NULL, provider ${text} NOT NULL,
      PRIMARY KEY (hour, provider)) ${clustered}`);
    await runner.query(`ALTER TABLE alarms ADD COLUMN providers ${text}`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
