import { migrations } from '../../../migrations/list.js';
import type { DatabaseConfig } from '../../platform/config/config.js';
import { openPostgres } from '../database/postgres.js';
import { openSqliteReader } from '../database/sqlite.js';
import type { DatabaseIdentity } from './database-identity.js';
import { opening } from './opening.js';

/** Reads a database's description of itself without changing it. */
export interface Examined {
  /** Null before its first start. */
  readonly identity: DatabaseIdentity | null;
  /** Name of the database in the journal of erasures; null if it has none. */
  readonly journal: string | null;
  /** Migrations that the next start runs. */
  readonly pending: readonly string[];
  /** Migrations of a newer program. */
  readonly unknown: readonly string[];
}

/** Looks at a database that may be served meanwhile. Throws DatabaseUnusable. */
export async function examine(config: DatabaseConfig): Promise<Examined> {
  return opening(config, async () => {
    const source = await (config.kind === 'sqlite'
      ? openSqliteReader(config, [])
      : openPostgres({ url: config.url.reveal(), entities: [], poolSize: 1, readOnly: true }));
    const runner = source.createQueryRunner();
    // By the runner too, which holds the one connection.
    const read = <T>(sql: string): Promise<T[]> => source.query(sql, [], runner);
    try {
      const known = migrations.map(({ name }) => name);
      if (!(await runner.hasTable('migrations'))) return { identity: null, journal: null, pending: known, unknown: [] };
      const ran = (await read<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name);
      const [identity = null] = (await runner.hasTable('database_identity'))
        ? await read<DatabaseIdentity & { journal: string | null }>(
            'SELECT region, environment, journal FROM database_identity WHERE id = 1',
          )
        : [];
      const [pending, unknown] = [
        known.filter((name) => !ran.includes(name)),
        ran.filter((name) => !known.includes(name)),
      ];
      return { identity, journal: identity?.journal ?? null, pending, unknown };
    } finally {
      await runner.release();
      await source.destroy();
    }
  });
}
