import type BetterSqlite3 from 'better-sqlite3';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { ddlFor, dialectOf } from './ddl.js';

/**
 * What was delivered and no worker has taken in yet: the first place of a message, without an index. It gives a message
 * its number from now on, in the place of `messages`, so a process of before that still runs beside PostgreSQL stores
 * none. A body may be there before its message is.
 */
export class Arrivals1763704100000 implements MigrationInterface {
  readonly name = 'Arrivals1763704100000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const { counted, int, text, strict } = ddlFor(dialect);
    if (dialect === 'sqlite') await changeTexts(runner, [foreignKey, numbering]);
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

/** Numbers go on where those of the messages end. */
const numbersGoOn = {
  sqlite: [`UPDATE sqlite_sequence SET name = 'arrivals' WHERE name = 'messages'`],
  postgres: [
    `SELECT setval(pg_get_serial_sequence('arrivals', 'seq'), last_value, is_called) FROM messages_seq_seq`,
    'ALTER TABLE messages ALTER COLUMN seq DROP DEFAULT',
    'DROP SEQUENCE messages_seq_seq',
    'ALTER TABLE message_bodies DROP CONSTRAINT message_bodies_message',
  ],
};

/** A part of a table's text, and what it becomes. */
interface Change {
  readonly table: string;
  readonly part: string;
  readonly becomes: string;
}

const foreignKey: Change = {
  table: 'message_bodies',
  part: `,
        CONSTRAINT "message_bodies_message" FOREIGN KEY ("seq") REFERENCES "messages" ("seq") ON DELETE CASCADE`,
  becomes: '',
};
const numbering: Change = {
  table: 'messages',
  part: '"seq" integer PRIMARY KEY AUTOINCREMENT NOT NULL',
  becomes: '"seq" integer PRIMARY KEY NOT NULL',
};

/**
 * SQLite's own way to change what is not in the rows of a table without writing them anew: the text of the table in the
 * schema is changed (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes"). The driver forbids
 * that unless it is told otherwise. The table that is made next tells other connections that the schema has changed.
 */
async function changeTexts(runner: QueryRunner, changes: readonly Change[]): Promise<void> {
  const db = (runner.dataSource.driver as BetterSqlite3Driver).databaseConnection as BetterSqlite3.Database;
  db.unsafeMode(true);
  try {
    await runner.query('PRAGMA writable_schema = ON');
    for (const { table, part, becomes } of changes) {
      const sql = `UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ?`;
      await runner.query(sql, [part, becomes, table]);
    }
  } finally {
    await runner.query('PRAGMA writable_schema = RESET');
    db.unsafeMode(false);
  }
}
