import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type BetterSqlite3 from 'better-sqlite3';
import { giveToService, makePrivateFile, syncFile, syncFolderOf } from '../../platform/platform/private-file.js';
import { placeholders } from '../database/dialect.js';
import { openSqlite, type SqliteFile, withSqlite } from '../database/sqlite-driver.js';
import { MAX_VIEW_ROWS_A_TRANSACTION } from '../database/tuning.js';
import { type ComputedDays, type DayTable, selectOf, type View, type ViewColumnType } from '../declarations/views.js';
import { registerMeasures } from './measures.js';
import { allRowsOf } from './person-days.js';
import { SqliteSnapshot } from './snapshot.js';

/*
 * On SQLite no other process may open the served file for long, so analysts get the views' rows as tables in a file of
 * their own. PATH.part is filled from one snapshot and synced -> PATH.part becomes PATH. A crash leaves a .part and the
 * old PATH; the next copy starts over.
 */

/** The copy cannot be written there. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

export interface ViewsCopy {
  readonly source: SqliteFile;
  /** A new file, or an earlier copy, which it replaces. */
  readonly target: string;
  readonly views: readonly View[];
  readonly daily: ComputedDays;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (view: string, rows: number) => void;
}

/** Marks our copies, so that no other file is replaced: `PKa1`. */
const APPLICATION_ID = 0x504b6131;

/** Copies the rows of the views. Returns their number by view. Throws {@link CopyRefused}. */
export async function copyViews(copy: ViewsCopy): Promise<Record<string, number>> {
  const { source, target, signal } = copy;
  if (!existsSync(source.path)) throw new CopyRefused('There is no database to copy from.');
  assertReplaceable(target);
  const part = `${target}.part`;
  try {
    await rm(part, { force: true });
    makePrivateFile(part);
    giveToService(part, target);
    const rows = await fill(part, copy);
    await syncFile(part);
    await rename(part, target);
    await syncFolderOf(target);
    return rows;
  } catch (error) {
    await rm(part, { force: true });
    if (signal.aborted) throw new CopyRefused('Stopped; nothing was written.', { cause: error });
    throw error;
  }
}

function assertReplaceable(target: string): void {
  if (!existsSync(target)) return;
  let id: unknown;
  try {
    id = withSqlite({ path: target }, { readonly: true }, (db) => db.pragma('application_id', { simple: true }));
  } catch {
    id = null;
  }
  if (id !== APPLICATION_ID) throw new CopyRefused('The file exists and is no earlier copy, so it is not replaced.');
}

async function fill(
  part: string,
  { source, views, daily, now, signal, onProgress }: ViewsCopy,
): Promise<Record<string, number>> {
  const from = openSqlite(source, { readonly: true, fileMustExist: true });
  const to = openSqlite({ path: part });
  try {
    registerMeasures(from);
    // One snapshot for all views.
    from.exec('BEGIN');
    to.pragma(`application_id = ${APPLICATION_ID}`);
    to.pragma('journal_mode = OFF');
    to.pragma('synchronous = OFF');
    to.exec('CREATE TABLE copied (made_at text NOT NULL)');
    to.prepare('INSERT INTO copied VALUES (?)').run(new Date(now).toISOString());
    const counts: Record<string, number> = {};
    const turnOf =
      (name: string) =>
      (rows: number): void => {
        signal.throwIfAborted();
        onProgress?.(name, rows);
      };
    for (const view of views) counts[view.name] = await copyRows(from, to, view, turnOf(view.name));
    counts[daily.table.name] = await copyDays(from, to, daily, turnOf(daily.table.name));
    return counts;
  } finally {
    to.close();
    from.close();
  }
}

async function copyRows(
  from: BetterSqlite3.Database,
  to: BetterSqlite3.Database,
  view: View,
  turn: (rows: number) => void,
): Promise<number> {
  const insert = tableIn(to, view);
  let rows = 0;
  to.exec('BEGIN');
  for (const row of from.prepare(selectOf(view, 'sqlite')).raw().iterate() as Iterable<unknown[]>) {
    insert.run(row);
    if (++rows % MAX_VIEW_ROWS_A_TRANSACTION !== 0) continue;
    to.exec('COMMIT');
    // Lets a Ctrl-C through.
    await new Promise((resolve) => setImmediate(resolve));
    turn(rows);
    to.exec('BEGIN');
  }
  to.exec('COMMIT');
  turn(rows);
  return rows;
}

/** Copies the daily numbers, computed from the same snapshot, a person after the other. */
async function copyDays(
  from: BetterSqlite3.Database,
  to: BetterSqlite3.Database,
  { table, rows: open }: ComputedDays,
  turn: (rows: number) => void,
): Promise<number> {
  const insert = tableIn(to, table);
  const source = await open(new SqliteSnapshot(from));
  let rows = 0;
  for (const person of await source.people()) {
    for await (const page of allRowsOf(source, person)) {
      to.exec('BEGIN');
      for (const row of page) insert.run(row.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)));
      to.exec('COMMIT');
      rows += page.length;
      await new Promise((resolve) => setImmediate(resolve));
      turn(rows);
    }
  }
  turn(rows);
  return rows;
}

/** Makes an empty table. Returns the INSERT of a row. */
function tableIn(
  to: BetterSqlite3.Database,
  { name, columns }: Pick<DayTable, 'name' | 'columns'>,
): BetterSqlite3.Statement {
  const types = columns.map(({ name: column, type }) => `"${column}" ${sqliteTypes[type]}`);
  to.exec(`CREATE TABLE "${name}" (${types.join(', ')})`);
  return to.prepare(`INSERT INTO "${name}" VALUES (${placeholders(columns.length)})`);
}

const sqliteTypes: Readonly<Record<ViewColumnType, string>> = {
  ...{ integer: 'integer', number: 'real', boolean: 'integer' },
  ...{ text: 'text', time: 'text', date: 'text', json: 'text' },
};
