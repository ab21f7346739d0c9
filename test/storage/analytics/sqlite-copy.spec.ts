import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dailyDays } from '../../../src/app/daily-days.js';
import { views } from '../../../src/app/rooms.js';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { CopyRefused, copyViews } from '../../../src/storage/analytics/sqlite-views.js';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Analyst } from './support/analyst.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

onSqlite('a copy for analysts', () => {
  let app: TestApp;
  let analyst: Analyst;

  beforeEach(async () => {
    app = await TestApp.create();
    analyst = new Analyst(app.database);
    await app.connect('person', 'oura', { days: 1, per_day: 1 });
    await app.advance(3_600);
  });

  afterEach(async () => {
    await analyst.close();
    await app.close();
  });

  const source = () => {
    const { config } = app.database;
    return { path: config.kind === 'sqlite' ? config.path : '' };
  };
  const tables = (): string[] => {
    const file = new SqliteDatabase(analyst.file, { readonly: true });
    const rows = file.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all();
    file.close();
    return (rows as { name: string }[]).map(({ name }) => name);
  };

  it('is made while the service runs, for its owner alone, without the ids of the customer unless asked', async () => {
    const made = await analyst.cli('copy', '--out', analyst.file);
    expect([made.code, made.json()]).toMatchObject([0, { state: 'copied', rows: { sleep: expect.any(Number) } }]);
    expect(statSync(analyst.file).mode & 0o777).toBe(0o600);
    expect(tables()).not.toContain('accounts');
    expect(readFileSync(analyst.file).includes('person')).toBe(false);
    expect(existsSync(`${analyst.file}.part`)).toBe(false);
    await analyst.cli('copy', '--out', analyst.file, '--account-ids');
    expect(tables()).toEqual([...views.map(({ name }) => name), 'daily', 'copied'].sort());
  });

  it('replaces an earlier copy, and no other file', async () => {
    writeFileSync(analyst.file, 'notes');
    const { code, err } = await analyst.cli('copy', '--out', analyst.file);
    expect([code, err]).toEqual([1, expect.stringContaining('no earlier copy')]);
    expect(readFileSync(analyst.file, 'utf8')).toBe('notes');
    const served = await analyst.cli('copy', '--out', source().path);
    expect([served.code, served.err]).toEqual([1, expect.stringContaining('no earlier copy')]);
  });

  /** Only root may give files to others. */
  const asRoot = process.getuid?.() === 0 ? it : it.skip;

  asRoot('made by root belongs to the owner of the copy that it replaces', async () => {
    await analyst.cli('copy', '--out', analyst.file);
    chownSync(analyst.file, 1_000, 1_000);
    await analyst.cli('copy', '--out', analyst.file);
    expect(statSync(analyst.file).uid).toBe(1_000);
  });

  it('leaves the earlier copy as it was if it is stopped, and starts over after a crash', async () => {
    await analyst.cli('copy', '--out', analyst.file);
    const before = readFileSync(analyst.file);
    const stop = new AbortController();
    const onProgress = (view: string): void => (view === 'sleep' ? stop.abort() : undefined);
    const daily = dailyDays(readConfig(analyst.environment(), pulledResources), app.clock);
    const copy = { source: source(), target: analyst.file, views, daily, now: START, signal: stop.signal };
    await expect(copyViews({ ...copy, onProgress })).rejects.toThrow(CopyRefused);
    expect(readFileSync(analyst.file).equals(before)).toBe(true);
    // What a kill leaves.
    writeFileSync(`${analyst.file}.part`, 'half a copy');
    expect((await analyst.cli('copy', '--out', analyst.file)).code).toBe(0);
    expect(existsSync(`${analyst.file}.part`)).toBe(false);
  });

  it('has nothing of a person who was erased before it was made', async () => {
    expect((await analyst.rows('sleep')).length).toBeGreaterThan(0);
    await app.admin('DELETE', '/accounts/person');
    await app.settle();
    for (const { name } of views) expect([name, await analyst.rows(name)]).toEqual([name, []]);
  });
});
