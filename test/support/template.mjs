import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/*
 * Migrating takes longer than most tests. One database is migrated per run, and each test gets a copy of it: a file
 * or a PostgreSQL database.
 */

const url = process.env.TEST_DATABASE_URL;

async function adminQuery(sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function majorVersion() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::int / 10000 AS major`);
  await client.end();
  return rows[0].major;
}

async function migrated(config, built) {
  const load = (path) => import(pathToFileURL(join(built, path)).href);
  const [{ migrate }, { openWriter }, { entities }] = await Promise.all(
    ['src/storage/schema/migrate.js', 'src/storage/database/store.js', 'src/app/rooms.js'].map(load),
  );
  const writer = await openWriter(config, entities);
  await migrate(writer, config, 0);
  if (config.kind === 'sqlite') await writer.query('PRAGMA wal_checkpoint(TRUNCATE)');
  await writer.destroy();
}

/** Creates the template of this run and puts its name into the tests' environment. */
export async function makeTemplate(built) {
  await import('reflect-metadata');
  if (!url) {
    const path = join(built, 'template.sqlite');
    await migrated({ kind: 'sqlite', path }, built);
    process.env.PULSEKEEP_TEST_TEMPLATE = path;
    return;
  }
  const name = `pulsekeep_template_${process.pid}`;
  await adminQuery(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await adminQuery(`CREATE DATABASE ${name} TEMPLATE template0`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const { Secret } = await import(pathToFileURL(join(built, 'src/platform/config/secret.js')).href);
  await migrated({ kind: 'postgres', url: new Secret(own.toString()) }, built);
  process.env.PULSEKEEP_TEST_TEMPLATE = name;
  process.env.PULSEKEEP_TEST_POSTGRES_MAJOR = await majorVersion();
}

/** Drops the template and the databases that the tests used. */
export async function removeTemplate() {
  if (!url) return;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const left = `SELECT datname FROM pg_database WHERE datname = $1 OR starts_with(datname, $2)`;
  const own = `pulsekeep_test_${basename(process.env.PULSEKEEP_TEST_BUILD)}_`;
  const { rows } = await client.query(left, [process.env.PULSEKEEP_TEST_TEMPLATE, own]);
  for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  await client.end();
}
