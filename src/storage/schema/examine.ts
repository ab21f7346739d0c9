import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/list.js';
import type { DatabaseConfig } from '../../platform/config/config.js';
import { openPostgres } from '../database/postgres.js';
import { openSqliteReader } from '../database/sqlite.js';
import { compareSchema, type SchemaComparison } from './compare-schema.js';
import type { DatabaseCopyEntity } from './database-copy.entity.js';
import { closedBecause, selectCopyMark } from './database-copy.js';
import type { DatabaseIdentity } from './database-identity.js';
import { unfitMigrations } from './migrate.js';
import { opening } from './opening.js';

/** Reads a database's description of itself without changing it. */
export interface Examined extends SchemaComparison {
  /** Null before its first start. */
  readonly identity: DatabaseIdentity | null;
  /** Name of the database in the journal of erasures; null if it has none. */
  readonly journal: string | null;
  /** Why no service may start on it, after or during a copy; null if one may. */
  readonly closed: string | null;
  /** Migrations that the next start runs. */
  readonly pending: readonly string[];
  /** Why the migrations that ran are not those of this program; null if they are. */
  readonly fault: string | null;
}

/**
 * Looks at a database that may be served meanwhile, and compares its schema with the entities once no migration is
 * pending. Throws DatabaseUnusable.
 */
export async function examine(config: DatabaseConfig, entities: readonly (new () => object)[] = []): Promise<Examined> {
  return opening(config, async () => {
    const source = await (config.kind === 'sqlite'
      ? openSqliteReader(config, [...entities])
      : openPostgres({ url: config.url.reveal(), entities: [...entities], poolSize: 1, readOnly: true }));
    try {
      const described = await describe(source);
      const { pending, fault } = described;
      const isCurrent = entities.length > 0 && pending.length === 0 && fault === null;
      return { ...described, ...(isCurrent ? await compareSchema(source) : { differences: [], foreign: [] }) };
    } finally {
      await source.destroy();
    }
  });
}

const neverStarted = { identity: null, journal: null, closed: null, fault: null };

async function describe(source: DataSource): Promise<Omit<Examined, keyof SchemaComparison>> {
  const runner = source.createQueryRunner();
  // By the runner too, which holds the one connection.
  const read = <T>(sql: string): Promise<T[]> => source.query(sql, [], runner);
  try {
    const known = migrations.map(({ name }) => name);
    if (!(await runner.hasTable('migrations'))) return { ...neverStarted, pending: known };
    const ran = (await read<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name);
    const [identity = null] = (await runner.hasTable('database_identity'))
      ? await read<DatabaseIdentity & { journal: string | null }>(
          'SELECT region, environment, journal FROM database_identity WHERE id = 1',
        )
      : [];
    const [mark = null] = (await runner.hasTable('database_copies'))
      ? await read<DatabaseCopyEntity>(selectCopyMark)
      : [];
    const pending = known.filter((name) => !ran.includes(name));
    return {
      identity,
      journal: identity?.journal ?? null,
      closed: closedBecause(mark),
      pending,
      fault: unfitMigrations(ran, known),
    };
  } finally {
    await runner.release();
  }
}
