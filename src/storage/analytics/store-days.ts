import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { PostgresConfig } from '../../platform/config/database-config.js';
import type { ChangeFeedEntity } from '../change-log/change.entity.js';
import { ChangeLogRepository } from '../change-log/change-log.repository.js';
import { type CursorFault, cursorOf, faultOf, positionOf } from '../change-log/cursor.js';
import { openPostgres, transactionWithoutLimits } from '../database/postgres.js';
import type { EntityClasses } from '../database/sqlite.js';
import type { ComputedDays } from '../declarations/views.js';
import { DifferingDays } from './differing-days.js';
import { GatheredDays } from './gathered-days.repository.js';
import { rowsOf } from './person-days.js';
import { ViewsRefused } from './postgres-views.js';
import { type Snapshot, withSnapshot } from './snapshot.js';
import { changesBetween } from './touched-days.js';

/*
 * Brings the rows of a computed table up to date in PostgreSQL, where a view shows them. All rows are computed from one
 * snapshot, and each person's are replaced in a transaction of their own; the last one notes the position of the
 * snapshot in the change feed. After an interrupted run, the next one computes from the old position again what may
 * differ. Two runs at once end at the earlier position, so the next run repairs what they mixed.
 */

export interface StoreDays {
  readonly config: PostgresConfig;
  readonly entities: EntityClasses;
  readonly daily: ComputedDays;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (people: number, of: number) => void;
}

export interface StoredReport {
  /** Why all rows were computed; null if only those that may differ. */
  readonly whole: 'first_run' | 'other_columns' | CursorFault | null;
  readonly people: number;
  readonly rows: number;
  readonly position: string;
}

/** Runs once. Throws {@link ViewsRefused}. */
export async function storeDays(given: StoreDays): Promise<StoredReport> {
  const folder = await mkdtemp(join(tmpdir(), 'pulsekeep-daily-'));
  const { url } = given.config;
  const target = await openPostgres({ url: url.reveal(), entities: given.entities, poolSize: 1, readOnly: false });
  const gathered = new GatheredDays(join(folder, 'days'));
  try {
    return await withSnapshot(given.config, given.entities, (snapshot) => run(given, { snapshot, target, gathered }));
  } catch (error) {
    if (given.signal.aborted) throw new ViewsRefused('Stopped; the next run goes on.', { cause: error });
    throw error;
  } finally {
    gathered.close();
    await target.destroy();
    await rm(folder, { recursive: true });
  }
}

interface Places {
  readonly snapshot: Snapshot;
  readonly target: DataSource;
  readonly gathered: GatheredDays;
}

async function run(
  { daily: { table, rows: open, stored }, now, signal, onProgress }: StoreDays,
  { snapshot, target, gathered }: Places,
): Promise<StoredReport> {
  const log = new ChangeLogRepository(snapshot);
  const feed = await log.feed();
  if (!feed?.feed) throw new ViewsRefused('The database has no change feed yet: start the service once.');
  const columns = table.columns.map(({ name }) => name).join();
  const last = await stored.lastRun(snapshot);
  const differing = new DifferingDays(gathered);
  const isOther = last !== null && last.columns !== columns;
  const whole = isOther ? 'other_columns' : await noteSince(last?.position, differing, { log, feed });
  if (whole !== null) differing.everyone = true;
  const rows = await open(snapshot);
  const people = [...new Set([...(await rows.people()), ...(await stored.people(snapshot))])];
  let count = 0;
  for (const [done, person] of people.entries()) {
    onProgress?.(done, people.length);
    signal.throwIfAborted();
    const days = differing.daysOf(person, now);
    await transactionWithoutLimits(target, async (session) => {
      await stored.clear(session, person, days);
      for await (const page of rowsOf(rows, person, days)) {
        await stored.add(session, person, page);
        count += page.length;
      }
    });
  }
  const position = cursorOf(await log.newest(feed));
  await transactionWithoutLimits(target, (session) => stored.end(session, { position, columns, made_at: now }));
  return { whole, people: people.length, rows: count, position };
}

/** Notes what changed since a position. Returns why that is not known, else null. */
async function noteSince(
  position: string | undefined,
  differing: DifferingDays,
  { log, feed }: { readonly log: ChangeLogRepository; readonly feed: ChangeFeedEntity },
): Promise<StoredReport['whole']> {
  const after = position === undefined ? null : positionOf(position);
  if (after === null) return 'first_run';
  const fault = faultOf(after, feed, await log.at(after.number));
  if (fault !== null) return fault;
  for await (const change of changesBetween(log, after.number, feed.last_number)) differing.note(change);
  return null;
}
