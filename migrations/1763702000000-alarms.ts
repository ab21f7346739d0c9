import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** The alarms that are raised, and what each running process last said of itself. */
export class Alarms1763702000000 implements MigrationInterface {
  readonly name = 'Alarms1763702000000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE alarms (code ${text} PRIMARY KEY NOT NULL, count ${int}, since ${int} NOT NULL,
         raised_at ${int} NOT NULL) ${strict}`,
      `CREATE TABLE processes (instance ${text} PRIMARY KEY NOT NULL, role ${text} NOT NULL, seen_at ${int} NOT NULL,
         report ${text} NOT NULL) ${strict}`,
      'CREATE INDEX result_fetches_given_up ON result_fetches (requested_at) WHERE due_at IS NULL',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
