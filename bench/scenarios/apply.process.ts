import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { Records } from '../../src/catalogue/records.js';
import { SqliteDatabase } from '../../src/database/sqlite-driver.js';
import type { Store } from '../../src/database/store.js';
import { HealthDataRepository } from '../../src/health-data/health-data.repository.js';
import { HealthDataService } from '../../src/health-data/health-data.service.js';
import { SeriesIndex } from '../../src/health-data/series-index.repository.js';
import { SystemClock } from '../../src/platform/clock.js';
import { prepareFull, type RawUpsert, sampleUpsert, type Value } from '../baselines/raw-statements.js';
import { serve } from '../process/serve.js';
import { type Load, type Look, looksOf } from './looks.js';
import { migratedFile } from './seed.js';

/* `apply` beside raw statements: two files of the same schema, the same records, one process. */

interface Sides {
  readonly folder: string;
  readonly store: Store;
  readonly service: HealthDataService;
  readonly raw: BetterSqlite3.Database;
  readonly upsert: RawUpsert;
  readonly rawSeries: Map<string, number>;
}

let sides: Sides | null = null;
let at = Date.UTC(2026, 0, 1);

function opened(): Sides {
  if (!sides) throw new Error('Nothing is open.');
  return sides;
}

async function open(accounts: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
  await (await migratedFile(join(folder, 'raw.sqlite'), accounts)).close();
  const store = await migratedFile(join(folder, 'ours.sqlite'), accounts);
  const raw = new SqliteDatabase(join(folder, 'raw.sqlite'));
  prepareFull(raw);
  sides = {
    folder,
    store,
    service: new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new SystemClock()),
    raw,
    upsert: sampleUpsert(raw),
    rawSeries: new Map(),
  };
}

/** Pages come one by one, messages as a worker's round has them. */
async function applyOurs(looks: readonly Look[], together: number): Promise<void> {
  const { store, service } = opened();
  for (let from = 0; from < looks.length; from += together) {
    await store.lane.run((tx) => service.applyTogether(tx, looks.slice(from, from + together)));
  }
}

/** The same rows with the same commits, its dictionary in memory and nothing looked up. */
function applyRaw(looks: readonly Look[], together: number): void {
  const { raw, upsert } = opened();
  const begin = raw.prepare('BEGIN IMMEDIATE');
  const commit = raw.prepare('COMMIT');
  for (let from = 0; from < looks.length; from += together) {
    begin.run();
    for (const look of looks.slice(from, from + together)) writeRaw(upsert, look);
    commit.run();
  }
}

function writeRaw(upsert: RawUpsert, { account, records, provenance }: Look): void {
  for (const batch of records.samples) {
    const series = rawSeriesId(account, records);
    const values: Value[] = [];
    for (const { time, value, text, durationMs } of batch.samples) {
      values.push(series, time, 0, value, text, durationMs, provenance.ref);
    }
    upsert.write(values);
  }
}

function rawSeriesId(account: number, records: Records): number {
  const { raw, rawSeries } = opened();
  const name = `${account} ${records.resource.name}`;
  const known = rawSeries.get(name);
  if (known !== undefined) return known;
  const columns = 'account_id, resource, provider, source_type, sub_series';
  const made = raw
    .prepare(`INSERT INTO series (${columns}, floating_time, created_at) VALUES (?, ?, 'x', 'x', '', 0, 0)`)
    .run(account, records.resource.name);
  rawSeries.set(name, Number(made.lastInsertRowid));
  return Number(made.lastInsertRowid);
}

async function timed(work: () => Promise<void> | void): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function measure(load: Load, write: (looks: readonly Look[]) => Promise<void> | void): Promise<ApplyRates> {
  const first = looksOf(load, 0, (at += 3_600_000));
  const changed = looksOf(load, 1, (at += 3_600_000));
  const rows = load.looks * load.size;
  return {
    first: rows / (await timed(() => write(first))),
    replay: rows / (await timed(() => write(first))),
    changed: rows / (await timed(() => write(changed))),
  };
}

/** Samples a second. */
export type ApplyRates = { first: number; replay: number; changed: number };

const commands = {
  async open({ accounts }: { accounts: number }): Promise<void> {
    await open(accounts);
  },

  ours(load: Load): Promise<ApplyRates> {
    return measure(load, (looks) => applyOurs(looks, load.together));
  },

  raw(load: Load): Promise<ApplyRates> {
    return measure(load, (looks) => applyRaw(looks, load.together));
  },

  /** Applies and answers the file's size after a checkpoint, with the bytes it had before. */
  async grow(load: Load): Promise<{ before: number; after: number }> {
    const before = fileSize();
    await applyOurs(looksOf(load, 0, (at += 3_600_000)), load.together);
    return { before, after: fileSize() };
  },

  /** Pages in the log after what is stored was applied again. */
  async replayPages(load: Load): Promise<number> {
    const looks = looksOf(load, 0, (at += 3_600_000));
    await applyOurs(looks, load.together);
    fileSize();
    await applyOurs(looks, load.together);
    const bytesOfPage = 4_096 + 24;
    return Math.ceil(statSync(join(opened().folder, 'ours.sqlite-wal')).size / bytesOfPage);
  },

  async close(): Promise<void> {
    const { folder, store, raw } = opened();
    await store.close();
    raw.close();
    rmSync(folder, { recursive: true, force: true });
    sides = null;
  },
};
export type ApplyCommands = typeof commands;

function fileSize(): number {
  const path = join(opened().folder, 'ours.sqlite');
  const db = new SqliteDatabase(path);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(path).size;
}

serve(commands);
