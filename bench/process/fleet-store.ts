import pg from 'pg';
import { entities } from '../../src/app/rooms.js';
import { firstObservationAt } from '../../src/health/records/observation-ids.js';

import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { DAY_MS } from '../../src/platform/platform/time.js';
import { openStore, openWriter, type Store } from '../../src/storage/database/store.js';
import type { Tx } from '../../src/storage/database/tx.js';
import { userId } from '../load/points.js';
import { configOf } from './seed.js';

/*
 * A fleet of accounts with a month of work behind them, written without Pulsekeep: rows of every table that lists read.
 */

const rowsATransaction = 20_000;

/** A table to fill; `columns` and `values` are lists of SQL, of the account `a` and its row `k`, from 0. */
interface Filled {
  readonly table: string;
  readonly rowsAnAccount: number;
  readonly columns: string;
  readonly values: string;
  /** The rows of each account are written together, the last one first, as in the table's key. */
  readonly isClustered?: true;
}

/** SQL for a text of 32 digits in the form of a UUID that is unique for each number. */
const uuid = (prefix: string, number: string): string =>
  `'${prefix}-0000-4000-8000-' || substr(CAST(1000000000000 + ${number} AS TEXT), 2)`;
const oneOf = (number: string, names: readonly string[]): string =>
  `CASE ${number} % ${names.length} ${names.map((name, index) => `WHEN ${index} THEN '${name}'`).join(' ')} END`;
const id = '(a + k * :accounts)';
/** A time in the last 30 days; rows with a higher number are newer. */
const at = `(:start + CAST(${id} * (2592000000.0 / (:accounts * :rows)) AS bigint))`;
/** A time in the last eight days: older changes are deleted while they are read. */
const lately = `(:start + 1900800000 + CAST(${id} * (691000000.0 / (:accounts * :rows)) AS bigint))`;
const resources = ['steps', 'heartrate', 'sleep', 'activity', 'workouts'];

/** One an hour, the newest a few hours ago. */
const hourly = `a, :start + ${30 * DAY_MS - 6 * 3_600_000} - k * CAST(3600000 AS bigint), 0, k % 120, 1`;
const hoursAYear = 365 * 24;

/** Accounts of the fleet to which the load may send messages. */
export const accountsOfLoad = 500;

const fleetOf = (samples: number): readonly Filled[] => [
  {
    table: 'accounts',
    rowsAnAccount: 1,
    columns: 'id, account_id, upstream_user_id, status, created_at, updated_at, linked_at, user_gone_at, log_ref',
    values: `a, 'bench-' || (a - 1), ${uuid('10000000', 'a')}, CASE WHEN a % 1000 = 7 THEN 'blocked' ELSE 'active' END,
      ${at}, ${at}, ${at}, CASE WHEN a % 200 = 3 THEN ${at} END, 'ref' || a`,
  },
  {
    table: 'connections',
    rowsAnAccount: 2,
    columns: 'account_id, provider, status, connected_at, observed_at',
    values: `a, ${oneOf('k', ['oura', 'fitbit'])},
      CASE WHEN a % 50 = 1 THEN 'error' WHEN a % 20 = 2 THEN 'disconnected' ELSE 'connected' END, ${at}, ${at}`,
  },
  {
    table: 'pull_streams',
    rowsAnAccount: 5,
    columns: 'account_id, provider, resource, status, next_due_at, promised_at, created_at',
    values: `a, 'oura', ${oneOf('k', resources)}, 'active', 4102444800000, 4102444800000, ${at}`,
  },
  {
    table: 'historical_pulls',
    rowsAnAccount: 3,
    columns: 'account_id, provider, resource, status, observed_at',
    values: `a, 'oura', ${oneOf('k', resources)},
      CASE WHEN a % 500 = 9 THEN 'failure' WHEN a % 500 = 10 THEN 'scheduled' ELSE 'success' END, ${at}`,
  },
  {
    table: 'sync_tasks',
    rowsAnAccount: 5,
    columns: `account_id, provider, resource, origin, priority, window_start, window_end, status, pages, records, written,
      rejected, turns, attempts, restarts, created_at, started_at, finished_at`,
    values: `a, 'oura', ${oneOf('k', resources)}, 'schedule', 10, ${at} - 86400000, ${at},
      CASE WHEN a % 1000 = 11 THEN 'failed' ELSE 'done' END, 1, 100, 90, 0, 1, 0, 0, ${at}, ${at}, ${at} + 200`,
  },
  {
    table: 'messages',
    rowsAnAccount: 10,
    columns: 'message_id, received_at, sent_at, status, event_type, account_id, attempts, reason, finished_at, size',
    values: `'msg_' || ${id}, ${at}, ${at}, CASE WHEN a % 1000 = 5 THEN 'dead' WHEN k = 9 THEN 'ignored' ELSE 'done' END,
      ${oneOf('k', ['daily.data.steps.created', 'daily.data.heartrate.created', 'daily.data.sleep.created'])}, a, 1,
      CASE WHEN a % 1000 = 5 THEN 'unexpected' WHEN k = 9 THEN 'unknown_event' END, ${at} + 50, 300`,
  },
  {
    table: 'access_log',
    rowsAnAccount: 10,
    columns: 'seq, at, actor, role, action, account_ref, resource, request_id, status, previous_hash, hash',
    values: `${id}, ${at}, ${oneOf('k', ['app', 'app', 'app', 'clinic'])}, CASE WHEN k % 4 = 3 THEN 'reader' END,
      'GET /v1/me/records/{resource}', a, CASE WHEN ${id} < 20 THEN 'glucose' ELSE ${oneOf('k', resources)} END,
      'bench', 200, '0', '0'`,
  },
  {
    table: 'changes',
    rowsAnAccount: 10,
    columns: `number, at, kind, action, origin, account_id, subject, resource, provider, start_time, end_time, count,
      first_day, last_day`,
    values: `${id}, ${lately}, 'samples', 'created', 'live', a, 'oura/ring', ${oneOf('k', resources)}, 'oura', ${at}, ${at}, 60,
      20000, 20000`,
  },
  {
    table: 'pushes',
    rowsAnAccount: 10,
    columns: 'subscription_id, number, change_id, kind, account_id, state, round, attempts, status, created_at',
    values: `'bench', ${id}, 'bench-' || ${id}, 'samples', a, 'delivered', 1, 1, 204, ${lately}`,
  },
  {
    table: 'series',
    rowsAnAccount: 1,
    columns: 'id, account_id, resource, provider, source_type, sub_series, floating_time, created_at',
    values: `a, a, 'steps', 'oura', 'ring', '', 0, ${at}`,
  },
  {
    table: 'samples',
    rowsAnAccount: samples,
    columns: 'series_id, time, sibling, value, group_id',
    values: hourly,
    isClustered: true,
  },
  {
    table: 'day_proofs',
    rowsAnAccount: 5,
    columns: `account_id, resource, provider, day, state, hash, objects, looked_at, proven_at, missing, extra, differing,
      fields, audit_id, looks`,
    values: `a, ${oneOf('k', resources)}, 'oura', '2026-01-01', CASE WHEN a % 1000 = 13 THEN 'different' ELSE 'proven' END,
      'h', 1, ${at}, CASE WHEN a % 1000 = 13 THEN CAST(NULL AS bigint) ELSE ${at} END, 0, 0, 0, '[]', 1, 1`,
  },
];

/** Three of ten messages still have their body. */
const bodies = `INSERT INTO message_bodies (seq, body) SELECT seq, CAST('{"event_type":"x","data":{}}' AS :bytes)
  FROM messages WHERE seq > :from AND seq <= :to AND seq % 10 < 3`;

/** Fills a migrated, empty database with accounts 1 to `accounts`, each with so many samples. */
export async function fillFleet(database: string, accounts: number, samples: number): Promise<void> {
  const config = configOf(database);
  const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
  const start = Date.now() - 30 * DAY_MS;
  await store.lane.run((tx) => writeGroup(tx, start));
  for (const filled of fleetOf(samples)) await fill(store, filled, accounts, start);
  await store.lane.run((tx) => receiveLoad(tx));
  await store.lane.run((tx) => tx.execute(filledIn(ofAYear, { account: middleOf(accounts) + 1, samples, start })));
  const [{ seq } = { seq: 0 }] = await store.reader.rows<{ seq: number }>('SELECT MAX(seq) AS seq FROM messages');
  for (let from = 0; from < seq; from += rowsATransaction * 5) {
    const sql = filledIn(bodies, {
      bytes: config.kind === 'postgres' ? 'bytea' : 'blob',
      from,
      to: from + rowsATransaction * 5,
    });
    await store.lane.run((tx) => tx.execute(sql));
  }
  const numbers = `INSERT INTO change_feed (id, feed, last_number, expired_number) VALUES (1, '', ${accounts * 10}, 0)
    ON CONFLICT (id) DO UPDATE SET last_number = excluded.last_number`;
  const ends = `UPDATE access_log_chain SET last_seq = ${accounts * 10}, last_hash = '0'`;
  await store.lane.run(async (tx) => void (await tx.execute(numbers), await tx.execute(ends)));
  await store.close();
  if (config.kind === 'postgres') await vacuumed(database);
}

/** Number of the account, from 0, that has samples of a year. */
export function middleOf(accounts: number): number {
  return Math.floor(accounts / 2);
}

const ofAYear = `INSERT INTO samples (series_id, time, sibling, value, group_id)
  WITH RECURSIVE n (a, k) AS (SELECT CAST(:account AS bigint), CAST(:samples AS bigint)
    UNION ALL SELECT a, k + 1 FROM n WHERE k < ${hoursAYear})
  SELECT ${hourly} FROM n WHERE k < ${hoursAYear}`;

/** Maps the first accounts to the users of the load. */
async function receiveLoad(tx: Tx): Promise<void> {
  const sql = `UPDATE accounts SET upstream_user_id = ?, status = 'active', user_gone_at = NULL WHERE id = ?`;
  for (let number = 0; number < accountsOfLoad; number++) await tx.execute(sql, [userId(number), number + 1]);
}

/** The group of all samples. */
async function writeGroup(tx: Tx, start: number): Promise<void> {
  const observation = firstObservationAt(start);
  const content = JSON.stringify({ timezone_offset: 0, unit: 'count' });
  await tx.execute(`INSERT INTO observations (id, kind, ref, page) VALUES (?, 'sync', 1, 0)`, [observation]);
  await tx.execute('INSERT INTO sample_attributes (id, content) VALUES (1, ?)', [content]);
  await tx.execute('INSERT INTO sample_groups (id, observation_id, attributes_id) VALUES (1, ?, 1)', [observation]);
}

const dueATransaction = 2_000;
const insertDue = `INSERT INTO sync_tasks (account_id, provider, resource, origin, priority, window_start, window_end,
    status, pages, records, written, rejected, turns, attempts, restarts, due_at, created_at)
  SELECT id, 'oura', 'steps', 'schedule', 10, 0, 86400000, 'pending', 0, 0, 0, 0, 0, 0, 0, created_at, created_at
  FROM accounts WHERE id > ? ORDER BY id LIMIT ${dueATransaction}`;

/** Work that waits for its turn: a pull of each account. */
export async function addDueRows(database: string, accounts: number): Promise<void> {
  const config = configOf(database);
  const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
  for (let from = 0; from < accounts; from += dueATransaction)
    await store.lane.run((tx) => tx.execute(insertDue, [from]));
  await store.close();
  if (config.kind === 'postgres') await vacuumed(database);
}

/** Autovacuum comes minutes after the rows. */
async function vacuumed(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}

async function fill(store: Store, filled: Filled, accounts: number, start: number): Promise<void> {
  const { table, columns, values, rowsAnAccount: rows, isClustered } = filled;
  const row = isClustered ? `1 + i / ${rows}, ${rows} - 1 - i % ${rows}` : `1 + i % ${accounts}, i / ${accounts}`;
  const count = accounts * rows;
  for (let from = 0; from < count; from += rowsATransaction) {
    const last = Math.min(count, from + rowsATransaction) - 1;
    const sql = `INSERT INTO ${table} (${columns}) WITH RECURSIVE
        numbers (i) AS (SELECT CAST(${from} AS bigint) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last}),
        n (a, k) AS (SELECT ${row} FROM numbers)
      SELECT ${filledIn(values, { accounts, rows, start })} FROM n`;
    await store.lane.run((tx) => tx.execute(sql));
  }
}

function filledIn(sql: string, names: Readonly<Record<string, string | number>>): string {
  return sql.replace(/:([a-z]+)\b/g, (whole, name: string) => String(names[name] ?? whole));
}
