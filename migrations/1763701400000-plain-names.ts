import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type Ddl, ddlFor, dialectOf } from './ddl.js';

interface Renamed {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly string[];
  readonly table: string;
  readonly indexes: readonly string[];
}

/**
 * Tables get the names of the glossary. SQLite cannot rename constraints and indexes, so the rows move to new tables.
 */
export class PlainNames1763701400000 implements MigrationInterface {
  readonly name = 'PlainNames1763701400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const { from, to, columns, table, indexes } of renamedTables(ddlFor(dialectOf(runner)))) {
      await runner.query(table);
      const names = columns.join(', ');
      await runner.query(`INSERT INTO ${to} (${names}) SELECT ${names} FROM ${from}`);
      await runner.query(`DROP TABLE ${from}`);
      for (const index of indexes) await runner.query(index);
    }
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}

function renamedTables({ int, text, strict, clustered }: Ddl): Renamed[] {
  return [
    {
      from: 'instance',
      to: 'database_identity',
      columns: ['id', 'region', 'environment', 'team_id', 'stamped_at'],
      table: `CREATE TABLE database_identity (
        id ${int} PRIMARY KEY NOT NULL, region ${text} NOT NULL, environment ${text} NOT NULL, team_id ${text},
        stamped_at ${int} NOT NULL
      ) ${strict}`,
      indexes: [],
    },
    {
      from: 'token_switch',
      to: 'token_issuance',
      columns: ['id', 'closed_at', 'closed_by'],
      table: `CREATE TABLE token_issuance (id ${int} PRIMARY KEY NOT NULL, closed_at ${int}, closed_by ${text}) ${strict}`,
      indexes: [],
    },
    {
      from: 'erased_users',
      to: 'erasure_tombstones',
      columns: ['digest', 'erasure_id', 'account_ref', 'erased_at', 'turned_away'],
      table: `CREATE TABLE erasure_tombstones (
        digest ${text} PRIMARY KEY NOT NULL, erasure_id ${text} NOT NULL, account_ref ${int} NOT NULL,
        erased_at ${int} NOT NULL, turned_away ${int} NOT NULL
      ) ${strict}`,
      indexes: [
        'CREATE INDEX erasure_tombstones_account_ref ON erasure_tombstones (account_ref)',
        'CREATE INDEX erasure_tombstones_erasure_id ON erasure_tombstones (erasure_id)',
      ],
    },
    {
      from: 'account_import_sightings',
      to: 'account_import_seen_users',
      columns: ['import_id', 'user_id', 'account_id', 'pass'],
      table: `CREATE TABLE account_import_seen_users (
        import_id ${int} NOT NULL, user_id ${text} NOT NULL, account_id ${int}, pass ${int} NOT NULL,
        PRIMARY KEY (import_id, user_id),
        CONSTRAINT "account_import_seen_users_import" FOREIGN KEY ("import_id") REFERENCES "account_imports" ("id"),
        CONSTRAINT "account_import_seen_users_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      indexes: [
        `CREATE INDEX account_import_seen_users_account_id ON account_import_seen_users (account_id)
          WHERE account_id IS NOT NULL`,
      ],
    },
  ];
}
