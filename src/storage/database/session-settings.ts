import type pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { limitsOfServer } from './limits.js';

/*
 * A pooler may drop the settings that a session asks for at its start, so what counts is read back.
 */

/** An acknowledged write would not be on disk, because the session does not wait for that. */
export class SessionUnfit extends Error {
  override readonly name = 'SessionUnfit';
}

/** Values of `synchronous_commit` with which a commit waits for the disk of the server and of its standbys. */
const durable = new Set(['on', 'remote_apply']);

/** For `pg.Pool`: passes a {@link SessionUnfit} to `done` if the new session does not wait for the disk. */
export function refuseUnfit(client: pg.ClientBase, done: (error?: Error) => void): void {
  client.query<{ synchronous_commit: string }>('SHOW synchronous_commit').then(
    ({ rows }) => {
      const isDurable = durable.has(rows[0]?.synchronous_commit ?? '');
      done(isDurable ? undefined : new SessionUnfit('The session does not have synchronous_commit = on.'));
    },
    (error: Error) => done(error),
  );
}

/** Names of the time limits that sessions lack. Settings of the role or the database replace those a pooler drops. */
export async function missingLimits(source: DataSource, runner?: QueryRunner): Promise<string[]> {
  if (source.options.type !== 'postgres') return [];
  const found = await source.query<{ name: string; setting: string }[]>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.keys(limitsOfServer)],
    runner,
  );
  return found.filter(({ setting }) => setting === '0').map(({ name }) => name);
}
