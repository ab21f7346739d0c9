/*
 * Facts of PostgreSQL about the tables of this program: which schema holds them, whether the role may use them,
 * and whether all of their rows can be seen. Reads only the catalog, so the answers do not depend on the rows.
 */

export type Read = <T>(sql: string, values?: readonly unknown[]) => Promise<T[]>;

/**
 * UTF8 can store every text. SQL_ASCII keeps the bytes that it gets, here UTF-8. Every other encoding refuses
 * characters that it lacks.
 */
const encodings = ['UTF8', 'SQL_ASCII'];

/**
 * Why this program cannot use the database with these tables; null if it can. `isChosen`: the address itself names the
 * search_path, so an empty schema is what the operator wants.
 */
export async function unfitServer(read: Read, tables: readonly string[], isChosen: boolean): Promise<string | null> {
  const [{ encoding } = { encoding: '' }] = await read<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (!encodings.includes(encoding)) {
    return `DATABASE_URL: the database has the encoding ${encoding}, which cannot hold every text: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.`;
  }
  const readOnly = await whyReadOnly(read);
  if (readOnly !== null) return readOnly;
  const misled = await wrongSchema(read, isChosen);
  if (misled !== null) return misled;
  const refused = await read<{ name: string }>(
    `SELECT t.relname AS name FROM pg_class t
      WHERE ${isOurs('t')} AND t.relkind = 'r'
        AND NOT (has_table_privilege(t.oid, 'SELECT') AND has_table_privilege(t.oid, 'INSERT')
          AND has_table_privilege(t.oid, 'UPDATE') AND has_table_privilege(t.oid, 'DELETE'))
      ORDER BY t.relname`,
    [tables],
  );
  if (refused.length === 0) return unusableSequences(read, tables);
  return `DATABASE_URL: its role may not read and write ${refused.map(({ name }) => name).join(', ')}: GRANT SELECT, INSERT, UPDATE, DELETE ON these tables TO the role.`;
}

/** Rows get their numbers from sequences, which have separate rights. */
async function unusableSequences(read: Read, tables: readonly string[]): Promise<string | null> {
  const refused = await read<{ name: string }>(
    `SELECT s.relname AS name FROM pg_class s JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
        JOIN pg_class t ON t.oid = d.refobjid
      WHERE d.deptype = 'a' AND ${isOurs('t')}
        AND CASE s.relkind WHEN 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') ELSE false END
      ORDER BY s.relname`,
    [tables],
  );
  if (refused.length === 0) return null;
  return `DATABASE_URL: its role may not use ${refused.map(({ name }) => name).join(', ')}: GRANT USAGE ON these sequences TO the role.`;
}

/** `doctor` makes its own session read-only, so that alone proves nothing. */
async function whyReadOnly(read: Read): Promise<string | null> {
  const [found] = await read<{ is_standby: boolean; is_set: boolean }>(
    `SELECT pg_is_in_recovery() AS is_standby,
       (SELECT setting = 'on' AND source <> 'client' FROM pg_settings WHERE name = 'default_transaction_read_only')
       OR EXISTS (SELECT 1 FROM pg_db_role_setting
         WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
           AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
           AND 'default_transaction_read_only=on' = ANY (setconfig)) AS is_set`,
  );
  if (found?.is_standby) {
    return 'DATABASE_URL: the server is a standby, which only reads: name the address that leads to the writable server.';
  }
  if (!found?.is_set) return null;
  return 'DATABASE_URL: its sessions only read: ALTER ROLE or ALTER DATABASE ... SET default_transaction_read_only = off.';
}

/** Condition on a row of pg_class: one of the names `$1`, in the schema of our tables. */
export function isOurs(alias: string): string {
  return `${alias}.relname = ANY ($1) AND ${alias}.relnamespace = to_regnamespace(quote_ident(current_schema()))`;
}

interface Holder {
  readonly schema: string;
  /** The first schema of the search_path: the one that is used. */
  readonly is_used: boolean;
  /** Another schema of the search_path. */
  readonly is_in_path: boolean;
}

/**
 * Fault if another schema holds tables of this program and the used one does not, or if several of the search_path do:
 * a role's own schema or a restored dump would hide the database, with its fences of erased people.
 */
async function wrongSchema(read: Read, isChosen: boolean): Promise<string | null> {
  const inPath = `(n.nspname = ANY (current_schemas(false))
      OR n.nspname = ANY (string_to_array(replace(current_setting('search_path'), '"', ''), ', ')))`;
  const holders = await read<Holder>(
    `SELECT n.nspname AS schema, n.nspname = current_schema() AS is_used, ${inPath} AS is_in_path
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = 'database_identity' AND (has_schema_privilege(n.oid, 'USAGE') OR ${inPath})
       AND EXISTS (SELECT 1 FROM pg_class m WHERE m.relname = 'migrations' AND m.relnamespace = n.oid)
     ORDER BY n.nspname`,
  );
  const others = holders.filter(({ is_used, is_in_path }) => !is_used && (is_in_path || !isChosen));
  const isUsed = holders.some(({ is_used }) => is_used);
  const rivals = isUsed ? others.filter(({ is_in_path }) => is_in_path) : others;
  if (rivals.length === 0) return null;
  const [{ schema } = { schema: '' }] = await read<{ schema: string }>('SELECT current_schema() AS schema');
  const named = rivals.map((rival) => rival.schema).join(', ');
  const found = isUsed
    ? `the schemas ${schema} and ${named} of its search_path both hold tables of this service`
    : `the schema ${schema} comes first and is empty, but ${named} holds tables of this service`;
  return `DATABASE_URL: ${found}: ALTER ROLE ... SET search_path = the right one, or add options=-c%20search_path%3DSCHEMA to the address.`;
}

/**
 * Fault if rows of our tables can be invisible to the role, or vanish: fences of erased people would have no effect.
 */
export async function hiddenRows(read: Read, tables: readonly string[]): Promise<string | null> {
  const found = await read<{ name: string; why: string }>(
    `SELECT t.relname AS name, why FROM pg_class t, LATERAL (SELECT CASE
         WHEN t.relkind IN ('v', 'm') THEN 'a view'
         WHEN t.relkind = 'p' THEN 'partitioned'
         WHEN t.relkind <> 'r' THEN 'no table'
         WHEN row_security_active(t.oid) THEN 'under row security'
         WHEN t.relpersistence = 'u' THEN 'unlogged'
         WHEN EXISTS (SELECT 1 FROM pg_inherits i WHERE t.oid IN (i.inhrelid, i.inhparent)) THEN 'inherited'
         WHEN EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = t.oid AND r.is_instead) THEN 'changed by a rule'
       END AS why) AS reasons
     WHERE ${isOurs('t')} AND why IS NOT NULL ORDER BY t.relname`,
    [tables],
  );
  if (found.length === 0) return null;
  const named = found.map(({ name, why }) => `${name} (${why})`).join(', ');
  return `DATABASE_URL: rows of these tables can be hidden from its role or lost: ${named}. They must be plain tables, without row security for this role.`;
}

export interface CollationChange {
  /** Versions of the operating system's sort rules when the database was made, and now. */
  readonly made: string;
  readonly present: string;
  /** Indexes of our tables that are sorted by these rules; ours are not. */
  readonly indexes: readonly string[];
}

/** Null if the versions are equal, or unknown before PostgreSQL 15. */
export async function collationChange(read: Read, tables: readonly string[]): Promise<CollationChange | null> {
  const [server] = await read<{ version: number }>(`SELECT current_setting('server_version_num')::int AS version`);
  if ((server?.version ?? 0) < FIRST_WITH_COLLATION_VERSION) return null;
  const [found] = await read<{ made: string; present: string }>(
    `SELECT made, present FROM pg_database,
       LATERAL (SELECT datcollversion AS made, pg_database_collation_actual_version(oid) AS present) AS versions
     WHERE datname = current_database() AND made IS DISTINCT FROM present AND made IS NOT NULL AND present IS NOT NULL`,
  );
  if (!found) return null;
  const indexes = await read<{ name: string }>(
    `SELECT DISTINCT x.indexrelid::regclass::text AS name
     FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
       JOIN pg_collation c ON c.oid = ANY (x.indcollation::oid[]) AND c.collname NOT IN ('C', 'POSIX')
     WHERE ${isOurs('t')} ORDER BY name`,
    [tables],
  );
  return { ...found, indexes: indexes.map(({ name }) => name) };
}

const FIRST_WITH_COLLATION_VERSION = 150_000;

/** Settings of the server, and states of our tables, with which data is less safe than it seems. */
export async function weaknesses(read: Read, tables: readonly string[]): Promise<string[]> {
  const off = await read<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`,
  );
  const disabled = await read<{ name: string }>(
    `SELECT DISTINCT t.relname AS name FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
     WHERE ${isOurs('t')} AND g.tgenabled IN ('D', 'R') ORDER BY t.relname`,
    [tables],
  );
  return [
    ...off.map(({ name }) => `${name} = off: a crash of the server can lose acknowledged data`),
    ...disabled.map(({ name }) => `${name} has disabled triggers: ALTER TABLE ${name} ENABLE TRIGGER ALL`),
  ];
}

export async function lackOfCreating(read: Read): Promise<string | null> {
  const [found] = await read<{ schema: string | null; may_create: boolean | null }>(
    `SELECT current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS may_create`,
  );
  if (found?.may_create === true) return null;
  const path = 'set its search_path to a schema of its own.';
  const schema = found?.schema ?? null;
  return schema === null
    ? `DATABASE_URL: its role has no schema, because none of its search_path exists: CREATE SCHEMA, or ${path}`
    : `DATABASE_URL: its role may not create tables: GRANT CREATE ON SCHEMA ${schema} TO the role, or ${path}`;
}
