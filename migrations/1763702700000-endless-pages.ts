import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** What a pull remembers of its pages, to end where upstream's never do. */
export class EndlessPages1763702700000 implements MigrationInterface {
  readonly name = 'EndlessPages1763702700000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text } = ddlFor(dialectOf(runner));
    const columns = [
      `anchor_content ${text}`,
      `empty_pages ${int} DEFAULT 0 NOT NULL`,
      `repeated_pages ${int} DEFAULT 0 NOT NULL`,
    ];
    for (const column of columns) await runner.query(`ALTER TABLE sync_tasks ADD COLUMN ${column}`);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
