import { entities } from '../../src/app/rooms.js';
import { type DatabaseConfig, PostgresConfig, SqliteConfig } from '../../src/platform/config/database-config.js';
import { Secret } from '../../src/platform/config/secret.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import type { WriteLane } from '../../src/storage/database/write-lane.js';
import { migrate } from '../../src/storage/schema/migrate.js';
import { eventResource, source, userId } from '../load/points.js';

const never = Date.UTC(2100, 0, 1);

/** `database`: a file, or a PostgreSQL URL. */
export function configOf(database: string): DatabaseConfig {
  return database.startsWith('postgres')
    ? new PostgresConfig({ kind: 'postgres', url: new Secret(database) })
    : new SqliteConfig({ kind: 'sqlite', path: database });
}

/** Creates the schema in an empty database, with accounts 1 to `accounts`. */
export async function migrated(config: DatabaseConfig, accounts: number): Promise<void> {
  const writer = await openWriter(config, entities);
  await migrate(writer, config, 0);
  const store = await openStore(writer, config, new NetworkGate());
  await seedAccounts(store.lane, accounts);
  await store.close();
}

/**
 * Active accounts, each mapped to the upstream user with the preceding number, and with a known source that is not due
 * for a pull, so that nothing else runs.
 */
async function seedAccounts(lane: WriteLane, count: number): Promise<void> {
  await lane.run(async (tx) => {
    for (let number = 0; number < count; number++) {
      await tx.execute(
        `INSERT INTO accounts (id, account_id, upstream_user_id, status, created_at, updated_at, linked_at)
         VALUES (?, ?, ?, 'active', 0, 0, 0)`,
        [number + 1, `bench-${number}`, userId(number)],
      );
      await tx.execute(
        `INSERT INTO pull_streams (account_id, provider, resource, status, next_due_at, created_at)
         VALUES (?, ?, ?, 'active', ?, 0)`,
        [number + 1, source.provider, eventResource, never],
      );
    }
  });
}
