import type { DataSource, QueryRunner } from 'typeorm';
import { driverCode } from '../database/dialect.js';
import { transactionWithoutLimits } from '../database/postgres.js';
import { identitySchema, type View, viewSchema } from '../declarations/views.js';
import { ourTables } from '../schema/described.js';
import { makeViews, ViewsRefused } from './postgres-views.js';

/*
 * Rights of analysts: a role reads the views and none of our other tables. A role that could read the tables anyway is
 * refused, because then the views would hide nothing from it.
 */

export interface ViewGrant {
  readonly role: string;
  /** Also the view with the ids of the customer. */
  readonly namesPeople: boolean;
  /** Most seconds of one statement. */
  readonly seconds: number;
}

/** Lets a role read the views, which are made first. Throws {@link ViewsRefused}. */
export async function grantViews(source: DataSource, views: readonly View[], grant: ViewGrant): Promise<void> {
  await makeViews(source, views);
  await transactionWithoutLimits(source, async (runner) => {
    await assertFit(runner, grant.role);
    for (const statement of rights(grant)) await runner.query(statement);
    await setLimits(runner, grant);
    const readable = await readableTables(runner, grant.role, ourTables(source));
    if (readable.length > 0) {
      throw new ViewsRefused(`The role may read the tables themselves: ${readable.join(', ')}. REVOKE that first.`);
    }
  });
}

/** Takes the views from a role. Does nothing for a role that has no right to them. Throws {@link ViewsRefused}. */
export async function revokeViews(source: DataSource, role: string): Promise<void> {
  await transactionWithoutLimits(source, async (runner) => {
    await factsOf(runner, role);
    const schemas = (await runner.query('SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY ($1)', [
      [viewSchema, identitySchema],
    ])) as { name: string }[];
    for (const { name } of schemas) {
      await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA ${name} FROM ${quoted(role)}`);
      await runner.query(`REVOKE ALL ON SCHEMA ${name} FROM ${quoted(role)}`);
      await runner.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${name} REVOKE ALL ON TABLES FROM ${quoted(role)}`);
    }
  });
}

/** What is granted later belongs to the schema, so that a view that is made again has the same readers. */
function rights({ role, namesPeople }: ViewGrant): string[] {
  return [viewSchema, ...(namesPeople ? [identitySchema] : [])].flatMap((schema) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${quoted(role)}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${quoted(role)}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${quoted(role)}`,
  ]);
}

interface RoleFacts {
  readonly is_superuser: boolean;
  readonly is_service: boolean;
  readonly database: string;
}

async function factsOf(runner: QueryRunner, role: string): Promise<RoleFacts> {
  const [found] = (await runner.query(
    `SELECT r.rolsuper AS is_superuser, pg_has_role(r.oid, current_user, 'MEMBER') AS is_service,
       current_database() AS database FROM pg_roles r WHERE r.rolname = $1`,
    [role],
  )) as RoleFacts[];
  if (!found) throw new ViewsRefused('There is no such role in PostgreSQL: CREATE ROLE it with LOGIN first.');
  return found;
}

async function assertFit(runner: QueryRunner, role: string): Promise<void> {
  const { is_superuser, is_service } = await factsOf(runner, role);
  if (is_superuser) throw new ViewsRefused('The role is a superuser and reads everything anyway: take another one.');
  if (is_service) {
    throw new ViewsRefused('The role is that of the service or a member of it, and reads the tables anyway.');
  }
}

/**
 * Settings that a session of the role begins with. The statement limit is not a right: the role may change it, but not
 * by mistake. An open transaction would keep PostgreSQL from removing what an erasure deleted.
 */
async function setLimits(runner: QueryRunner, { role, seconds }: ViewGrant): Promise<void> {
  const wanted = [
    `statement_timeout=${seconds}s`,
    'idle_in_transaction_session_timeout=60s',
    'default_transaction_read_only=on',
  ];
  const [found] = (await runner.query(
    `SELECT COALESCE(array_agg(setting), '{}') AS settings, current_database() AS database
     FROM (SELECT unnest(s.setconfig) AS setting FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
       WHERE r.rolname = $1 AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())))
       AS own`,
    [role],
  )) as { settings: string[]; database: string }[];
  const missing = wanted.filter((setting) => found?.settings.includes(setting) !== true);
  const statements = missing.map((setting) => {
    const [name, value] = setting.split('=');
    return `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(found?.database ?? '')} SET ${name} = '${value}'`;
  });
  try {
    for (const statement of statements) await runner.query(statement);
  } catch (cause) {
    if (driverCode(cause) !== '42501') throw cause;
    throw new ViewsRefused(
      `The role of DATABASE_URL may not set the limits of another role. Let an administrator run these statements, and repeat the command:\n${statements.join(';\n')};`,
      { cause },
    );
  }
}

/** Names of our tables that a role may read or change, in whole or in part. */
async function readableTables(runner: QueryRunner, role: string, tables: readonly string[]): Promise<string[]> {
  const found = (await runner.query(
    `SELECT c.relname::text AS name FROM pg_class c
     WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relname = ANY ($2) AND c.relkind = 'r'
       AND (has_any_column_privilege($1, c.oid, 'SELECT, INSERT, UPDATE')
         OR has_table_privilege($1, c.oid, 'DELETE, TRUNCATE')) ORDER BY 1`,
    [role, [...tables]],
  )) as { name: string }[];
  return found.map(({ name }) => name);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
