// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { catalogue, type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { SourcePrioritiesWorker } from '../../../src/ingest/sources/source-priorities.worker.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { adminKeys } from '../../support/environment.js';
import { RecordPages, type Row } from './support/record-pages.js';

const ring = { provider: 'oura', type: 'ring' };
const watch = { provider: 'fitbit', type: 'watch' };
const phone = { provider: 'apple_health_kit', type: 'phone' };

describe('pages of records', () => {
  const pages = new RecordPages();

  const night = (id: string, day: string, more: object = {}): object => ({
    id,
    calendar_date: day,
    bedtime_start: `${day}T00:00:00Z`,
    bedtime_stop: `${day}T08:00:00Z`,
    updated_at: `${day}T09:00:00Z`,
    source: ring,
    ...more,
  });
  const nights = (...objects: object[]): Records => mapSummaries(resourceOf('sleep'), objects);
  const ids = (rows: readonly Row[]): unknown[] => rows.map((row) => row['id']);

  describe('of the latest per day', () => {
    const latest = (query = ''): Promise<Row[]> => pages.walk(`sleep?latest_per_day=true&limit=2${query}`);

    it('have for each day, of equally long sleeps of the best source, the one that upstream changed last', async () => {
      await pages.apply(
        nights(
          night('early', '2026-11-02'),
          night('corrected', '2026-11-02', { updated_at: '2026-11-09T00:00:00.000002Z' }),
          night('later', '2026-11-02', { updated_at: '2026-11-09T00:00:00.000001Z' }),
          night('other', '2026-11-02', { source: watch }),
          night('next', '2026-11-03'),
          night('dayless', '2026-11-04', { calendar_date: undefined }),
        ),
      );
      expect(ids(await latest())).toEqual(['other', 'next']);
      expect(ids(await latest('&provider=oura'))).toEqual(['corrected', 'next']);
      expect((await pages.walk('sleep?limit=2')).length).toBe(6);
    });

    it('have a night once, also if two sources give it to different days', async () => {
      const times = { bedtime_start: '2026-11-02T22:00:00Z', bedtime_stop: '2026-11-03T06:00:00Z' };
      const before = { bedtime_start: '2026-11-01T22:00:00Z', bedtime_stop: '2026-11-02T06:00:00Z' };
      await pages.apply(
        nights(
          night('of ring', '2026-11-03', times),
          night('of ring before', '2026-11-02', before),
          night('of watch', '2026-11-02', { ...times, source: { provider: 'zepp', type: 'watch' } }),
          night('of watch before', '2026-11-01', { ...before, source: { provider: 'zepp', type: 'watch' } }),
        ),
      );
      expect(ids(await latest())).toEqual(['of ring before', 'of ring']);
      for (const [day, shown] of [
        ['2026-11-01', []],
        ['2026-11-02', ['of ring before']],
        ['2026-11-03', ['of ring']],
      ] as const)
        expect(ids(await latest(`&first_day=${day}&last_day=${day}`))).toEqual(shown);
    });

    it('have the longest sleep of a day, not the one changed last, and a nap only if there is nothing else', async () => {
      const after = { updated_at: '2026-11-09T00:00:00Z' };
      const ends = (stop: string): object => ({ bedtime_stop: `2026-11-02T${stop}Z`, ...after });
      await pages.apply(
        nights(
          night('main', '2026-11-02', { type: 'long_sleep', bedtime_stop: '2026-11-02T05:00:00Z' }),
          night('short', '2026-11-02', { type: 'short_sleep', ...ends('02:00:00') }),
          night('nap', '2026-11-02', { type: 'acknowledged_nap', ...ends('06:00:00') }),
          night('endless', '2026-11-02', { bedtime_stop: undefined, ...after }),
          night('only', '2026-11-03', { type: 'acknowledged_nap', bedtime_stop: '2026-11-03T00:20:00Z' }),
        ),
      );
      expect(ids(await latest())).toEqual(['main', 'only']);
    });

    it('have the activity of one type of source, without sums', async () => {
      const activity = (id: string, type: string, steps: number, updated: string): object => ({
        ...{ id, steps, calendar_date: '2026-11-02', updated_at: `2026-11-${updated}T00:00:00Z` },
        source: { provider: 'apple_health_kit', type },
      });
      const objects = [activity('w1', 'watch', 8_000, '03'), activity('w2', 'watch', 9_000, '04')];
      await pages.apply(mapSummaries(resourceOf('activity'), [...objects, activity('p', 'phone', 2_000, '05')]));
      expect(ids(await pages.walk('activity?latest_per_day=true&limit=1'))).toEqual(['w2']);
    });

    it('have every workout of a day, page by page', async () => {
      const run = (id: string, hour: string, more: object = {}): object => ({
        ...{ id, calendar_date: '2026-11-02', time_start: `2026-11-02T${hour}:00:00Z`, source: watch },
        ...{ time_end: `2026-11-02T${hour}:30:00Z`, updated_at: `2026-11-02T${hour}:40:00Z`, ...more },
      });
      const objects = [run('c', '07'), run('a', '18'), run('b', '12', { source: ring }), run('d', '20')];
      await pages.apply(mapSummaries(resourceOf('workouts'), objects));
      expect(ids(await pages.walk('workouts?latest_per_day=true&limit=1'))).toEqual(['a', 'c', 'd', 'b']);
    });

    it('have a workout across midnight once, also if two sources give it to different days', async () => {
      const run = (id: string, day: string, start: string, more: object = {}): object => ({
        ...{ id, calendar_date: day, time_start: `2026-11-${start}Z`, source: watch },
        ...{ time_end: '2026-11-03T01:00:00Z', updated_at: '2026-11-03T02:00:00Z', ...more },
      });
      const first = run('a', '2026-11-02', '02T23:00:00');
      const grown = run('b', '2026-11-02', '02T23:00:02', { time_end: '2026-11-02T23:20:00Z' });
      const other = run('c', '2026-11-03', '02T23:05:00', { source: ring });
      const later = run('d', '2026-11-03', '03T08:00:00', { time_end: '2026-11-03T09:00:00Z', source: ring });
      await pages.apply(mapSummaries(resourceOf('workouts'), [first, grown, other, later]));
      for (const limit of [1, 2, 9])
        expect(ids(await pages.walk(`workouts?latest_per_day=true&limit=${limit}`))).toEqual(['a', 'd']);
      // The better source may give it to the later day.
      const more = { time_end: '2026-11-05T01:00:00Z' };
      await pages.apply(
        mapSummaries(resourceOf('workouts'), [
          run('e', '2026-11-04', '04T23:00:00', { ...more, source: ring }),
          run('f', '2026-11-05', '04T23:02:00', more),
        ]),
      );
      for (const limit of [1, 9])
        expect(ids(await pages.walk(`workouts?latest_per_day=true&limit=${limit}`))).toEqual(['a', 'd', 'f']);
      const days = '&first_day=2026-11-03&last_day=2026-11-03';
      expect(ids(await pages.walk(`workouts?latest_per_day=true&limit=1${days}`))).toEqual(['d']);
      expect(ids(await pages.walk(`workouts?latest_per_day=true&limit=1${days}&source_type=ring`))).toEqual(['c', 'd']);
    });

    it('have a meal that two sources report at one instant once, and every meal of the better source', async () => {
      const meal = (id: string, hour: string, source: object): object => ({
        ...{ id, source, calendar_date: '2026-11-02', timestamp: `2026-11-02T${hour}:00:00Z`, name: 'Meal' },
        updated_at: '2026-11-02T20:00:00Z',
      });
      const better = [meal('soup', '12', watch), meal('bread', '12', watch)];
      const objects = [...better, meal('same', '12', ring), meal('supper', '19', ring)];
      await pages.apply(mapSummaries(resourceOf('meal'), objects));
      expect(ids(await pages.walk('meal?latest_per_day=true&limit=1'))).toEqual(['bread', 'soup', 'supper']);
    });

    describe('with a list of priorities', () => {
      type List = { data_type: string; decided_by: string; sources: unknown[]; upstream_unreadable: number };
      const any = (provider: string): object => ({ provider, type: null });
      const change = (data_type: string, sources: object[] | null, account?: string): Promise<unknown> =>
        pages.app.admin('PATCH', `${account ? `/accounts/${account}` : ''}/source-priorities`, { data_type, sources });
      const decided = async (data_type: string): Promise<List | undefined> => {
        const { body } = await pages.app.admin<{ data: List[] }>('GET', `/accounts/${pages.anna}/source-priorities`);
        return body.data.find((list) => list.data_type === data_type);
      };

      afterEach(async () => {
        await pages.app.store.lane.run((tx) => tx.execute('DELETE FROM source_priorities'));
        await pages.app.sandbox.control.configure({ source_priorities: {} });
      });

      it('have the newest record of the first source if several have one time', async () => {
        const newest = async (): Promise<unknown[]> => {
          const path = `GET /v1/accounts/${pages.anna}/latest?resources=activity,heartrate`;
          const { body } = await pages.app.send<{ data: { record: Row }[] }>(path, { token: adminKeys.reader });
          return body.data.map(({ record }) => record['source']);
        };
        for (const [id, source] of [['z', ring] as const, ['a', watch] as const]) {
          const activity = { id, source, calendar_date: '2026-11-02', updated_at: '2026-11-03T00:00:00Z' };
          await pages.apply(mapSummaries(resourceOf('activity'), [activity]));
          const beat = { timestamp: '2026-11-02T08:00:00Z', value: 60, unit: 'bpm' };
          await pages.apply(mapGroups(resourceOf('heartrate'), [{ source: { ...source }, data: [beat] }]));
        }
        expect(await newest()).toMatchObject([watch, watch]);
        await change('activity', [any('oura')]);
        await change('timeseries', [any('oura')]);
        expect(await newest()).toMatchObject([ring, ring]);
      });

      it('have the newest record that upstream changed last if one source has several of one time', async () => {
        const activity = (id: string, day: string): object => ({
          ...{ id, source: ring, calendar_date: '2026-11-02', updated_at: `2026-11-${day}T00:00:00Z` },
        });
        await pages.apply(mapSummaries(resourceOf('activity'), [activity('a', '04'), activity('z', '03')]));
        const path = `GET /v1/accounts/${pages.anna}/latest?resources=activity`;
        const { body } = await pages.app.send<{ data: { record: Row }[] }>(path, { token: adminKeys.reader });
        expect(body.data).toMatchObject([{ record: { id: 'a' } }]);
      });

      it('have the records of the first source, by the list of the account, then of the deployment, then of upstream [connections#source-priorities]', async () => {
        await pages.apply(nights(night('ring', '2026-11-02'), night('watch', '2026-11-02', { source: watch })));
        await pages.apply(nights(night('watch only', '2026-11-03', { source: watch })));
        expect(ids(await latest())).toEqual(['watch', 'watch only']);
        const listed = [{ provider: 'oura', source_type: 'ring' }, { team: 'no source' }];
        await pages.app.sandbox.control.configure({ source_priorities: { sleep: listed } });
        pages.app.clock.advance(25 * 3_600_000);
        await pages.app.run(SourcePrioritiesWorker);
        expect(ids(await latest())).toEqual(['ring', 'watch only']);
        expect(await decided('sleep')).toMatchObject({ decided_by: 'upstream', upstream_unreadable: 1 });
        await change('sleep', [any('fitbit')]);
        expect(ids(await latest())).toEqual(['watch', 'watch only']);
        expect((await pages.app.admin('GET', '/overview')).body).toMatchObject({
          source_priorities: { set: 1, upstream_read_at: expect.any(String), upstream_unreadable: 1 },
        });
        await change('sleep', [{ provider: 'oura', type: 'ring' }], pages.anna);
        expect(ids(await latest())).toEqual(['ring', 'watch only']);
        expect(await decided('sleep')).toMatchObject({
          decided_by: 'account',
          sources: [{ provider: 'oura', type: 'ring' }],
        });
      });

      it('have the night of a later source rather than a nap of the first', async () => {
        await change('sleep', [any('oura')], pages.anna);
        const nap = { type: 'acknowledged_nap', bedtime_stop: '2026-11-02T00:20:00Z' };
        await pages.apply(nights(night('nap', '2026-11-02', nap), night('night', '2026-11-02', { source: watch })));
        expect(ids(await latest())).toEqual(['night']);
      });

      it('have every workout that none of a better source overlaps', async () => {
        await change('workouts', [any('fitbit')], pages.anna);
        const run = (id: string, from: string, to: string, source: object): object => ({
          ...{ id, calendar_date: '2026-11-02', source, updated_at: '2026-11-02T20:00:00Z' },
          ...{ time_start: `2026-11-02T${from}:00Z`, time_end: `2026-11-02T${to}:00Z` },
        });
        const both = [run('watch run', '07:00', '08:00', watch), run('ring run', '07:05', '08:05', ring)];
        const objects = [...both, run('ring walk', '08:00', '09:00', ring)];
        await pages.apply(mapSummaries(resourceOf('workouts'), objects));
        expect(ids(await pages.walk('workouts?latest_per_day=true'))).toEqual(['watch run', 'ring walk']);
      });

      it('refuse lists with an unknown data type or source', async () => {
        for (const body of [
          { data_type: 'moods', sources: [] },
          { data_type: 'sleep', sources: [{ provider: '', type: null }] },
          { data_type: 'sleep', sources: [{ provider: 'oura' }] },
        ]) {
          const { status } = await pages.app.admin('PATCH', '/source-priorities', body);
          expect(status).toBe(400);
        }
      });
    });

    it('have the one seen last of equal versions', async () => {
      await pages.apply(nights(night('b', '2026-11-02')));
      await pages.apply(nights(night('a', '2026-11-02')));
      expect(ids(await latest())).toEqual(['a']);
    });

    it('choose among the filtered records', async () => {
      const phone = { source: { provider: 'oura', type: 'phone' }, updated_at: '2026-11-09T00:00:00Z' };
      await pages.apply(nights(night('ring', '2026-11-02'), night('phone', '2026-11-02', phone)));
      await pages.apply(nights(night('next', '2026-11-03'), night('w', '2026-11-02', { source: watch })));
      expect(ids(await latest('&source_type=ring'))).toEqual(['ring', 'next']);
      expect(ids(await latest('&provider=fitbit'))).toEqual(['w']);
      expect(ids(await latest('&first_day=2026-11-03'))).toEqual(['next']);
      expect(ids(await latest('&end=2026-11-03T00:00:00Z'))).toEqual(['w']);
    });

    it('stay correct while rows are added before, at and after their position', async () => {
      await pages.apply(nights(night('a', '2026-11-02'), night('b', '2026-11-03'), night('c', '2026-11-04')));
      const newer = { updated_at: '2026-11-09T00:00:00Z' };
      const seen = await pages.walk('sleep?latest_per_day=true&limit=1', async (page) => {
        if (page !== 1) return;
        await pages.apply(nights(night('z', '2026-11-01'), night('a2', '2026-11-02', newer)));
        await pages.apply(nights(night('b2', '2026-11-03', newer), night('d', '2026-11-05', { source: watch })));
      });
      expect(ids(seen)).toEqual(['a', 'b2', 'c', 'd']);
    });

    it('show a day once, also if a better source sends it after its page', async () => {
      await pages.apply(nights(night('a', '2026-11-02', { source: phone }), night('b', '2026-11-03')));
      const seen = await pages.walk('sleep?latest_per_day=true&limit=1', async (page) => {
        if (page === 1) await pages.apply(nights(night('a2', '2026-11-02')));
      });
      expect(ids(seen)).toEqual(['a', 'b']);
      expect(ids(await latest())).toEqual(['a2', 'b']);
    });

    it('are the same for the owner', async () => {
      await pages.apply(
        nights(night('a', '2026-11-02'), night('b', '2026-11-02', { updated_at: '2026-11-09T00:00:00Z' })),
      );
      const own = await pages.app.as<Page<Row>>(pages.anna, 'GET', '/me/records/sleep?latest_per_day=true');
      expect([own.status, ids(own.body.data)]).toEqual([200, ['b']]);
    });

    it.each(catalogue.filter(({ hasDay }) => !hasDay).map(({ name }) => name))(
      'are refused for %s, which has no days',
      async (name) => {
        const path = `/accounts/${pages.anna}/records/${name}`;
        const { status, body } = await pages.app.admin('GET', `${path}?latest_per_day=true`);
        expect([status, body['code']]).toEqual([400, 'invalid_request']);
        const list = 'activity, body, meal, sleep, workouts';
        const message = `latest_per_day is supported only for resources with a calendar day: ${list}`;
        expect(body['errors']).toEqual([{ field: 'latest_per_day', message }]);
        const hasNoDays = ['profile', 'workout_stream'].includes(name);
        const ofDay = await pages.app.admin('GET', `${path}?first_day=2026-11-01&last_day=2026-11-01`);
        expect([name, ofDay.status === 400]).toEqual([name, hasNoDays]);
        expect((await pages.read(`${name}?latest_per_day=false`)).status).not.toBe(400);
      },
    );
  });
});

function resourceOf(name: string): Resource {
  const resource = resourceByName(name);
  if (!resource) throw new TypeError('the catalogue has no such resource');
  return resource;
}
