import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** 64 random bits as 16 hexadecimal digits. */
const random = {
  sqlite: 'lower(hex(randomblob(8)))',
  // A uuid of version 4 has fixed bits in its middle.
  postgres: `substr(replace(gen_random_uuid()::text, '-', ''), 1, 8) || substr(replace(gen_random_uuid()::text, '-', ''), 25, 8)`,
} as const;

/** What lines of the log call an account, until it is erased. */
export class LogRefs1763703900000 implements MigrationInterface {
  readonly name = 'LogRefs1763703900000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const { text } = ddlFor(dialect);
    const statements = [
      `ALTER TABLE accounts ADD COLUMN log_ref ${text}`,
      `UPDATE accounts SET log_ref = 'a_' || ${random[dialect]} WHERE status <> 'erasing'`,
      `CREATE UNIQUE INDEX accounts_log_ref ON accounts (log_ref) WHERE log_ref IS NOT NULL`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
