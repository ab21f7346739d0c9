import type BetterSqlite3 from 'better-sqlite3';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { ddlFor, dialectOf } from './ddl.js';

/**
 * What was delivered and no worker has taken in yet: the first place of a message, without an index. Numbers go on
 * where those of the messages end, which is theirs from now on, and a body may be there before its message is.
 */
export class Arrivals1763704100000 implements MigrationInterface {
  readonly name = 'Arrivals1763704100000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const { counted, int, text, strict } = ddlFor(dialect);
    if (dialect === 'postgres') await runner.query('ALTER TABLE message_bodies DROP CONSTRAINT message_bodies_message');
    else await dropForeignKey(runner);
    await runner.query(`CREATE TABLE arrivals (
      "seq" ${counted}, message_id ${text} NOT NULL, received_at ${int} NOT NULL, sent_at ${int} NOT NULL,
      size ${int} NOT NULL
    ) ${strict}`);
    for (const statement of numbersGoOn[dialect]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}

const numbersGoOn = {
  sqlite: [
    `INSERT INTO sqlite_sequence (name, seq) SELECT 'arrivals', seq FROM sqlite_sequence WHERE name = 'messages'`,
  ],
  postgres: [`SELECT setval(pg_get_serial_sequence('arrivals', 'seq'), last_value, is_called) FROM messages_seq_seq`],
};

/**
 * SQLite's own way to drop a constraint without writing the table anew: its text in the schema is changed
 * (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes"). The driver forbids that unless it is
 * told otherwise. The table that is made next tells other connections that the schema has changed.
 */
async function dropForeignKey(runner: QueryRunner): Promise<void> {
  const db = (runner.dataSource.driver as BetterSqlite3Driver).databaseConnection as BetterSqlite3.Database;
  db.unsafeMode(true);
  try {
    await runner.query('PRAGMA writable_schema = ON');
    await runner.query(
      `UPDATE sqlite_master SET sql = replace(sql, ?, '') WHERE type = 'table' AND name = 'message_bodies'`,
      [foreignKey],
    );
  } finally {
    await runner.query('PRAGMA writable_schema = RESET');
    db.unsafeMode(false);
  }
}

const foreignKey = `,
        CONSTRAINT "message_bodies_message" FOREIGN KEY ("seq") REFERENCES "messages" ("seq") ON DELETE CASCADE`;
