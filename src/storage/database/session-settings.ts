import type pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { limitsOfServer } from './limits.js';

/*
 * A server, database or role may have other defaults than PostgreSQL, and a pooler may drop the settings that a session
 * requests at its start. So each session requests the settings that matter and reads them back.
 */

/** Allowed values; the session requests the first one. */
const needed: Readonly<Record<string, readonly [string, ...string[]]>> = {
  /** A commit waits for the disks of the server and its standbys. */
  synchronous_commit: ['on', 'remote_apply'],
  /** A read that waited for a lock sees what the previous holder wrote. */
  default_transaction_isolation: ['read committed'],
  /** Numbers are returned as stored; with 0, the default of old versions, they are rounded to 15 digits. */
  extra_float_digits: ['1', '2', '3'],
  /** NULL in an array literal is a null, not a text. */
  array_nulls: ['on'],
};

/** Settings that only a superuser may request. */
const inherited: typeof needed = {
  /** With `replica`, foreign keys and the guard of the access log have no effect: erased people leave rows behind. */
  session_replication_role: ['origin', 'local'],
};

const checked = { ...needed, ...inherited };

/** Acknowledged writes could be lost, or values changed, because a setting of the session has another value. */
export class SessionUnfit extends Error {
  override readonly name = 'SessionUnfit';

  /** @param setting name and required value, as after SET: `synchronous_commit = on` */
  constructor(readonly setting: string) {
    super(`The session does not have ${setting}.`);
  }

  /** True if the session requested the setting. */
  get isRequested(): boolean {
    return !Object.keys(inherited).some((name) => this.setting.startsWith(name));
  }
}

/** Session settings as `-c` arguments of the startup parameter `options`. */
export const neededSettings: readonly string[] = Object.entries(needed).map(
  ([name, [value]]) => `${name}=${value.replaceAll(' ', '\\ ')}`,
);

const readBack = `SELECT current_schema() AS schema, ${Object.keys(checked)
  .map((name) => `current_setting('${name}') AS ${name}`)
  .join(', ')}`;

/** The schema of our tables; null until it is known. */
export interface Place {
  schema: string | null;
}

/**
 * For `pg.Pool`: passes a {@link SessionUnfit} to `done` if the new session lacks a needed setting, or would find
 * tables in another schema first.
 */
export function refuseUnfit(place: Place): (client: pg.ClientBase, done: (error?: Error) => void) => void {
  return (client, done) =>
    void client.query<Record<string, string | null>>(readBack).then(
      ({ rows: [found] }) => done(unfitness(found ?? {}, place)),
      (error: Error) => done(error),
    );
}

function unfitness(found: Readonly<Record<string, string | null>>, { schema }: Place): SessionUnfit | undefined {
  const unfit = Object.entries(checked).find(([name, values]) => !values.includes(found[name] ?? ''));
  if (unfit) {
    const [name, [value]] = unfit;
    return new SessionUnfit(`${name} = ${value.includes(' ') ? `'${value}'` : value}`);
  }
  return schema === null || found['schema'] === schema ? undefined : new SessionUnfit(`search_path = ${schema}`);
}

/**
 * Names of the time limits that the sessions lack. Settings of the role or database replace those that a pooler drops.
 */
export async function missingLimits(source: DataSource, runner?: QueryRunner): Promise<string[]> {
  if (source.options.type !== 'postgres') return [];
  const found = await source.query<{ name: string; setting: string }[]>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.keys(limitsOfServer)],
    runner,
  );
  return found.filter(({ setting }) => setting === '0').map(({ name }) => name);
}
