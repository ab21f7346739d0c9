import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { entities } from '../../src/app/rooms.js';
import type { ChangedDays } from '../../src/health/clock/changed-days.service.js';
import { HealthDataRepository } from '../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../src/health/records/health-data.service.js';
import { SampleEntity } from '../../src/health/records/record.entity.js';
import { SeriesIndex } from '../../src/health/records/series-index.repository.js';
import { SystemClock } from '../../src/platform/platform/clock.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { openStore, openWriter, type Store } from '../../src/storage/database/store.js';
import type { Tx } from '../../src/storage/database/tx.js';
import { prepareFull, type RawUpsert, sampleUpsert, type Value } from '../baselines/raw-statements.js';
import { type Load, type Look, looksOf } from '../load/looks.js';
import { configOf } from './seed.js';
import { serve } from './serve.js';

/*
 * `apply` compared with plain writes without its rules: the same rows into the same table with the same commits, with
 * series in memory and no lookups. `raw` uses native statements on a SQLite file, `upsert` the ORM.
 */

export type Side = 'ours' | 'raw' | 'upsert';

interface Opened {
  readonly database: string;
  readonly store: Store;
  /** Null on PostgreSQL. */
  readonly raw: { readonly db: BetterSqlite3.Database; readonly upsert: RawUpsert } | null;
}

let opened: Opened | null = null;
let at = Date.UTC(2026, 0, 1);
/** The samples of the load say their offsets, so that no person's clock is looked up. */
const days = { placed: (_tx, _series, change) => Promise.resolve(change) } satisfies Pick<
  ChangedDays,
  'placed'
> as unknown as ChangedDays;
const service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new SystemClock(), days);
const series = new Map<string, number>();
const rowsPerUpsert = 1_000;

function current(): Opened {
  if (!opened) throw new Error('Nothing is open.');
  return opened;
}

async function applyOurs(looks: readonly Look[]): Promise<void> {
  await current().store.lane.run((tx) => service.applyTogether(tx, looks));
}

async function upsert(looks: readonly Look[]): Promise<void> {
  await current().store.lane.run(async (tx) => {
    const samples = tx.orm.getRepository(SampleEntity);
    for (const { account, records, provenance } of looks) {
      const series_id = seriesOf(account, records.resource.name);
      const rest = { series_id, sibling: 0, text_value: null, duration_ms: null, group_id: provenance.ref };
      const rows = records.samples.flatMap((batch) =>
        batch.samples.map(({ time, value }) => ({ ...rest, time, value })),
      );
      for (let from = 0; from < rows.length; from += rowsPerUpsert) {
        await samples.upsert(rows.slice(from, from + rowsPerUpsert), ['series_id', 'time', 'sibling']);
      }
    }
  });
}

async function writeRaw(looks: readonly Look[]): Promise<void> {
  const { raw } = current();
  if (!raw) throw new Error('Raw statements need SQLite.');
  raw.db.exec('BEGIN IMMEDIATE');
  for (const { account, records, provenance } of looks) {
    const id = seriesOf(account, records.resource.name);
    const values: Value[] = [];
    for (const { time, value, text, durationMs } of records.samples.flatMap(({ samples }) => samples)) {
      values.push(id, time, 0, value, text, durationMs, provenance.ref);
    }
    raw.upsert.write(values);
  }
  raw.db.exec('COMMIT');
}

const writes = { ours: applyOurs, raw: writeRaw, upsert } as const;

function seriesOf(account: number, resource: string): number {
  const id = series.get(`${account} ${resource}`);
  if (id === undefined) throw new Error('The account has no series.');
  return id;
}

/** Separate series for the other sides, so that all can write into one table. */
async function makeSeries(tx: Tx, looks: readonly Look[]): Promise<void> {
  for (const { account, records } of looks) {
    const key = `${account} ${records.resource.name}`;
    if (series.has(key)) continue;
    const columns = 'account_id, resource, provider, source_type, sub_series, floating_time, created_at';
    const insert = `INSERT INTO series (${columns}) VALUES (?, ?, 'x', 'x', '', 0, 0) RETURNING id`;
    const [row] = await tx.rows<{ id: number }>(insert, [account, records.resource.name]);
    series.set(key, Number(row?.id));
  }
}

async function write(side: Side, looks: readonly Look[], together: number): Promise<number> {
  const begun = performance.now();
  for (let from = 0; from < looks.length; from += together) await writes[side](looks.slice(from, from + together));
  return (performance.now() - begun) / 1000;
}

const commands = {
  /** `database`: a migrated file with its accounts, or the URL of such a PostgreSQL database. */
  async open({ database }: { database: string }): Promise<void> {
    const config = configOf(database);
    const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
    if (config.kind === 'postgres') {
      opened = { database, store, raw: null };
      return;
    }
    const db = new SqliteDatabase(config.path);
    prepareFull(db);
    opened = { database, store, raw: { db, upsert: sampleUpsert(db) } };
  },

  /** Samples per second: new ones, the same ones again, then with other values. */
  async write({ side, load }: { side: Side; load: Load }): Promise<{ first: number; replay: number; changed: number }> {
    const first = looksOf(load, 0, (at += 3_600_000));
    const changed = looksOf(load, 1, (at += 3_600_000));
    if (side !== 'ours') await current().store.lane.run((tx) => makeSeries(tx, first));
    const rows = load.looks * load.size;
    return {
      first: rows / (await write(side, first, load.together)),
      replay: rows / (await write(side, first, load.together)),
      changed: rows / (await write(side, changed, load.together)),
    };
  },

  /** Applies the looks and returns the growth of the file in bytes. */
  async grow(load: Load): Promise<number> {
    const before = fileSize();
    await write('ours', looksOf(load, 0, (at += 3_600_000)), load.together);
    return fileSize() - before;
  },
};
export type ApplyCommands = typeof commands;

function fileSize(): number {
  const { database, raw } = current();
  raw?.db.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(database).size;
}

serve(commands);
