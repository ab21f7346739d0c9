import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** When upstream made a user, and where its fallback time zone and birth date come from. */
export class KeptOfUser1763702400000 implements MigrationInterface {
  readonly name = 'KeptOfUser1763702400000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text } = ddlFor(dialectOf(runner));
    const columns = [
      `user_created_at ${int}`,
      `fallback_time_zone_source ${text}`,
      `fallback_time_zone_updated_at ${int}`,
      `fallback_birth_date_source ${text}`,
      `fallback_birth_date_updated_at ${int}`,
    ];
    for (const column of columns) await runner.query(`ALTER TABLE accounts ADD COLUMN ${column}`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
