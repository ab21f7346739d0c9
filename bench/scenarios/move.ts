import { entities } from '../../src/app/rooms.js';
import type { DatabaseConfig } from '../../src/platform/config/database-config.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { copyDatabase } from '../../src/storage/backup/copy-database.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import type { BulkShape } from '../../src/storage/database/tx.js';
import { ensureIdentity } from '../../src/storage/schema/database-identity.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { PostgresDatabase } from '../process/postgres-database.js';
import { preparedDatabase, temporaryFolder } from '../process/pulsekeep.js';
import { configOf } from '../process/seed.js';
import { staged } from '../process/stage.js';

const accounts = 50;
const samples = 1_000_000;
const rowsAtOnce = 5_000;
const stamp = { region: 'us', environment: 'sandbox' };

const sampleShape: BulkShape = {
  table: 'samples',
  columns: [
    { name: 'series_id', type: 'int' },
    { name: 'time', type: 'int' },
    { name: 'sibling', type: 'int' },
    { name: 'value', type: 'real' },
    { name: 'group_id', type: 'int' },
  ],
  conflict: ['series_id', 'time', 'sibling'],
  update: [],
};

/** `pulsekeep database copy` of a million samples to the PostgreSQL of TEST_DATABASE_URL and back, compared. */
export function move({ scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const count = Math.round(samples * scale);
    const file = configOf(keep(await preparedDatabase(accounts)).path);
    step(`${count} samples in a file`);
    await fill(file, count);
    const server = configOf(keep(await PostgresDatabase.empty()).url);
    const back = configOf(keep(temporaryFolder()).path('back.sqlite'));
    step('to PostgreSQL');
    const there = await secondsOf(file, server);
    step('to SQLite');
    const again = await secondsOf(server, back);
    const note = `${count} samples, copied and compared`;
    return [
      figureOf({ name: 'move to PostgreSQL', unit: 's', values: [there], note }),
      figureOf({ name: 'move to SQLite', unit: 's', values: [again], note }),
    ];
  });
}

async function fill(config: DatabaseConfig, count: number): Promise<void> {
  const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
  await ensureIdentity(store.lane, store.reader, stamp, 0);
  const each = Math.ceil(count / accounts);
  for (let account = 1; account <= accounts; account++) {
    await store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO series (id, account_id, resource, provider, source_type, sub_series, floating_time, created_at)
         VALUES (?, ?, 'heartrate', 'oura', 'ring', '', 0, 0)`,
        [account, account],
      ),
    );
    for (let from = 0; from < each; from += rowsAtOnce) {
      const rows = Array.from({ length: Math.min(rowsAtOnce, each - from) }, (_, index) => {
        const number = from + index;
        return [
          account,
          Date.UTC(2026, 0, 1) + number * 60_000,
          0,
          50 + (number % 700) / 10,
          account * 1_000 + (number >> 8),
        ];
      });
      await store.lane.run((tx) => tx.bulk(sampleShape, rows.flat()));
    }
  }
  await store.close();
}

async function secondsOf(source: DatabaseConfig, target: DatabaseConfig): Promise<number> {
  const from = performance.now();
  const running = async (): Promise<number> => 0;
  const { signal } = new AbortController();
  await copyDatabase({ source, target, entities, stamp, now: 1, running, signal, onProgress: () => undefined });
  return (performance.now() - from) / 1_000;
}
