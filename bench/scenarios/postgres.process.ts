import { openStore, openWriter, type Store } from '../../src/database/store.js';
import type { Tx } from '../../src/database/tx.js';
import { entities } from '../../src/entities.js';
import { HealthDataRepository } from '../../src/health-data/health-data.repository.js';
import { HealthDataService } from '../../src/health-data/health-data.service.js';
import { SampleEntity } from '../../src/health-data/record.entity.js';
import { SeriesIndex } from '../../src/health-data/series-index.repository.js';
import { SystemClock } from '../../src/platform/clock.js';
import { NetworkGate } from '../../src/platform/network-gate.js';
import { serve } from '../process/serve.js';
import { type Load, type Look, looksOf } from './looks.js';
import { configOf } from './postgres-database.js';

/* `apply` on PostgreSQL beside what most would write: the same rows into the same table, the same commits. */

export const sides = ['ours', 'upsert', 'row by row'] as const;
export type Side = (typeof sides)[number];

let store: Store | null = null;
const service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new SystemClock());
const series = new Map<string, number>();
let at = Date.UTC(2026, 0, 1);

const rowsPerUpsert = 1_000;
const key = ['series_id', 'time', 'sibling'];
const guarded = `INSERT INTO samples (series_id, time, sibling, value, group_id)
  VALUES (?, ?, 0, ?, ?) ON CONFLICT (series_id, time, sibling) DO UPDATE SET value = excluded.value,
  group_id = excluded.group_id WHERE samples.group_id <= excluded.group_id`;

type Write = (tx: Tx, look: Look) => Promise<void>;

const writes: Readonly<Record<Side, Write>> = {
  async ours(tx, look) {
    await service.apply(tx, look);
  },

  async upsert(tx, look) {
    const rows = await rowsOf(tx, look, 'upsert');
    const samples = tx.orm.getRepository(SampleEntity);
    for (let from = 0; from < rows.length; from += rowsPerUpsert) {
      await samples.upsert(rows.slice(from, from + rowsPerUpsert), key);
    }
  },

  async 'row by row'(tx, look) {
    for (const { series_id, time, value, group_id } of await rowsOf(tx, look, 'row by row')) {
      await tx.execute(guarded, [series_id, time, value, group_id]);
    }
  },
};

async function rowsOf(tx: Tx, { account, records, provenance }: Look, side: Side): Promise<SampleEntity[]> {
  const name = `${account} ${side}`;
  const series_id = series.get(name) ?? (await made(tx, account, records.resource.name, side));
  series.set(name, series_id);
  const rest = { series_id, sibling: 0, text_value: null, duration_ms: null, group_id: provenance.at };
  return records.samples.flatMap(({ samples }) => {
    return samples.map(({ time, value }) => ({ ...rest, time, value }));
  });
}

async function made(tx: Tx, account: number, resource: string, side: Side): Promise<number> {
  const columns = 'account_id, resource, provider, source_type, sub_series, floating_time, created_at';
  const insert = `INSERT INTO series (${columns}) VALUES (?, ?, ?, 'x', '', 0, 0) RETURNING id`;
  const [row] = await tx.rows<{ id: number }>(insert, [account, resource, side]);
  return (row as { id: number }).id;
}

async function timed(side: Side, looks: readonly Look[], together: number): Promise<number> {
  const { lane } = store as Store;
  const begun = performance.now();
  for (let from = 0; from < looks.length; from += together) {
    await lane.run(async (tx) => {
      for (const look of looks.slice(from, from + together)) await writes[side](tx, look);
    });
  }
  return (performance.now() - begun) / 1000;
}

const commands = {
  async open({ url }: { url: string }): Promise<void> {
    const config = configOf(url);
    store = await openStore(await openWriter(config, entities), config, entities, new NetworkGate());
  },

  /** Samples a second: written first, and changed. */
  async write({ side, load }: { side: Side; load: Load }): Promise<{ first: number; changed: number }> {
    const rows = load.looks * load.size;
    const first = looksOf(load, 0, (at += 3_600_000));
    const changed = looksOf(load, 1, (at += 3_600_000));
    return {
      first: rows / (await timed(side, first, load.together)),
      changed: rows / (await timed(side, changed, load.together)),
    };
  },

  async close(): Promise<void> {
    await store?.close();
  },
};
export type PostgresCommands = typeof commands;

serve(commands);
