import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { openPostgres } from '../database/postgres.js';
import { notVacuumed } from '../database/scrubber.js';
import { openSqliteReader } from '../database/sqlite.js';
import { compareSchema, type SchemaComparison } from './compare-schema.js';
import { type Described, describe, ourTables } from './described.js';
import { opening } from './opening.js';
import { type CollationChange, collationChange, type Read, weaknesses } from './postgres-facts.js';

export interface Examined extends Described, SchemaComparison {
  /** Number of tables that its role may not vacuum, which an erasure requires. */
  readonly notVacuumed: number;
  readonly collation: CollationChange | null;
  /** What makes data less safe than it seems. */
  readonly weaknesses: readonly string[];
}

/**
 * Examines a database without changing it, even while it is served. Compares its schema with the entities if no
 * migration is pending. Given the path of the erasure journal, an empty database beside it is a fault. `isOpenHere`:
 * see `opening`. Throws DatabaseUnusable.
 */
export async function examine(
  config: DatabaseConfig,
  entities: readonly (new () => object)[] = [],
  { journalPath, isOpenHere }: { readonly journalPath?: string | undefined; readonly isOpenHere?: boolean } = {},
): Promise<Examined> {
  const look = async (): Promise<Examined> => {
    const source = await (config.kind === 'sqlite'
      ? openSqliteReader(config, [...entities])
      : openPostgres({ url: config.url.reveal(), entities: [...entities], poolSize: 1, readOnly: true }));
    try {
      const described = await describe(source, { journalPath });
      const { pending, fault } = described;
      const isCurrent = entities.length > 0 && pending.length === 0 && fault === null;
      const compared = isCurrent ? await compareSchema(source) : { differences: [], foreign: [] };
      const isPostgres = config.kind === 'postgres';
      const tables = ourTables(source);
      const refused = isPostgres ? await source.query<unknown[]>(notVacuumed, [tables]) : [];
      const read: Read = (sql, values = []) => source.query(sql, [...values]);
      const collation = isPostgres ? await collationChange(read, tables) : null;
      const weak = isPostgres ? await weaknesses(read, tables) : [];
      return { ...described, ...compared, notVacuumed: refused.length, collation, weaknesses: weak };
    } finally {
      await source.destroy();
    }
  };
  return opening(config, look, isOpenHere);
}
