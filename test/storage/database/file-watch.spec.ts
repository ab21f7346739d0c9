import { rmSync, statSync, truncateSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import type { SqliteFileWatch } from '../../../src/storage/database/file-watch.js';
import type { LogCheckpoints } from '../../../src/storage/database/log-checkpoints.js';
import { watchOf } from '../../../src/storage/database/sqlite.js';
import { SqliteDatabase, type SqliteFile } from '../../../src/storage/database/sqlite-driver.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

onSqlite('the watch of a database file', () => {
  let database: TestDatabase;
  let ours: BetterSqlite3.Database;
  let theirs: BetterSqlite3.Database;
  let watch: SqliteFileWatch;
  let ms = 0;
  let lost: jest.Mock;

  beforeEach(async () => {
    database = await testDatabase();
    const file = database.config as SqliteFile;
    ours = new SqliteDatabase(file.path);
    theirs = new SqliteDatabase(file.path);
    ours.exec('CREATE TABLE counted (a); INSERT INTO counted VALUES (0)');
    const none = { atWork: false, ended: 0 } as LogCheckpoints;
    lost = jest.fn();
    watch = watchOf(file, ours, none, lost);
    jest.spyOn(performance, 'now').mockImplementation(() => ms);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    watch.close();
    for (const db of [ours, theirs]) db.close();
    await database.drop();
  });

  it('accepts a checkpoint of another program after which the log has restarted', () => {
    for (let round = 0; round < 5; round += 1) {
      ours.exec('UPDATE counted SET a = a + 1');
      watch.assertThere();
      theirs.pragma('wal_checkpoint(RESTART)');
      ours.exec('UPDATE counted SET a = a + 1');
      ms += 5_000;
      watch.assertThere();
    }
    expect(watch.lost).toBeNull();
  });

  it('detects a log that was cut before a commit', () => {
    const { path } = database.config as SqliteFile;
    truncateSync(`${path}-wal`);
    watch.assertThere();
    ours.exec('UPDATE counted SET a = a + 1');
    expect(() => watch.assertThere()).toThrow('no longer exists');
    expect(watch.lost).toEqual({ fault: 'file_overwritten', path: `${path}-wal` });
  });

  it('accepts a log that a checkpoint emptied', () => {
    theirs.pragma('wal_checkpoint(TRUNCATE)');
    watch.assertThere();
    ours.exec('UPDATE counted SET a = a + 1');
    watch.assertThere();
    expect(watch.lost).toBeNull();
  });

  it('detects a file that was cut', () => {
    const { path } = database.config as SqliteFile;
    truncateSync(path, statSync(path).size / 2);
    watch.assertThere();
    ms += 10_000;
    expect(() => watch.assertThere()).toThrow('no longer exists');
    expect(watch.lost).toEqual({ fault: 'file_overwritten', path });
  });

  it('reports a file that was removed also if its log cannot be moved into it, as on a full disk', () => {
    const { path } = database.config as SqliteFile;
    rmSync(path);
    jest.spyOn(ours, 'pragma').mockImplementation(() => {
      throw Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' });
    });
    expect(() => watch.assertThere()).toThrow('no longer exists');
    expect([watch.lost, lost.mock.calls]).toEqual([{ fault: 'file_removed', path }, [[watch.lost]]]);
  });
});
