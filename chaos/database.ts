import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { SqliteDatabase } from '../src/storage/database/sqlite-driver.js';
import { TcpProxy } from '../test/support/tcp-proxy.js';

/** Position of a pull, and the stored samples in its window. */
export interface PullPlace {
  readonly account: string;
  readonly resource: string;
  readonly cursor: string;
  readonly windowStart: number;
  /** Times of stored samples in the window. */
  readonly times: readonly number[];
}

/** The run's own database, read and disturbed from outside the processes. */
export interface Disturbed {
  /** The database URL of process number `index`. */
  urlFor(index: number): string;
  /** Reads all running pulls in one snapshot; processes may be dead or frozen. */
  pullPlaces(): Promise<PullPlace[]>;
  /** Blocks all other writers for this long. */
  lock(ms: number): Promise<void>;
  /** Faults that end some or all connections; names are for the report. */
  readonly faults: readonly { readonly name: string; readonly strike: (pick: number) => Promise<void> }[];
  /** Ends all faults. */
  mend(): void;
  drop(): Promise<void>;
}

const placesSql = `SELECT t.id, a.account_id AS account, t.account_id AS number, t.resource, t.next_cursor AS cursor,
    t.window_start AS start, t.window_end AS end_at
  FROM sync_tasks t JOIN accounts a ON a.id = t.account_id
  WHERE t.next_cursor IS NOT NULL AND t.due_at IS NOT NULL`;

interface PlaceRow {
  account: string;
  number: number;
  resource: string;
  cursor: string;
  start: number;
  end_at: number;
}

const timesSql = (mark: (position: number) => string): string => `SELECT DISTINCT s.time AS time
  FROM samples s JOIN series x ON x.id = s.series_id
  WHERE x.account_id = ${mark(1)} AND x.resource = ${mark(2)} AND s.time >= ${mark(3)} AND s.time <= ${mark(4)}`;

function placeOf(row: PlaceRow, times: readonly number[]): PullPlace {
  const { account, resource, cursor, start } = row;
  return { account, resource, cursor, windowStart: start, times };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function sqliteIn(folder: string): Disturbed {
  const path = join(folder, 'pulsekeep.sqlite');
  return {
    urlFor: () => `sqlite:${path}`,
    pullPlaces: async () => {
      const database = new SqliteDatabase(path, { readonly: true, timeout: 1000 });
      try {
        return database.transaction(() =>
          (database.prepare(placesSql).all() as PlaceRow[]).map((row) => {
            const found = database.prepare(timesSql(() => '?')).all(row.number, row.resource, row.start, row.end_at);
            return placeOf(
              row,
              (found as { time: number }[]).map(({ time }) => time),
            );
          }),
        )();
      } finally {
        database.close();
      }
    },
    lock: async (ms) => {
      const database = new SqliteDatabase(path, { timeout: 50 });
      try {
        database.exec('BEGIN IMMEDIATE');
        await pause(ms);
        database.exec('ROLLBACK');
      } catch {
        // Another connection was writing, so there is no lock and no fault.
      } finally {
        database.close();
      }
    },
    faults: [],
    mend: () => undefined,
    drop: async () => undefined,
  };
}

/** Each process reaches the server in its own way, so that one can lose it while the others continue. */
export async function postgresOn(server: string, processes: number): Promise<Disturbed> {
  const name = `pulsekeep_chaos_${randomBytes(6).toString('hex')}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const direct = new URL(server);
  direct.pathname = `/${name}`;
  const port = Number(direct.port || 5432);
  const proxies = await Promise.all(Array.from({ length: processes }, () => TcpProxy.to(direct.hostname, port)));
  const on = <T>(use: (client: pg.Client) => Promise<T>): Promise<T> => onServer(direct.toString(), use);
  const proxyOf = (pick: number): TcpProxy => proxies[pick % proxies.length] as TcpProxy;
  return {
    urlFor: (index) => {
      const url = new URL(direct);
      url.hostname = '127.0.0.1';
      url.port = String(proxyOf(index).port);
      return url.toString();
    },
    pullPlaces: () =>
      on(async (client) => {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const { rows } = await client.query<PlaceRow>(placesSql);
        const places: PullPlace[] = [];
        for (const row of rows) {
          const given = [row.number, row.resource, row.start, row.end_at];
          const found = await client.query<{ time: string }>(
            timesSql((position) => `$${position}`),
            given,
          );
          places.push(
            placeOf(
              { ...row, start: Number(row.start) },
              found.rows.map(({ time }) => Number(time)),
            ),
          );
        }
        return places;
      }),
    lock: (ms) =>
      on(async (client) => {
        await client.query('BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
        await pause(ms);
        await client.query('ROLLBACK');
      }),
    faults: [
      {
        name: 'database.terminate',
        strike: (pick) => on((client) => client.query(terminateSql, [name, pick % 3 === 0 ? 100 : 1])).then(() => {}),
      },
      { name: 'database.reset', strike: async (pick) => proxyOf(pick).reset() },
      { name: 'database.refuse', strike: async (pick) => proxyOf(pick).cut() },
      { name: 'database.half_open', strike: async (pick) => proxyOf(pick).silence() },
      { name: 'database.answers_lost', strike: async (pick) => proxyOf(pick).silence('to_client') },
      { name: 'database.connections_lost', strike: async (pick) => proxyOf(pick).loseOpen() },
      { name: 'database.slow', strike: async (pick) => proxyOf(pick).slow(20) },
    ],
    mend: () => {
      for (const proxy of proxies) proxy.mend();
    },
    drop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await onServer(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

const terminateSql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = $1 AND pid <> pg_backend_pid() AND pid IN (
    SELECT pid FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() ORDER BY random() LIMIT $2)`;

async function onServer<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
