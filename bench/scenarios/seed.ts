import { type DatabaseConfig, SqliteConfig } from '../../src/config/config.js';
import type { Secret } from '../../src/config/secret.js';
import { openStore, openWriter, type Store } from '../../src/database/store.js';
import type { WriteLane } from '../../src/database/write-lane.js';
import { entities } from '../../src/entities.js';
import { NetworkGate } from '../../src/platform/network-gate.js';
import { migrate } from '../../src/schema/migrate.js';
import { eventResource, source, userId } from '../load/points.js';

const never = Date.UTC(2100, 0, 1);

/** A new store in a file with accounts 1 to `accounts`; whoever asked closes it. With a key the file is encrypted. */
export function migratedFile(path: string, accounts: number, key?: Secret): Promise<Store> {
  return migrated(new SqliteConfig({ kind: 'sqlite', path, ...(key && { key }) }), accounts);
}

/** The same in an empty database. */
export async function migrated(config: DatabaseConfig, accounts: number): Promise<Store> {
  const writer = await openWriter(config, entities);
  await migrate(writer, config, 0);
  const store = await openStore(writer, config, entities, new NetworkGate());
  await seedAccounts(store.lane, accounts);
  return store;
}

/**
 * Active accounts, each mapped to the upstream user of its number less one, their source known and not due for a pull,
 * so that nothing runs but what is measured.
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
