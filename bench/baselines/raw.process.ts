import type BetterSqlite3 from 'better-sqlite3';
import { SqliteDatabase } from '../../src/database/sqlite-driver.js';
import { eventResource, timeOf, unit, userId, valueOf } from '../load/points.js';
import { serve } from '../process/serve.js';
import {
  prepareFull,
  type RawUpsert,
  sampleUpsert,
  textKeyTable,
  textKeyUpsert,
  type Value,
} from './raw-statements.js';

/* The raw limit of storing pages: multi-row upserts of values that lie ready, 1,000 rows a commit. */

const rowsPerCommit = 1_000;

interface Work {
  /** Number of the first account; accounts never written before make first writes. */
  readonly firstAccount: number;
  readonly accounts: number;
  /** Points of each account. */
  readonly points: number;
}

interface Table {
  readonly db: BetterSqlite3.Database;
  readonly upsert: RawUpsert;
  row(account: number, index: number): Value[];
}

let textKey: Table | null = null;
let samples: Table | null = null;

function open(path: string, schema: string): BetterSqlite3.Database {
  const db = new SqliteDatabase(path);
  prepareFull(db);
  if (schema) db.exec(schema);
  return db;
}

function seriesOf(db: BetterSqlite3.Database, count: number): void {
  const columns = 'id, account_id, resource, provider, source_type, sub_series';
  const insert = db.prepare(
    `INSERT INTO series (${columns}, floating_time, created_at) VALUES (?, ?, ?, 'x', 'x', '', 0, 0)`,
  );
  db.transaction(() => {
    for (let number = 1; number <= count; number++) insert.run(number, number, eventResource);
  })();
}

function write(table: Table, work: Work): number {
  const batches: Value[][] = [];
  for (let account = work.firstAccount; account < work.firstAccount + work.accounts; account++) {
    for (let from = 0; from < work.points; from += rowsPerCommit) {
      const rows = Math.min(rowsPerCommit, work.points - from);
      batches.push(Array.from({ length: rows }, (_, offset) => table.row(account, from + offset)).flat());
    }
  }
  const commit = table.db.transaction((values: Value[]) => table.upsert.write(values));
  const begun = performance.now();
  for (const batch of batches) commit(batch);
  return (performance.now() - begun) / 1000;
}

function opened(table: Table | null): Table {
  if (!table) throw new Error('Nothing is open.');
  return table;
}

const commands = {
  /** `samplesPath` has Pulsekeep's schema and its accounts. */
  async open(paths: { textKeyPath: string; samplesPath: string; accounts: number }): Promise<void> {
    const texts = open(paths.textKeyPath, textKeyTable);
    const row = (account: number, index: number): Value[] => [
      userId(account),
      eventResource,
      timeOf(index),
      valueOf(index),
      unit,
    ];
    textKey = { db: texts, upsert: textKeyUpsert(texts), row };
    const same = open(paths.samplesPath, '');
    seriesOf(same, paths.accounts);
    const group = 1_000;
    const sample = (account: number, index: number): Value[] => {
      return [account + 1, timeOf(index), 0, valueOf(index), null, null, group];
    };
    samples = { db: same, upsert: sampleUpsert(same), row: sample };
  },

  /** Seconds. */
  async textKey(work: Work): Promise<number> {
    return write(opened(textKey), work);
  },

  async samples(work: Work): Promise<number> {
    return write(opened(samples), work);
  },
};
export type RawCommands = typeof commands;

serve(commands);
