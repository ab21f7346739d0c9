import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { views } from '../../../src/app/rooms.js';
import { DatasetRefused } from '../../../src/storage/analytics/dataset-folder.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { at, first, GoneWorld, iso, resource } from '../../health/gone/support/gone-world.js';
import { DAY, HOUR } from '../../support/environment.js';
import { Analyst } from './support/analyst.js';
import { Lake } from './support/lake.js';

describe('a dataset', () => {
  let world: GoneWorld;
  let lake: Lake;
  const lakes: Lake[] = [];

  const another = (): Lake => {
    const made = new Lake(world.app.database, world.app.clock);
    lakes.push(made);
    return made;
  };
  /** The first night. */
  const firstNight = async (): Promise<{ summary_id: string; observation_id: number }> => {
    const [row] = await world.app.store.reader.rows<{ summary_id: string; observation_id: number }>(
      `SELECT summary_id, observation_id FROM summaries WHERE resource = 'sleep' ORDER BY time LIMIT 1`,
    );
    return row ?? { summary_id: '', observation_id: 0 };
  };
  const execute = (sql: string, values: (string | number | null)[] = []): Promise<number> =>
    world.app.store.lane.run((tx) => tx.execute(sql, values));
  const paths = (files: readonly { path: string }[]): string[] => files.map(({ path }) => path);
  /** What brought up to date is the same as what is made anew, byte for byte. */
  const equalsOneMadeAnew = async (): Promise<void> => {
    const fresh = await another().export();
    expect(lake.manifest().files).toEqual(fresh.files);
    expect(lake.manifest().position).toBe(fresh.position);
    expect(lake.files()).toEqual(paths(fresh.files));
    expect(lake.wrong()).toEqual([]);
  };

  beforeEach(async () => {
    world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
    lake = another();
    await world.put([0, 1, 2, 30, 31]);
    const nights = [0, 24].map((hour) => ({ bedtime_start: iso(at(hour)), bedtime_stop: iso(at(hour + 8)) }));
    const summaries = nights.map((night) => ({ ...night, source_type: 'ring' }));
    await world.app.sandbox.control.put({ user_id: world.userId, provider: 'oura', resource: 'sleep', summaries });
    await world.app.settle();
  });

  afterEach(async () => {
    for (const made of lakes.splice(0)) made.remove();
    await world.app.close();
  });

  it('has the rows and columns of the views, and what the API answers', async () => {
    const ended = await lake.run('--account-ids');
    const manifest = lake.manifest();
    expect([ended.code, ended.json()]).toMatchObject([0, { state: 'exported', position: manifest.position }]);
    expect(manifest).toMatchObject({ schema_version: 'analytics_v1', run: { after: null, whole: 'first_run' } });
    expect(lake.wrong()).toEqual([]);
    const analyst = new Analyst(world.app.database);
    for (const { name, columns } of views) {
      const rows = await analyst.rows(name);
      if (rows.length === 0) continue;
      const shown = columns.map((column) =>
        column.type === 'date' ? `CAST(${column.name} AS text) AS ${column.name}` : column.name,
      );
      const sql = `SELECT ${shown.join(', ')} FROM read_parquet('LAKE/${name}/**/*.parquet', hive_partitioning = true)`;
      const read = (await lake.query(sql)).map((row) =>
        Object.fromEntries(
          columns.map(({ name: column, type }) => [
            column,
            type === 'json' && typeof row[column] === 'string' ? JSON.parse(row[column]) : row[column],
          ]),
        ),
      );
      const plain = (row: object): string => JSON.stringify(row, Object.keys(row).sort());
      const sorted = (all: readonly object[]): object[] => all.toSorted((a, b) => (plain(a) < plain(b) ? -1 : 1));
      expect([name, sorted(read)]).toEqual([name, sorted(rows)]);
    }
    await analyst.close();
    const [{ sum } = { sum: null }] = await lake.query(
      `SELECT sum(value) AS sum FROM read_parquet('LAKE/samples/**/*.parquet', hive_partitioning = true)
       WHERE resource = '${resource}' AND day = DATE '${iso(first).slice(0, 10)}'`,
    );
    expect(sum).toBe(1 + 2 + 3);
    const { body } = await world.app.as<{ data: { time: string }[] }>('person', 'GET', '/me/records/sleep?limit=500');
    const nights = await lake.query(`SELECT time FROM read_parquet('LAKE/sleep/**/*.parquet') ORDER BY time`);
    expect(nights.map(({ time }) => time)).toEqual(
      body.data.map(({ time }) => new Date(time).toISOString()).toSorted(),
    );
    expect(nights.length).toBeGreaterThan(0);
  });

  it('stays as it is if nothing changed, and has the files of changed days made anew', async () => {
    const before = await lake.export();
    const again = await lake.export();
    expect(again).toMatchObject({ position: before.position, run: { written: [], deleted: [], whole: null } });
    expect(again.files).toEqual(before.files);
    await world.put([32, 60]);
    const after = await lake.export();
    expect(after.run.after).toBe(before.position);
    const days = [30, 60].map((hour) => iso(first + hour * HOUR).slice(0, 10));
    const written = after.run.written.filter((path) => path.startsWith('samples/'));
    expect(written.map((path) => path.split('/')[2])).toEqual(days.map((day) => `day=${day}`));
    expect(after.run.deleted.filter((path) => path.startsWith('samples/'))).toHaveLength(1);
    await equalsOneMadeAnew();
  });

  it('loses what upstream deleted, and lists its keys', async () => {
    await lake.export();
    const { summary_id: record_id } = await firstNight();
    await world.remove([0, 1, 2]);
    await world.app.sandbox.control.remove({ user_id: world.userId, resource: 'sleep', summary_id: record_id });
    await world.wait(60);
    await world.look();
    await world.look({ resource: 'sleep', start: first - 3 * DAY });
    expect(await world.hours()).toEqual([30, 31]);
    const { run } = await lake.export();
    const [start, end] = [iso(first), iso(first + 2 * HOUR)];
    expect(run.gone.samples).toContainEqual({ account_ref: world.account, resource, provider: 'oura', start, end });
    expect(run.gone.records).toEqual([{ resource: 'sleep', record_id }]);
    // Seeing the same again is no change, so rows that stayed have the `observed_at` and `origin` of their last change.
    const fresh = another();
    await fresh.export();
    for (const view of ['samples', 'sleep']) {
      const sql = `SELECT COLUMNS(c -> c NOT IN ('observed_at', 'origin')) FROM read_parquet('LAKE/${view}/**/*.parquet') ORDER BY ALL`;
      expect(await lake.query(sql)).toEqual(await fresh.query(sql));
    }
  });

  it('has a record once when it moves to another day, or loses its day', async () => {
    await lake.export();
    const { summary_id } = await firstNight();
    for (const day of ['2026-01-05', null]) {
      await world.app.store.lane.run(async (tx) => {
        await tx.execute('UPDATE summaries SET calendar_date = ? WHERE summary_id = ?', [day, summary_id]);
        const change = { kind: 'summary', action: 'changed', resource: 'sleep', provider: 'oura' } as const;
        await noteChanges(tx, [{ ...change, account: world.account, subject: summary_id }], 0);
      });
      await world.app.settle();
      await lake.export();
      const sql = `SELECT CAST(day AS text) AS day FROM read_parquet('LAKE/sleep/**/*.parquet', hive_partitioning = true)
        WHERE record_id = '${summary_id}'`;
      expect(await lake.query(sql)).toEqual([{ day }]);
      await equalsOneMadeAnew();
    }
  });

  it('loses a person who is being erased, before and after the erasure, and keeps the others', async () => {
    await world.app.connect('other', 'oura', { days: 2, per_day: 1 });
    await world.app.advance(3_600);
    const [{ other } = { other: 0 }] = await world.app.store.reader.rows<{ other: number }>(
      `SELECT id AS other FROM accounts WHERE account_id = 'other'`,
    );
    await lake.export();
    const people = async (): Promise<unknown> =>
      (
        await lake.query(
          `SELECT DISTINCT account_ref FROM read_parquet('LAKE/*/**/*.parquet', union_by_name = true) ORDER BY 1`,
        )
      ).map(({ account_ref }) => account_ref);
    expect(await people()).toEqual([world.account, other]);
    await execute(`UPDATE accounts SET status = 'erasing' WHERE id = ?`, [world.account]);
    const closed = await lake.export();
    expect([await people(), closed.run.gone.accounts, closed.erasing]).toEqual([
      [other],
      [world.account],
      [world.account],
    ]);
    expect((await lake.export()).run.gone.accounts).toEqual([]);
    await execute(`UPDATE accounts SET status = 'active' WHERE id = ?`, [world.account]);
    await world.app.admin('DELETE', '/accounts/person');
    await world.app.settle();
    const erased = await lake.export();
    expect([await people(), erased.run.gone.accounts]).toEqual([[other], [world.account]]);
    await equalsOneMadeAnew();
  });

  it('hides the night of an earlier upstream user as soon as the present one sent it again', async () => {
    const { observation_id } = await firstNight();
    const relinked = Math.floor(observation_id / 64) + 10;
    await lake.export();
    const note = (kind: 'account' | 'summary', more: object): Promise<void> =>
      world.app.store.lane.run((tx) =>
        noteChanges(
          tx,
          [{ kind, action: 'changed', account: world.account, subject: String(world.account), ...more }],
          0,
        ),
      );
    await execute('UPDATE accounts SET relinked_at = ?', [relinked]);
    await note('account', {});
    await world.app.settle();
    await lake.export();
    await equalsOneMadeAnew();
    await execute(`INSERT INTO observations (id, kind, ref) VALUES (?, 'sync', 1)`, [(relinked + 5) * 64]);
    await execute(
      `INSERT INTO summaries (account_id, resource, summary_id, time, end_time, calendar_date, provider, source_type,
        floating_time, version, observation_id, raw)
       SELECT account_id, resource, 'again', time + 60000, end_time, ?, provider, source_type, floating_time,
        version, ?, raw FROM summaries WHERE resource = 'sleep' AND observation_id = ?
        ORDER BY time LIMIT 1`,
      ['2026-11-19', (relinked + 5) * 64, observation_id],
    );
    await note('summary', { action: 'created', resource: 'sleep', provider: 'oura', subject: 'again' });
    await world.app.settle();
    await lake.export();
    const nights = await lake.query(`SELECT record_id FROM read_parquet('LAKE/sleep/**/*.parquet')`);
    expect(nights).toHaveLength(2);
    expect(nights).toContainEqual({ record_id: 'again' });
    await equalsOneMadeAnew();
  });

  it('is as it was after an interrupted run, and what that left is gone after the next', async () => {
    await lake.export();
    const before = { manifest: readFileSync(join(lake.folder, 'manifest.json'), 'utf8'), files: lake.files() };
    await world.put([60, 61]);
    const stop = new AbortController();
    const onProgress = (file: string): void => (file.startsWith('samples') ? stop.abort() : undefined);
    const run = lake.export({ signal: stop.signal, onProgress });
    await expect(run).rejects.toThrow(DatasetRefused);
    expect({ manifest: readFileSync(join(lake.folder, 'manifest.json'), 'utf8'), files: lake.files() }).toEqual(before);
    // What a kill leaves: half a file, and a whole one that was moved but is not in a manifest yet.
    mkdirSync(join(lake.folder, '_new'), { recursive: true });
    writeFileSync(join(lake.folder, '_new', '7'), 'half');
    const stray = join(lake.folder, String(before.files[0]), '..', `${'0'.repeat(32)}.parquet`);
    writeFileSync(stray, 'moved');
    writeFileSync(join(lake.folder, 'notes.txt'), 'of others');
    expect(lake.wrong()).toEqual([]);
    await lake.export();
    expect([
      existsSync(stray),
      existsSync(join(lake.folder, '_new')),
      existsSync(join(lake.folder, 'notes.txt')),
    ]).toEqual([false, false, true]);
    await equalsOneMadeAnew();
  });

  it('is made anew if the feed cannot go on, or its files are not as the manifest says', async () => {
    const { files } = await lake.export();
    const anew = async (): Promise<unknown> => {
      const { run } = await lake.export();
      await equalsOneMadeAnew();
      return run.whole;
    };
    rmSync(join(lake.folder, files.find(({ path }) => path.startsWith('sleep'))?.path ?? ''));
    expect(await anew()).toBe('files_missing');
    await execute('UPDATE change_feed SET expired_number = last_number + 1, last_number = last_number + 1');
    expect(await anew()).toBe('cursor_expired');
    await execute(`UPDATE change_feed SET feed = '0123456789ab'`);
    expect(await anew()).toBe('feed_restarted');
    await execute('UPDATE change_feed SET last_number = last_number - 1');
    expect(await anew()).toBe('cursor_ahead');
    const manifest = { ...lake.manifest(), columns: 'of an earlier version' };
    writeFileSync(join(lake.folder, 'manifest.json'), JSON.stringify(manifest));
    expect(await anew()).toBe('other_columns');
  });

  it('takes changes again from an earlier position, and refuses one that would leave some out', async () => {
    const { position } = await lake.export();
    await world.put([60]);
    const later = await lake.export();
    const again = await lake.export({ after: position });
    expect([again.run.after, again.run.written, again.position]).toEqual([position, [], later.position]);
    const older = another();
    await older.export();
    await world.put([61]);
    const { position: newest } = await lake.export();
    await expect(older.export({ after: newest })).rejects.toThrow('changes would be left out');
    await expect(older.export({ after: 'nonsense' })).rejects.toThrow('--after is no cursor');
    await expect(another().export({ after: newest })).rejects.toThrow('no dataset in the folder');
    expect(await older.run('--after', newest)).toMatchObject({
      code: 1,
      out: expect.stringContaining('dataset_refused'),
    });
  });

  /** Only root may give files to others. */
  const asRoot = process.getuid?.() === 0 ? it : it.skip;

  asRoot('made by root belongs to the owner of its folder', async () => {
    mkdirSync(lake.folder, { recursive: true });
    chownSync(lake.folder, 1_000, 1_000);
    await lake.export();
    const owners = readdirSync(lake.folder, { recursive: true }).map(
      (name) => statSync(join(lake.folder, String(name))).uid,
    );
    expect(new Set(owners)).toEqual(new Set([1_000]));
  });

  it('goes to no folder of others, and to none that another export is writing to', async () => {
    mkdirSync(lake.folder, { recursive: true });
    writeFileSync(join(lake.folder, 'thesis.parquet'), 'mine');
    await expect(lake.export()).rejects.toThrow('is not empty');
    expect(readFileSync(join(lake.folder, 'thesis.parquet'), 'utf8')).toBe('mine');
    const shared = another();
    await shared.export();
    const other = new SqliteDatabase(join(shared.folder, '.lock'));
    other.exec('BEGIN EXCLUSIVE');
    await expect(shared.export()).rejects.toThrow('Another export');
    other.close();
    expect(shared.wrong()).toEqual([]);
    writeFileSync(join(shared.folder, 'manifest.json'), '{');
    await expect(shared.export()).rejects.toThrow('manifest.json is not one of this program');
  });
});
