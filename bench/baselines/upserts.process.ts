import type BetterSqlite3 from 'better-sqlite3';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { eventResource, timeOf, unit, userId, valueOf } from '../load/points.js';
import { serve } from '../process/serve.js';
import { prepareFull, type RawUpsert, textKeyTable, textKeyUpsert, type Value } from './raw-statements.js';

/* The raw limit of storing pages: multi-row upserts of prepared values, 1,000 rows per commit. */

const rowsPerCommit = 1_000;

interface Work {
  /** Number of the first account; new accounts make all writes inserts. */
  readonly firstAccount: number;
  readonly accounts: number;
  /** Points of each account. */
  readonly points: number;
}

let table: { readonly db: BetterSqlite3.Database; readonly upsert: RawUpsert } | null = null;

function batchesOf({ firstAccount, accounts, points }: Work): Value[][] {
  const batches: Value[][] = [];
  for (let account = firstAccount; account < firstAccount + accounts; account++) {
    for (let from = 0; from < points; from += rowsPerCommit) {
      const rows = Array.from({ length: Math.min(rowsPerCommit, points - from) }, (_, offset): Value[] => {
        const index = from + offset;
        return [userId(account), eventResource, timeOf(index), valueOf(index), unit];
      });
      batches.push(rows.flat());
    }
  }
  return batches;
}

const commands = {
  async open({ path }: { path: string }): Promise<void> {
    const db = new SqliteDatabase(path);
    prepareFull(db);
    db.exec(textKeyTable);
    table = { db, upsert: textKeyUpsert(db) };
  },

  /** Returns seconds. */
  async write(work: Work): Promise<number> {
    if (!table) throw new Error('Nothing is open.');
    const { db, upsert } = table;
    const batches = batchesOf(work);
    const commit = db.transaction((values: Value[]) => upsert.write(values));
    const begun = performance.now();
    for (const batch of batches) commit(batch);
    return (performance.now() - begun) / 1000;
  },
};
export type UpsertCommands = typeof commands;

serve(commands);
