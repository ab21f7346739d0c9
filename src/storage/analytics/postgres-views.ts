import { createHash } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { driverCode } from '../database/dialect.js';
import { transactionWithoutLimits } from '../database/postgres.js';
import { identitySchema, selectOf, type View, viewSchema } from '../declarations/views.js';
import { MIGRATION_LOCK } from '../schema/sequences.js';

/*
 * The views that analysts read on PostgreSQL. `analytics grant` makes them for the first time; from then on every start
 * makes them again if their text has changed or one is missing, as after a restore. Nothing of them is in a migration
 * or a backup, so a database whose owner wants no views has none, and the service's role needs no right to create
 * schemas. The comment of the schema names the schema of the tables and the digest of the views. All runs in one
 * transaction under the lock of migrations: a crash leaves the views as they were. Rights are default privileges of the
 * two schemas, so a view that was dropped and made again has the same readers.
 */

/** The views are not ours to change, or other views stand on them. The message names no data. */
export class ViewsRefused extends Error {
  override readonly name = 'ViewsRefused';
}

export interface ViewsState {
  /** Null if there are no views in this database. `foreign`: the schema belongs to another program or role. */
  readonly state: 'current' | 'outdated' | 'foreign' | null;
}

const schemas = [viewSchema, identitySchema] as const;
const schemaOf = ({ namesPeople }: View): string => (namesPeople ? identitySchema : viewSchema);
const nameOf = (view: View): string => `${schemaOf(view)}.${view.name}`;

/** Makes the views, or makes them again. Throws {@link ViewsRefused}. */
export function makeViews(source: DataSource, views: readonly View[]): Promise<void> {
  return inWords(() =>
    transactionWithoutLimits(source, async (runner) => {
      await runner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const { state } = await viewsState(runner, views);
      if (state === 'foreign') throw new ViewsRefused(foreign);
      if (state !== 'current') await make(runner, views);
    }),
  );
}

/**
 * Makes existing views again if they are not those of this program. Returns true if it did. Throws
 * {@link ViewsRefused}.
 */
export async function keepViews(source: DataSource, views: readonly View[]): Promise<boolean> {
  if (source.options.type !== 'postgres') return false;
  const runner = source.createQueryRunner();
  try {
    if ((await viewsState(runner, views)).state !== 'outdated') return false;
  } finally {
    await runner.release();
  }
  await makeViews(source, views);
  return true;
}

/**
 * Drops the views, so that tables under them can be replaced; the next start makes them again. Does nothing if there
 * are none. Throws {@link ViewsRefused} if other views stand on them.
 */
export async function dropViews(query: (sql: string) => Promise<unknown>): Promise<void> {
  const found = (await query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'v' AND n.nspname IN (${schemas.map((name) => `'${name}'`).join(', ')})
       AND obj_description(n.oid, 'pg_namespace') LIKE 'Pulsekeep, schema ' || current_schema() || ', %'`,
  )) as { name: string }[];
  if (found.length > 0) await inWords(() => query(`DROP VIEW ${found.map(({ name }) => name).join(', ')}`));
}

export async function viewsState(runner: Pick<QueryRunner, 'query'>, views: readonly View[]): Promise<ViewsState> {
  const found = (await runner.query(
    `SELECT n.nspname AS schema, obj_description(n.oid, 'pg_namespace') AS comment,
       pg_get_userbyid(n.nspowner) = current_user AS is_own, current_schema() AS tables,
       ARRAY(SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'v') AS views
     FROM pg_namespace n WHERE n.nspname = ANY ($1)`,
    [[...schemas]],
  )) as { schema: string; comment: string | null; is_own: boolean; tables: string; views: string[] }[];
  if (found.length === 0) return { state: null };
  const isOurs = found.every(({ comment, is_own, tables }) => is_own && comment?.startsWith(markOf(tables)) === true);
  if (!isOurs) return { state: 'foreign' };
  const digest = digestOf(views);
  const missing = views.filter(
    (view) => !found.some((at) => at.schema === schemaOf(view) && at.views.includes(view.name)),
  );
  const isCurrent = missing.length === 0 && found.every(({ comment }) => comment?.endsWith(digest) === true);
  return { state: isCurrent ? 'current' : 'outdated' };
}

async function make(runner: QueryRunner, views: readonly View[]): Promise<void> {
  const [{ tables } = { tables: 'public' }] = (await runner.query('SELECT current_schema() AS tables')) as {
    tables: string;
  }[];
  for (const schema of schemas) await runner.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await replace(runner, views);
  for (const schema of schemas) {
    const mark = `${markOf(tables)}${digestOf(views)}`;
    await runner.query(`COMMENT ON SCHEMA ${schema} IS '${mark.replaceAll("'", "''")}'`);
  }
}

/**
 * A view that only gained columns at its end is replaced, even if other views stand on it. Any other change needs the
 * old views to go first.
 */
async function replace(runner: QueryRunner, views: readonly View[]): Promise<void> {
  const statements = views.flatMap((view) => [
    `CREATE OR REPLACE VIEW ${nameOf(view)} WITH (security_barrier = true) AS ${selectOf(view, 'postgres')}`,
    `COMMENT ON VIEW ${nameOf(view)} IS '${view.about.replaceAll("'", "''")}'`,
  ]);
  await runner.query('SAVEPOINT views');
  try {
    for (const statement of statements) await runner.query(statement);
  } catch (error) {
    if (driverCode(error) !== CHANGED_COLUMNS) throw error;
    await runner.query('ROLLBACK TO SAVEPOINT views');
    await runner.query(`DROP VIEW IF EXISTS ${views.map(nameOf).join(', ')}`);
    for (const statement of statements) await runner.query(statement);
  }
}

/** SQLSTATE: a view cannot be replaced by one whose first columns differ. */
const CHANGED_COLUMNS = '42P16';
const OTHERS_DEPEND = '2BP01';
const NO_RIGHT = '42501';

const foreign = `The schema ${viewSchema} or ${identitySchema} of this database belongs to another program, or to another role: give this service a database of its own, or drop the schema.`;

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = driverCode(cause);
    if (code === OTHERS_DEPEND) {
      throw new ViewsRefused(
        `Other views stand on those of ${viewSchema}: drop them, for example with dbt, and make them again afterwards.`,
        { cause },
      );
    }
    if (code === NO_RIGHT) {
      throw new ViewsRefused(
        'The role of DATABASE_URL may not create schemas: GRANT CREATE ON DATABASE to it, and repeat the command.',
        { cause },
      );
    }
    throw cause;
  }
}

const markOf = (tables: string): string => `Pulsekeep, schema ${tables}, views `;

function digestOf(views: readonly View[]): string {
  const text = views.map((view) => `${nameOf(view)}\n${selectOf(view, 'postgres')}\n${view.about}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
