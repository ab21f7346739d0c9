import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Whether tokens are issued at all, and who ended it when. */
export class TokenSwitch1763700900000 implements MigrationInterface {
  readonly name = 'TokenSwitch1763700900000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE token_switch (id ${int} PRIMARY KEY NOT NULL, closed_at ${int}, closed_by ${text}) ${strict}`,
      'INSERT INTO token_switch (id) VALUES (1)',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
