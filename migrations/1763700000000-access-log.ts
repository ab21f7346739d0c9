import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

const noHash = '0'.repeat(64);

/*
 * Entries never change and go from the front only: those below the chain's `first_seq` may be deleted, once the anchor
 * was moved past them. Everything else the database itself refuses.
 */

const sqliteGuards = [
  `CREATE TRIGGER access_log_unchanged BEFORE UPDATE ON access_log
   BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
  `CREATE TRIGGER access_log_kept BEFORE DELETE ON access_log
   WHEN OLD.seq >= COALESCE((SELECT first_seq FROM access_log_chain WHERE id = 1), 0)
   BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
  `CREATE TRIGGER access_log_chain_kept BEFORE DELETE ON access_log_chain
   BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
];

const postgresGuards = [
  `CREATE FUNCTION access_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION 'the access log is append-only'; END $$`,
  `CREATE FUNCTION access_log_keep() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF OLD.seq >= COALESCE((SELECT first_seq FROM access_log_chain WHERE id = 1), 0) THEN
       RAISE EXCEPTION 'the access log is append-only';
     END IF;
     RETURN OLD;
   END $$`,
  `CREATE TRIGGER access_log_unchanged BEFORE UPDATE OR TRUNCATE ON access_log
   FOR EACH STATEMENT EXECUTE FUNCTION access_log_refuse()`,
  `CREATE TRIGGER access_log_kept BEFORE DELETE ON access_log FOR EACH ROW EXECUTE FUNCTION access_log_keep()`,
  `CREATE TRIGGER access_log_chain_kept BEFORE DELETE OR TRUNCATE ON access_log_chain
   FOR EACH STATEMENT EXECUTE FUNCTION access_log_refuse()`,
];

/** Who looked at what about whom, chained by hash. */
export class AccessLog1763700000000 implements MigrationInterface {
  readonly name = 'AccessLog1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const { int, text, strict } = ddlFor(dialect);
    const statements = [
      `CREATE TABLE access_log (
        seq ${int} PRIMARY KEY NOT NULL, at ${int} NOT NULL, actor ${text} NOT NULL, role ${text}
          CONSTRAINT "access_log_role" CHECK (role IN ('viewer', 'reader', 'operator')),
        action ${text} NOT NULL, account_ref ${int}, target ${text}, address ${text}, request_id ${text} NOT NULL,
        status ${int} NOT NULL, previous_hash ${text} NOT NULL, hash ${text} NOT NULL
      ) ${strict}`,
      `CREATE INDEX access_log_account_seq ON access_log (account_ref, seq)`,
      `CREATE INDEX access_log_actor_seq ON access_log (actor, seq)`,
      `CREATE INDEX access_log_action_seq ON access_log (action, seq)`,
      `CREATE INDEX access_log_at ON access_log (at)`,
      `CREATE TABLE access_log_chain (
        id ${int} PRIMARY KEY NOT NULL, first_seq ${int} NOT NULL, anchor_hash ${text} NOT NULL,
        last_seq ${int} NOT NULL, last_hash ${text} NOT NULL
      ) ${strict}`,
      `INSERT INTO access_log_chain (id, first_seq, anchor_hash, last_seq, last_hash)
       VALUES (1, 1, '${noHash}', 0, '${noHash}')`,
      ...(dialect === 'postgres' ? postgresGuards : sqliteGuards),
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
