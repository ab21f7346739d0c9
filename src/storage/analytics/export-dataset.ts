import { createHash } from 'node:crypto';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import { dateAfter, dateOf, toIso } from '../../platform/platform/time.js';
import type { ChangeFeedEntity } from '../change-log/change.entity.js';
import { ChangeLogRepository } from '../change-log/change-log.repository.js';
import { cursorOf, faultOf, type Position, positionOf } from '../change-log/cursor.js';
import type { EntityClasses } from '../database/sqlite.js';
import {
  type ComputedDays,
  type DayTable,
  type Row,
  type TableColumn,
  type View,
  viewSchema,
  viewSql,
} from '../declarations/views.js';
import {
  type DatasetFile,
  DatasetFolder,
  DatasetRefused,
  type GoneKeys,
  type Manifest,
  type WholeReason,
} from './dataset-folder.js';
import { DayFiles } from './day-files.js';
import { DifferingDays } from './differing-days.js';
import { GatheredDays } from './gathered-days.repository.js';
import { someValue, writeParquet } from './parquet-file.js';
import { type Snapshot, withSnapshot } from './snapshot.js';
import { keyOf, type Part, type Searched, type ShownPeople, type Touched, touchedBetween } from './touched-days.js';

/*
 * Writes the rows of the views to Parquet files, one for a resource and day. The first run writes all of them; a later
 * one reads the changes since the position of the last manifest and rewrites the files that they touch. Everything is
 * read from one snapshot, so the files are the state at one position. The name of a file is its digest: what did not
 * change stays as it is.
 */

export interface DatasetExport {
  readonly config: DatabaseConfig;
  readonly entities: EntityClasses;
  readonly folder: string;
  readonly views: readonly View[];
  readonly daily: ComputedDays;
  /** SELECTs of `accounts.id` as `id`, for {@link ShownPeople}. */
  readonly people: { readonly erasing: string; readonly relinked: string };
  /** Cursor, not after that of the manifest; default that of the manifest. */
  readonly after?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (file: string, rows: number) => void;
}

/** Runs an export. Throws {@link DatasetRefused}. */
export async function exportDataset(given: DatasetExport): Promise<Manifest> {
  const folder = await DatasetFolder.open(given.folder);
  try {
    return await withSnapshot(given.config, given.entities, (snapshot) => new Run(given, folder, snapshot).run());
  } catch (error) {
    if (given.signal.aborted) throw new DatasetRefused('Stopped; the dataset is as it was.', { cause: error });
    throw error;
  } finally {
    folder.close();
  }
}

interface Made {
  readonly file: DatasetFile;
  readonly staged: string;
}

const NO_DAY = '__HIVE_DEFAULT_PARTITION__';
const nothing: GoneKeys = { accounts: [], records: [], samples: [] };

class Run {
  private readonly log: ChangeLogRepository;
  private readonly old: Manifest | null;
  private readonly made = new Map<string, Made>();
  private readonly columns: string;
  private rows = 0;

  constructor(
    private readonly given: DatasetExport,
    private readonly folder: DatasetFolder,
    private readonly snapshot: Snapshot,
  ) {
    this.log = new ChangeLogRepository(snapshot);
    this.old = folder.manifest;
    this.columns = digestOf([...given.views, given.daily.table]);
  }

  async run(): Promise<Manifest> {
    const gathered = new GatheredDays(this.folder.staged('days'));
    try {
      return await this.runWith(gathered);
    } finally {
      gathered.close();
    }
  }

  private async runWith(gathered: GatheredDays): Promise<Manifest> {
    const feed = await this.log.feed();
    if (!feed?.feed) throw new DatasetRefused('The database has no change feed yet: start the service once.');
    const people = await this.people();
    const after = this.after();
    const whole = await this.whyWhole(after, feed);
    const rows = await this.given.daily.rows(this.snapshot);
    const differing = new DifferingDays(gathered);
    const days = new DayFiles(rows, differing, gathered, ({ path }) => this.folder.at(path));
    const touched = after === null || whole !== null ? null : await this.touched(people, differing, after, feed);
    const kept = touched ? await this.keptBy(touched) : [];
    await this.write(touched);
    kept.push(...(await this.writeDays(days, gathered, touched)));
    const files = [...kept, ...[...this.made.values()].map(({ file }) => file)];
    files.sort((one, other) => (one.path < other.path ? -1 : 1));
    const manifest: Manifest = {
      format: 1,
      schema_version: viewSchema,
      columns: this.columns,
      made_at: toIso(this.given.now),
      position: cursorOf(await this.log.newest(feed)),
      run: {
        after: after && !whole ? cursorOf(after) : null,
        whole,
        ...this.differences(files),
        gone: touched?.gone ?? nothing,
      },
      erasing: [...people.erasing],
      files,
    };
    const moved = [...this.made.values()].filter(({ file }) => !this.folder.has(file));
    this.given.signal.throwIfAborted();
    await this.folder.publish(new Map(moved.map(({ file, staged }) => [file.path, staged])), manifest);
    return manifest;
  }

  /** Where the changes begin; null without an earlier run. */
  private after(): Position | null {
    const { after } = this.given;
    const done = this.old === null ? null : positionOf(this.old.position);
    if (after === undefined) return done;
    const position = positionOf(after);
    if (position === null) throw new DatasetRefused('--after is no cursor: give the `position` of a manifest.');
    if (done === null) throw new DatasetRefused('There is no dataset in the folder to go on with: leave out --after.');
    if (position.feed === done.feed && position.number > done.number) {
      throw new DatasetRefused('--after is after the position of the manifest, so changes would be left out.');
    }
    return position;
  }

  private async whyWhole(after: Position | null, feed: ChangeFeedEntity): Promise<WholeReason | null> {
    if (after === null || this.old === null) return 'first_run';
    if (this.old.columns !== this.columns) return 'other_columns';
    if (!this.old.files.every((file) => this.folder.has(file))) return 'files_missing';
    return faultOf(after, feed, await this.log.at(after.number));
  }

  private async people(): Promise<ShownPeople> {
    const ids = async (sql: string): Promise<Set<number>> =>
      new Set((await this.snapshot.rows<{ id: number }>(sql)).map(({ id }) => id));
    return { erasing: await ids(this.given.people.erasing), relinked: await ids(this.given.people.relinked) };
  }

  private async touched(
    people: ShownPeople,
    days: DifferingDays,
    after: Position,
    feed: ChangeFeedEntity,
  ): Promise<Touched> {
    const { snapshot, log } = this;
    const reading = { log, snapshot, views: this.given.views, people, days };
    const touched = await touchedBetween(reading, after.number, feed.last_number);
    const done = new Set(this.old?.erasing);
    const closed = [...people.erasing].filter((id) => !done.has(id));
    const accounts = [...new Set([...touched.gone.accounts, ...closed])];
    return {
      ...touched,
      people: new Set([...touched.people, ...closed.map(String)]),
      gone: { ...touched.gone, accounts },
    };
  }

  /** The files that stay as they are. The parts of others are added to `touched`. */
  private async keptBy(touched: Touched): Promise<DatasetFile[]> {
    const parts = touched.parts as Map<string, Part>;
    const kept: DatasetFile[] = [];
    const others = new Map<string, { part: Part; file: DatasetFile }>();
    for (const file of this.old?.files ?? []) {
      const part = this.partOf(file);
      if (part?.view.cut) others.set(keyOf(part), { part, file });
    }
    // Most changed records are still on the day that they were on, whose file is rewritten anyway.
    const left = await this.withoutFound(
      touched,
      [...parts.keys()].flatMap((key) => others.get(key)?.file ?? []),
    );
    for (const [key, { part, file }] of others) {
      this.given.signal.throwIfAborted();
      if (!parts.has(key) && !(await this.has(file, part.view, left))) kept.push(file);
      else parts.set(key, part);
    }
    return kept;
  }

  /** What is still to be searched for after these files, which are rewritten. */
  private async withoutFound(searched: Searched, files: readonly DatasetFile[]): Promise<Searched> {
    const records = new Map([...searched.records].map(([view, ids]) => [view, new Set(ids)]));
    for (const file of files) {
      const ids = records.get(this.partOf(file)?.view as View);
      if (!ids || ids.size === 0) continue;
      await someValue(this.folder.at(file.path), 'record_id', (id) => ids.delete(id) && ids.size === 0);
    }
    return { records, people: searched.people };
  }

  private async has({ path }: DatasetFile, view: View, { records, people }: Searched): Promise<boolean> {
    const ids = records.get(view);
    const file = this.folder.at(path);
    if (ids !== undefined && ids.size > 0 && (await someValue(file, 'record_id', (id) => ids.has(id)))) return true;
    return people.size > 0 && someValue(file, 'account_ref', (ref) => people.has(ref));
  }

  /** Writes the touched parts, or all if null, and the views that are one file. */
  private async write(touched: Touched | null): Promise<void> {
    for (const view of this.given.views) {
      if (!view.cut) await this.writePart({ view, resource: null, day: null });
      else if (touched) {
        for (const part of touched.parts.values()) if (part.view === view) await this.writePart(part);
      } else for await (const part of this.everyPart(view)) await this.writePart(part);
    }
  }

  /** Writes the files of days that differ. Returns those that stay. */
  private async writeDays(days: DayFiles, gathered: GatheredDays, touched: Touched | null): Promise<DatasetFile[]> {
    const { name, columns } = this.given.daily.table;
    const old = (this.old?.files ?? []).filter(({ path }) => path.startsWith(`${name}/`));
    const turn = (found: number): void => {
      this.given.signal.throwIfAborted();
      this.given.onProgress?.(name, this.rows + found);
    };
    const kept = await days.gather(touched && old, touched?.people ?? new Set(), { now: this.given.now, turn });
    const inFile = columns.filter((column) => column.name !== 'day');
    for (const day of gathered.days()) {
      this.given.signal.throwIfAborted();
      await this.writeFile(`${name}/day=${day}`, inFile, gathered.of(day));
    }
    return kept;
  }

  private async *everyPart(view: View): AsyncGenerator<Part> {
    const { cut } = view;
    if (!cut) return;
    const found =
      typeof cut.resource === 'string'
        ? [{ name: cut.resource }]
        : await this.snapshot.rows<{ name: string }>(cut.resource.sql);
    for (const { name: resource } of found) {
      for (let from = FIRST_DAY; ; ) {
        const { sql, values } = cut.first(resource, from);
        const [row] = await this.snapshot.rows<{ at: number | string | null }>(sql, values);
        if (row === undefined || row.at === null) break;
        const day = typeof row.at === 'number' ? dateOf(row.at) : row.at;
        yield { view, resource, day };
        from = dateAfter(day, 1);
      }
      if (cut.change === 'summary') yield { view, resource, day: null };
    }
  }

  private async writePart(part: Part): Promise<void> {
    this.given.signal.throwIfAborted();
    const { view, resource, day } = part;
    const columns = view.cut
      ? view.columns.filter(({ name }) => !view.cut?.folders.some((folder) => folder === name))
      : view.columns;
    const folder = [
      view.name,
      ...(view.cut?.folders.includes('resource') ? [`resource=${encodeURIComponent(resource ?? '')}`] : []),
      ...(view.cut ? [`day=${day ?? NO_DAY}`] : []),
    ].join('/');
    await this.writeFile(folder, columns, this.pages(part));
  }

  private async writeFile(
    folder: string,
    columns: readonly TableColumn[],
    pages: AsyncGenerator<readonly Row[]>,
  ): Promise<void> {
    const staged = this.folder.staged(String(this.made.size));
    const written = await writeParquet(staged, columns, pages, viewSchema);
    if (written === null) return;
    const path = `${folder}/${written.sha256.slice(0, 32)}.parquet`;
    this.made.set(path, { file: { path, ...written }, staged });
  }

  private async *pages({ view, resource, day }: Part): AsyncGenerator<readonly Row[]> {
    const by = viewSql[this.snapshot.dialect];
    const { cut } = view;
    const shown = view.columns.filter(({ name }) => !cut?.folders.some((folder) => folder === name));
    const cells = shown.map(({ name, type, sql }) => {
      const expression = sql(by);
      return `${type === 'json' ? `CAST(${expression} AS text)` : expression} AS ${name}`;
    });
    const own = cut && resource !== null ? cut.rows(resource, day) : null;
    const conditions = [view.where, own && this.snapshot.part(own.sql)].filter(Boolean);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map((one) => `(${one})`).join(' AND ')}`;
    const sql = `SELECT ${cells.join(', ')} ${view.from(by)} ${where} ORDER BY ${view.order}`;
    for await (const page of this.snapshot.pages(sql, own?.values ?? [])) {
      this.given.signal.throwIfAborted();
      this.rows += page.length;
      this.given.onProgress?.(day === null ? view.name : `${view.name} ${day}`, this.rows);
      yield page;
    }
  }

  /** The part of a file, by its path; null if its view is not exported any more. */
  private partOf({ path }: DatasetFile): Part | null {
    const [name, ...folders] = path.split('/').slice(0, -1);
    const view = this.given.views.find((one) => one.name === name);
    if (view === undefined) return null;
    const named = Object.fromEntries(folders.map((folder) => folder.split('=') as [string, string]));
    const resource = named['resource'] === undefined ? null : decodeURIComponent(named['resource']);
    const day = named['day'] === undefined || named['day'] === NO_DAY ? null : named['day'];
    return { view, resource: typeof view.cut?.resource === 'string' ? view.cut.resource : resource, day };
  }

  private differences(files: readonly DatasetFile[]): { written: string[]; deleted: string[] } {
    const paths = (list: readonly DatasetFile[] = []): Set<string> => new Set(list.map(({ path }) => path));
    const [before, after] = [paths(this.old?.files), paths(files)];
    return {
      written: [...after].filter((path) => !before.has(path)),
      deleted: [...before].filter((path) => !after.has(path)),
    };
  }
}

/** Before every sample. */
const FIRST_DAY = '0001-01-01';

function digestOf(tables: readonly Pick<DayTable, 'name' | 'columns'>[]): string {
  const names = tables.map(({ name, columns }) => [name, columns.map((column) => [column.name, column.type])]);
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16);
}
