// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { dailyDays } from '../../../src/app/daily-days.js';
import { entities } from '../../../src/app/rooms.js';
import { pulledResources, type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import { dataTypeOf } from '../../../src/health/priorities/priority-rule.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import type { DailyDto, DayDto } from '../../../src/operations/app-api/statistics.dto.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { DatasetRefused } from '../../../src/storage/analytics/dataset-folder.js';
import { ViewsRefused } from '../../../src/storage/analytics/postgres-views.js';
import { storeDays } from '../../../src/storage/analytics/store-days.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { DAY, HOUR, MINUTE, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Analyst } from './support/analyst.js';
import { Lake } from './support/lake.js';

type Row = Record<string, unknown>;

const sources = [
  { provider: 'oura', type: 'ring' },
  { provider: 'apple_health_kit', type: 'phone' },
];
const resources = ['blood_pressure', 'heartrate', 'steps'];
const iso = (time: number): string => new Date(time).toISOString();

/** By resource and day, like the answers of the API. */
const inOrder = (rows: readonly Row[]): Row[] => {
  const place = ({ resource, day }: Row): string => `${String(resource)} ${String(day)}`;
  return rows.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
};

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

describe('daily numbers in a dataset', () => {
  let app: TestApp;
  let lake: Lake;
  let looks = 0;

  beforeEach(async () => {
    app = await TestApp.create({ env: { SYNC_RESOURCES: resources.join(','), SAMPLES_KEEP_DAYS: '40' } });
    lake = new Lake(app.database, app.clock);
    for (const [index, name] of ['ada', 'ben'].entries()) {
      await app.admin('POST', '/accounts', { account_id: name });
      await put(name, dice(index + 1), START - 6 * DAY, 200);
    }
    await app.settle();
  });

  afterEach(async () => {
    lake.remove();
    await app.close();
  });

  /** Samples of both sources in 12 days; some overlap. Those of ada have no offset, so her zone places them. */
  const put = async (name: string, roll: (sides: number) => number, from: number, count: number): Promise<void> => {
    const { id: account } = await app.get(AccountsService).get(name);
    for (const source of sources) {
      for (const resource of resources) {
        const data = Array.from({ length: count / 4 }, () => {
          const time = from - 20 * DAY + roll(24 * 12) * HOUR + roll(12) * 5 * MINUTE;
          const offset = name === 'ada' ? null : [null, 0, 3_600, -28_800][roll(4)];
          const times = { timestamp: iso(time), start: iso(time), end: iso(time + (1 + roll(90)) * MINUTE) };
          const pressure = { systolic: 110 + roll(30), diastolic: 60 + roll(30) };
          return { ...times, ...pressure, value: roll(200), timezone_offset: offset };
        });
        const records = mapGroups(resourceByName(resource) as Resource, [{ source, data }]);
        const provenance = { kind: 'message' as const, ref: ++looks, at: app.clock.now() + looks };
        await app.store.lane.run((tx) => app.get(HealthDataService).apply(tx, { account, records, provenance }));
      }
    }
  };

  /** What the API answers for days with samples, as rows. */
  const answered = async (name: string): Promise<Row[]> => {
    const query = `daily?resources=${resources.join(',')}&start=2026-09-10&end=2026-12-10`;
    const { body } = await app.call<{ data: DailyDto[] }>('GET', `/v1/accounts/${name}/${query}`, 'Bearer backend-key');
    return body.data.flatMap(({ resource, statistics, days }) =>
      days
        .filter(({ source, other_sources }) => source !== null || other_sources.length > 0)
        .map((day) => ({ resource, statistics, ...rowOf(day) })),
    );
  };
  const rowOf = ({ systolic, diastolic, source, last_day: _, ...day }: DayDto): Row => {
    const { min, max, mean, first, last } = systolic ?? day;
    const second = Object.entries(diastolic ?? {}).map(([key, value]): [string, unknown] => [`${key}2`, value]);
    const { provider = null, type = null } = source ?? {};
    const numbers = { sum: day.sum, min, max, mean, first, last, ...Object.fromEntries(second) } as Row;
    return { ...day, ...numbers, provider, source_type: type };
  };
  /** Rows without their nulls, with lists as lists. */
  const plain = (rows: readonly Row[]): Row[] =>
    rows.map(({ account_ref: _, ...row }) => {
      const cells = Object.entries(row).filter(([, cell]) => cell !== null && cell !== undefined);
      const read = cells.map(([name, cell]): [string, unknown] => {
        return [name, typeof cell === 'string' && cell.startsWith('[') ? JSON.parse(cell) : cell];
      });
      return Object.fromEntries(read);
    });
  const inFiles = async (name: string): Promise<Row[]> => {
    const { id } = await app.get(AccountsService).get(name);
    return lake.query(
      `SELECT * REPLACE (CAST(day AS text) AS day) FROM read_parquet('LAKE/daily/**/*.parquet', hive_partitioning = true)
       WHERE account_ref = ${id} ORDER BY resource, day`,
    );
  };
  const equals = async (name: string): Promise<void> => {
    const rows = await inFiles(name);
    expect(rows.length).toBeGreaterThan(10);
    expect(plain(rows)).toEqual(plain(await answered(name)));
  };
  const days = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => /^daily\/day=(.*)\//.exec(path)?.[1] ?? []).sort();

  it('are those of the API, with sources and state, also after new samples', async () => {
    await lake.export();
    for (const name of ['ada', 'ben']) await equals(name);
    await put('ada', dice(9), START - 30 * DAY, 40);
    await app.settle();
    const { run } = await lake.export();
    expect(run.whole).toBeNull();
    expect(days(run.written).length).toBeGreaterThan(0);
    for (const name of ['ada', 'ben']) await equals(name);
    expect((await lake.export()).run.written).toEqual([]);
  });

  it('are made anew on the days on which a sample may count, and stay on others', async () => {
    await lake.export();
    await put('ada', () => 0, START, 4);
    await app.settle();
    const { run } = await lake.export();
    const changed = START - 20 * DAY;
    const near = (day: string): boolean => Math.abs(Date.parse(day) - changed) <= 4 * DAY;
    expect(days(run.written).filter((day) => !near(day))).toEqual([]);
    expect(days(run.written)).toContain(iso(changed).slice(0, 10));
    for (const name of ['ada', 'ben']) await equals(name);
  });

  it('follow another time zone, another order of sources and a relink', async () => {
    await lake.export();
    const before = plain(await inFiles('ada'));
    await app.admin('PATCH', '/accounts/ada', { fallback_time_zone: 'Asia/Tokyo' });
    await app.settle();
    await lake.export();
    expect(plain(await inFiles('ada'))).not.toEqual(before);
    await equals('ada');
    const ordered = plain(await inFiles('ben'));
    const list = { sources: [{ provider: 'apple_health_kit', type: 'phone' }] };
    for (const resource of resources) {
      const data_type = dataTypeOf(resourceByName(resource) as Resource);
      expect((await app.admin('PATCH', '/source-priorities', { data_type, ...list })).status).toBe(200);
    }
    await app.settle();
    await lake.export();
    expect(plain(await inFiles('ben'))).not.toEqual(ordered);
    for (const name of ['ada', 'ben']) await equals(name);
    const { id } = await app.get(AccountsService).get('ada');
    const [user] = await app.store.reader.rows<{ user: string }>(
      'SELECT upstream_user_id AS "user" FROM accounts WHERE id = ?',
      [id],
    );
    await app.sandbox.control.eraseUser(user?.user ?? '');
    const relinked = await app.admin('POST', '/accounts/ada/relink');
    expect(relinked.status).toBe(200);
    looks += 1_000;
    await put('ada', dice(1), START - 6 * DAY, 40);
    await app.settle();
    await lake.export();
    for (const name of ['ada', 'ben']) await equals(name);
  });

  it('keep the days whose samples are kept as hourly sums, in a run and made anew', async () => {
    await lake.export();
    await app.advance(40 * 24 * 3_600);
    await app.run(CleanerWorker);
    await app.settle();
    await lake.export();
    expect((await inFiles('ada')).filter(({ thinned }) => thinned).length).toBeGreaterThan(3);
    for (const name of ['ada', 'ben']) await equals(name);
    const before = await inFiles('ada');
    rmSync(lake.folder, { recursive: true });
    await lake.export();
    expect(await inFiles('ada')).toEqual(before);
  });

  it('have nothing of an erased person, and everything of the others', async () => {
    await lake.export();
    const { id } = await app.get(AccountsService).get('ada');
    await app.admin('DELETE', '/accounts/ada');
    await app.settle();
    await lake.export();
    const sql = `SELECT DISTINCT account_ref FROM read_parquet('LAKE/daily/**/*.parquet')`;
    expect((await lake.query(sql)).map(({ account_ref }) => account_ref)).not.toContain(id);
    await equals('ben');
  });

  it('stay as they were if a run is interrupted among them, and are right after the next', async () => {
    await lake.export();
    const before = readFileSync(join(lake.folder, 'manifest.json'), 'utf8');
    await put('ada', dice(5), START, 40);
    await app.settle();
    const stop = new AbortController();
    const onProgress = (file: string): void => (file.startsWith('daily') ? stop.abort() : undefined);
    await expect(lake.export({ signal: stop.signal, onProgress })).rejects.toThrow(DatasetRefused);
    expect(readFileSync(join(lake.folder, 'manifest.json'), 'utf8')).toBe(before);
    expect(lake.wrong()).toEqual([]);
    await lake.export();
    for (const name of ['ada', 'ben']) await equals(name);
  });

  if (process.env['TEST_DATABASE_URL']) {
    describe('as a view of PostgreSQL', () => {
      let analyst: Analyst;
      beforeEach(() => void (analyst = new Analyst(app.database)));
      afterEach(() => analyst.close());

      const run = async (): Promise<Record<string, unknown>> => {
        const ended = await analyst.cli('daily');
        if (ended.code !== 0) throw new Error(ended.err);
        return ended.json();
      };
      const inView = async (name: string): Promise<Row[]> => {
        const { id } = await app.get(AccountsService).get(name);
        const rows = (await analyst.rows('daily')).filter(({ account_ref }) => account_ref === id);
        return inOrder(rows);
      };
      const equalsInView = async (name: string): Promise<void> => {
        const rows = await inView(name);
        expect(rows.length).toBeGreaterThan(10);
        expect(plain(rows)).toEqual(plain(inOrder(await answered(name))));
      };

      it('are those of the API, after new samples, another zone, a restart of the feed and a run that was stopped', async () => {
        expect(await run()).toMatchObject({ state: 'stored', computed: 'first_run' });
        for (const name of ['ada', 'ben']) await equalsInView(name);
        await put('ada', dice(9), START - 30 * DAY, 40);
        await app.admin('PATCH', '/accounts/ben', { fallback_time_zone: 'Asia/Tokyo' });
        await app.settle();
        expect(await run()).toMatchObject({ computed: null, people: 2 });
        for (const name of ['ada', 'ben']) await equalsInView(name);
        const [{ position } = { position: null }] = await analyst.rows('daily_run');
        await app.store.lane.run((tx) => tx.execute(`UPDATE change_feed SET feed = 'aaaaaaaaaaaa'`));
        await app.store.lane.run((tx) => tx.execute('DELETE FROM daily_numbers WHERE resource = ?', ['steps']));
        expect(await run()).toMatchObject({ computed: 'feed_restarted' });
        expect((await analyst.rows('daily_run'))[0]?.['position']).not.toBe(position);
        for (const name of ['ada', 'ben']) await equalsInView(name);
        await app.store.lane.run((tx) => tx.execute(`UPDATE daily_run SET columns = 'day'`));
        expect(await run()).toMatchObject({ computed: 'other_columns' });
      });

      it('lose a sample that is gone, also the last one of a person', async () => {
        await run();
        const { id } = await app.get(AccountsService).get('ada');
        await app.store.lane.run((tx) =>
          tx.execute('DELETE FROM samples WHERE series_id IN (SELECT id FROM series WHERE account_id = ?)', [id]),
        );
        await app.store.lane.run((tx) => tx.execute('DELETE FROM series WHERE account_id = ?', [id]));
        await app.admin('PATCH', '/accounts/ada', { fallback_time_zone: 'Asia/Tokyo' });
        await app.settle();
        await run();
        expect(await inView('ada')).toEqual([]);
        await equalsInView('ben');
      });

      it('have nothing of a person who is being erased, and no row of an erased one', async () => {
        await run();
        const { id } = await app.get(AccountsService).get('ada');
        await app.admin('DELETE', '/accounts/ada');
        expect((await analyst.rows('daily')).filter(({ account_ref }) => account_ref === id)).toEqual([]);
        await run();
        await app.settle();
        await run();
        const sql = 'SELECT COUNT(*) AS count FROM daily_numbers WHERE account_id = ?';
        expect(await app.store.reader.row(sql, [id])).toEqual({ count: 0 });
        await equalsInView('ben');
      });

      it('are refused before the first start, and stay right if a run is stopped', async () => {
        await run();
        await put('ada', dice(5), START, 40);
        await app.settle();
        const { config } = app.database;
        if (config.kind !== 'postgres') throw new Error('The database is a SQLite file.');
        const stop = new AbortController();
        const daily = dailyDays(readConfig(analyst.environment(), pulledResources), app.clock);
        const stopped = storeDays({
          ...{ config, entities, daily, now: app.clock.now(), signal: stop.signal },
          onProgress: (done) => (done === 1 ? stop.abort() : undefined),
        });
        await expect(stopped).rejects.toThrow(ViewsRefused);
        await run();
        for (const name of ['ada', 'ben']) await equalsInView(name);
        await app.store.lane.run((tx) => tx.execute(`UPDATE change_feed SET feed = ''`));
        expect(await analyst.cli('daily')).toMatchObject({
          code: 1,
          err: expect.stringContaining('start the service'),
        });
      });
    });
  }

  if (!process.env['TEST_DATABASE_URL']) {
    it('are a table of a copy of a SQLite file', async () => {
      const analyst = new Analyst(app.database);
      const { code } = await analyst.cli('copy', '--out', analyst.file);
      expect(code).toBe(0);
      const rows = analyst.tableOf('daily');
      await analyst.close();
      await lake.export();
      const numbers = ({ account_ref, resource, day, sum, mean, count }: Row): Row => {
        return { account_ref, resource, day, sum, mean, count };
      };
      const all = [...(await inFiles('ada')), ...(await inFiles('ben'))];
      expect(rows.map(numbers)).toEqual(all.map(numbers));
    });
  }
});
