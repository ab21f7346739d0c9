import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import { entities } from '../../../src/app/rooms.js';
import { inspectFile } from '../../../src/storage/backup/contents.js';
import { sqliteHandle } from '../../../src/storage/database/sqlite.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { type MigrationError, migrate } from '../../../src/storage/schema/migrate.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

onSqlite('copies of a SQLite file made before migrations', () => {
  let database: TestDatabase;
  let source: DataSource;
  let path: string;

  beforeEach(async () => {
    database = await testDatabase();
    if (database.config.kind !== 'sqlite') throw new Error('This is about SQLite.');
    path = database.config.path;
    source = await openWriter(database.config, entities);
    source.migrations.push(new Broken9999999999999());
  });

  afterEach(async () => {
    await source.destroy();
    await database.drop();
  });

  class Broken9999999999999 {
    name = 'Broken9999999999999';
    up = async (): Promise<void> => Promise.reject(new Error('planned'));
    down = async (): Promise<void> => undefined;
  }

  const start = (second: number) => migrate(source, database.config, second * 1_000).catch((error: unknown) => error);
  const copies = (): string[] =>
    readdirSync(dirname(path))
      .filter((name) => name.includes('before-migration'))
      .map((name) => name.slice(basename(path).length + '.before-migration-'.length))
      .sort();

  it('are complete, in one file, and the three newest are kept', async () => {
    for (const second of [1, 2, 3, 4, 5]) await start(second);
    const kept = ['19700101T000003000Z', '19700101T000004000Z', '19700101T000005000Z'];
    expect(copies()).toEqual(kept);
    for (const time of kept) {
      const inspected = inspectFile({ path: `${path}.before-migration-${time}` });
      expect(inspected).not.toMatchObject({ faults: expect.arrayContaining([expect.stringContaining('damaged')]) });
    }
  });

  it('include the newest one, even if the clock was ahead when the others were made', async () => {
    for (const second of [101, 102, 103]) await start(second);
    const failed = (await start(1)) as MigrationError;
    expect(failed.copy).toBe(`${path}.before-migration-19700101T000001000Z`);
    expect(copies()).toEqual(['19700101T000001000Z', '19700101T000142000Z', '19700101T000143000Z']);
  });

  it('get their final name only when complete, and leftovers of a killed start are removed', async () => {
    const handle = sqliteHandle(source);
    const backup = handle.backup.bind(handle);
    const seen: string[][] = [];
    handle.backup = (copy: string) => {
      writeFileSync(copy, 'half');
      writeFileSync(`${copy}-journal`, 'half');
      seen.push(copies());
      return Promise.reject(new Error('no room'));
    };
    expect(await start(1)).toMatchObject({ message: 'no room' });
    expect(seen).toEqual([['19700101T000001000Z.part', '19700101T000001000Z.part-journal']]);
    expect(copies()).toEqual([]);
    for (const left of ['.part', '.part-journal'])
      writeFileSync(`${path}.before-migration-19700101T000001000Z${left}`, 'half');
    handle.backup = backup;
    await start(2);
    expect(copies()).toEqual(['19700101T000002000Z']);
  });
});
