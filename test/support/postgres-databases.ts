import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import pg from 'pg';

/*
 * PostgreSQL databases of this process. Creating and dropping one for each test costs more than most tests, so a used
 * database is reset to the template's content and reused. If its schema differs from the template, it is dropped. The
 * others are dropped at the end of the run (test/support/template.mjs).
 */

/** Content of the template's copy that a reset would remove. */
interface Origin {
  readonly schema: string;
  readonly rows: readonly { readonly name: string; readonly content: string }[];
  readonly sequences: readonly { readonly name: string; readonly value: string; readonly called: boolean }[];
}

const free: string[] = [];
let origin: Origin | undefined;

/** Returns the name of a database; without tables if `template` is undefined. */
export async function takeDatabase(server: string, template: string | undefined): Promise<string> {
  const known = template === undefined ? undefined : free.pop();
  if (known !== undefined) return known;
  const name = `pulsekeep_test_${basename(process.env['PULSEKEEP_TEST_BUILD'] ?? '')}_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template ?? 'template0'}`));
  if (template !== undefined) origin ??= await onDatabase(urlOf(server, name), originOf);
  return name;
}

/** Ends all connections to it first. */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
}

/** Makes it available for the next test that needs a copy of the template. */
export async function giveBackDatabase(server: string, name: string): Promise<void> {
  const template = origin as Origin;
  const isClean = await onDatabase(urlOf(server, name), (client) => clean(client, template)).catch(() => false);
  if (isClean) free.push(name);
  else await dropDatabase(server, name);
}

export function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function onDatabase<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function clean(client: pg.Client, { schema, rows, sequences }: Origin): Promise<boolean> {
  // One that is still there might write into the next test.
  const others = await client.query<{ has_ended: boolean }>(endOthers);
  if (others.rows.some(({ has_ended }) => !has_ended) || (await schemaOf(client)) !== schema) return false;
  const tables = await namesOf(client, tablesSql);
  const deletes = tables.map((name) => `DELETE FROM ${name}`);
  // With the role `replica` no triggers run, including those that protect the access log from changes.
  await client.query(['BEGIN; SET LOCAL session_replication_role = replica', ...deletes].join('; '));
  for (const { name, content } of rows) {
    const insert = `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1)`;
    await client.query(insert, [content]);
  }
  for (const { name, value, called } of sequences)
    await client.query('SELECT setval($1, $2, $3)', [name, value, called]);
  await client.query('COMMIT');
  return true;
}

async function originOf(client: pg.Client): Promise<Origin> {
  const rows: { name: string; content: string }[] = [];
  for (const name of await namesOf(client, tablesSql)) {
    const [found] = (
      await client.query<{ content: string | null }>(`SELECT json_agg(t)::text AS content FROM ${name} t`)
    ).rows;
    if (found?.content) rows.push({ name, content: found.content });
  }
  const sequences = (await client.query<Origin['sequences'][number]>(sequencesSql)).rows;
  return { schema: await schemaOf(client), rows, sequences };
}

async function schemaOf(client: pg.Client): Promise<string> {
  return (await namesOf(client, schemaSql)).join('\n');
}

async function namesOf(client: pg.Client, sql: string): Promise<string[]> {
  return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}

const endOthers = `SELECT pg_terminate_backend(pid, 5000) AS has_ended FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const tablesSql = `SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`;

const sequencesSql = `SELECT quote_ident(sequencename) AS name, COALESCE(last_value, start_value) AS value,
    last_value IS NOT NULL AS called
  FROM pg_sequences WHERE schemaname = 'public'`;

const schemaSql = `
  SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, relrowsecurity) AS name
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'rule ' || definition FROM pg_rules WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', 'column', attrelid::regclass, attname, atttypid::regtype, attnotnull, attnum)
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND attnum > 0 AND c.relkind IN ('r', 'p')
  UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'function', proname, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'setting', setconfig::text)
    FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE d.datname = current_database()
  ORDER BY 1`;
