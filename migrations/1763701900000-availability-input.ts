import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Where upstream was found to read the inputs of availability. */
export class AvailabilityInput1763701900000 implements MigrationInterface {
  readonly name = 'AvailabilityInput1763701900000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE availability_input (id ${int} PRIMARY KEY NOT NULL, query_since ${int}) ${strict}`,
      'INSERT INTO availability_input (id) VALUES (1)',
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
