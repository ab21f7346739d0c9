import { statSync, truncateSync } from 'node:fs';
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

  beforeEach(async () => {
    database = await testDatabase();
    const file = database.config as SqliteFile;
    ours = new SqliteDatabase(file.path);
    theirs = new SqliteDatabase(file.path);
    ours.exec('CREATE TABLE counted (a); INSERT INTO counted VALUES (0)');
    const none = { atWork: false, ended: 0 } as LogCheckpoints;
    watch = watchOf(file, ours, none, () => undefined);
    jest.spyOn(performance, 'now').mockImplementation(() => ms);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    watch.close();
    for (const db of [ours, theirs]) db.close();
    await database.drop();
  });

  it('believes a checkpoint of another program after which the log has begun again', () => {
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

  it('finds a log that was cut before a commit', () => {
    const { path } = database.config as SqliteFile;
    truncateSync(`${path}-wal`);
    watch.assertThere();
    ours.exec('UPDATE counted SET a = a + 1');
    expect(() => watch.assertThere()).toThrow('no longer there');
    expect(watch.lost).toEqual({ fault: 'file_overwritten', path: `${path}-wal` });
  });

  it('takes a log that a checkpoint emptied for whole', () => {
    theirs.pragma('wal_checkpoint(TRUNCATE)');
    watch.assertThere();
    ours.exec('UPDATE counted SET a = a + 1');
    watch.assertThere();
    expect(watch.lost).toBeNull();
  });

  it('finds a file that was cut', () => {
    const { path } = database.config as SqliteFile;
    truncateSync(path, statSync(path).size / 2);
    watch.assertThere();
    ms += 10_000;
    expect(() => watch.assertThere()).toThrow('no longer there');
    expect(watch.lost).toEqual({ fault: 'file_overwritten', path });
  });
});
