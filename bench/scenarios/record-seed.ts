import type BetterSqlite3 from 'better-sqlite3';
import { sqliteBulkText } from '../../src/database/bulk.js';
import { SqliteDatabase } from '../../src/database/sqlite-driver.js';
import { eventResource, source, timeOf, valueOf } from '../load/points.js';

/** 20 million samples: one long series, many short ones of one account, the rest spread over all accounts. */
export const amounts = { accounts: 2_000, inOne: 1_400_000, series: 3_000, inEach: 500, others: 17_100_000 };
const nights = 2_000;
const messages = 100_000;
const perStatement = 100;
const perTransaction = 100_000;
const minute = 60_000;

const samples = {
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
} as const;

/** Writes records straight into the tables of a migrated file; answers how many samples. */
export function seedRecords(path: string, scale: number): number {
  const db = new SqliteDatabase(path);
  const scaled = (count: number): number =>
    Math.max(perStatement, Math.round((count * scale) / perStatement) * perStatement);
  db.exec(`INSERT INTO observations (id, kind, ref, page) VALUES (1, 'sync', 1, 0);
    INSERT INTO sample_attributes (id, content) VALUES (1, '{"timezone_offset":3600,"unit":"bpm"}');
    INSERT INTO sample_groups (id, observation_id, attributes_id) VALUES (1, 1, 1)`);
  const insertSeries = db.prepare(`INSERT INTO series (account_id, resource, provider, source_type, sub_series,
    floating_time, created_at) VALUES (?, ?, ?, ?, ?, 0, 0)`);
  const insert = db.prepare(sqliteBulkText(samples, perStatement));
  let written = 0;
  const fill = (account: number, type: string, first: number, count: number): void => {
    const { lastInsertRowid: id } = insertSeries.run(account, eventResource, source.provider, source.type, type);
    for (let from = 0; from < count; from += perStatement) {
      if (written % perTransaction === 0) db.exec(written === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
      const values: number[] = [];
      for (let index = from; index < from + perStatement; index++) {
        values.push(Number(id), timeOf(first + index), 0, valueOf(index), 1);
      }
      insert.run(values);
      written += perStatement;
    }
  };
  fill(1, '', 0, scaled(amounts.inOne));
  // One after another, a day apart, as workouts are.
  const series = Math.round(amounts.series * Math.min(1, scale * 10));
  for (let index = 0; index < series; index++) fill(2, `type-${index}`, index * 300, amounts.inEach);
  const each = scaled(amounts.others / (amounts.accounts - 2));
  for (let account = 3; account <= amounts.accounts; account++) fill(account, '', 0, each);
  db.exec('COMMIT');
  seedOthers(db, scale);
  db.close();
  return written;
}

/** Nights of the first account, and messages of some. */
function seedOthers(db: BetterSqlite3.Database, scale: number): void {
  const summary = db.prepare(`INSERT INTO summaries (account_id, resource, summary_id, time, calendar_date, provider,
    source_type, floating_time, version, observation_id, raw) VALUES (1, 'sleep', ?, ?, ?, ?, ?, 0, 1, 1, ?)`);
  const raw = JSON.stringify({
    timezone_offset: 3600,
    stages: Array.from({ length: 120 }, (_, at) => ({ at, stage: 3 })),
  });
  const message =
    db.prepare(`INSERT INTO messages (message_id, received_at, sent_at, status, attempts, size, account_id,
    event_type, finished_at) VALUES (?, ?, ?, 'done', 1, 2000, ?, 'daily.data.heartrate.created', ?)`);
  db.transaction(() => {
    for (let night = 0; night < nights; night++) {
      const time = timeOf(night * 1_440);
      const day = new Date(time).toISOString().slice(0, 10);
      summary.run(`night-${String(night).padStart(5, '0')}`, time, day, source.provider, source.type, raw);
    }
    for (let index = 0; index < messages * scale; index++) {
      const at = timeOf(0) + index * minute;
      message.run(`message-${index}`, at, at, 1 + (index % 20), at);
    }
  })();
}
