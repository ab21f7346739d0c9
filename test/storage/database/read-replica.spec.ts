// .ci/run runs this on PostgreSQL too: SQLite has no replica. A real standby is in test/places/read-replica.mjs.

import pg from 'pg';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import type { OverviewDto } from '../../../src/operations/overview/overview.dto.js';
import { DatabaseWatchWorker } from '../../../src/storage/work/database-watch.worker.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { childEnvironment } from '../../support/child-env.js';
import { SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { toldFacts } from '../../support/told-facts.js';

describe('the routes that may read from a replica', () => {
  it('are those of operators and of copies, and none of the app', async () => {
    const app = await TestApp.create();
    const facts = [...toldFacts(app)].filter(([, { fromReplica }]) => fromReplica);
    const { paths } = (
      await app.send<{ paths: Record<string, Record<string, { operationId: string }>> }>('GET /openapi.json')
    ).body;
    await app.close();
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ operationId, route: `${method} ${path}` })),
    );
    const marked = routes.filter(({ operationId }) => facts.some(([name]) => name === operationId));
    expect(marked.length).toBe(facts.length);
    expect(marked.length).toBeGreaterThan(30);
    expect(facts.filter(([, { caller }]) => caller !== 'key')).toEqual([]);
    expect(marked.map(({ route }) => route).filter((route) => !route.startsWith('get /admin/v1/'))).toEqual([
      'post /v1/snapshots',
    ]);
  });
});

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

onPostgres('a replica that cannot be used', () => {
  let database: TestDatabase;
  let another: TestDatabase;
  let app: TestApp;

  beforeEach(async () => {
    database = await testDatabase();
    another = await testDatabase();
  });

  afterEach(async () => {
    await app.close();
    await another.drop();
    await database.drop();
  });

  const urlOf = ({ config }: TestDatabase): string => (config.kind === 'postgres' ? config.url.reveal() : '');
  const overview = async () => (await app.admin<OverviewDto>('GET', '/overview')).body.replica;
  const readsOf = (server: string) => app.metric('replica_reads_total', { server });

  const cases: [string, (address: string) => string, string, RegExp][] = [
    ['the primary itself', (address) => address, 'writable', /is no standby: it accepts writes/],
    ['an address where nothing listens', () => 'postgres://keep@127.0.0.1:9/keep', 'unreachable', /\(ECONNREFUSED\)/],
    ['another database of the server', () => urlOf(another), 'other_database', /is no standby of DATABASE_URL/],
    [
      'a database without our tables',
      (address) => new URL('postgres', address).href,
      'other_database',
      /is no standby of/,
    ],
  ];

  it.each(cases)('such as %s leaves the reads to the primary, and says why', async (_, address, reason, finding) => {
    const DATABASE_READ_URL = address(urlOf(database));
    app = await TestApp.create({ database, env: { DATABASE_READ_URL } });
    expect(await overview()).toEqual({ used: false, reason: 'unseen', lag_seconds: null });
    await app.run(DatabaseWatchWorker);
    expect(await overview()).toEqual({ used: false, reason, lag_seconds: null });
    expect([await app.metric('replica_used'), await app.metric('replica_lag_seconds')]).toEqual([0, Number.NaN]);
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect((await app.admin('GET', '/accounts')).body).toMatchObject({ data: [{ account_id: 'anna' }] });
    const { out } = await runCli(
      ['doctor', '--json'],
      childEnvironment(database, app.sandbox.url, { DATABASE_READ_URL }),
    );
    const { checks } = JSON.parse(out) as { checks: { check: string; state: string; finding: string }[] };
    expect(checks.find(({ check }) => check === 'replica')).toMatchObject({
      state: 'bad',
      finding: expect.stringMatching(finding),
    });
  });

  it('raises an alarm once that has lasted a minute', async () => {
    app = await TestApp.create({ database, env: { DATABASE_READ_URL: urlOf(another) } });
    const alarms = async (): Promise<string[]> => {
      await app.run(DatabaseWatchWorker);
      await app.run(AlarmsWorker);
      const { data } = (await app.admin<{ data: { code: string }[] }>('GET', '/alarms')).body;
      return data.map(({ code }) => code).filter((code) => code === 'replica_unused');
    };
    expect(await alarms()).toEqual([]);
    app.clock.advance(59 * SECOND);
    expect(await alarms()).toEqual([]);
    app.clock.advance(SECOND);
    expect(await alarms()).toEqual(['replica_unused']);
    const logged = app.logs.filter((line) => line.includes('database.replica_unused'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('"reason":"other_database"');
  });

  it('would be asked for by lists, and never by the app, by single objects or by workers', async () => {
    app = await TestApp.create({ database, env: { DATABASE_READ_URL: urlOf(another) } });
    await app.connect('anna', 'oura', { days: 3, per_day: 1 });
    await app.settle();
    for (const path of ['/me', '/me/today', '/me/records/sleep', '/me/export']) await app.as('anna', 'GET', path);
    await app.admin('GET', '/accounts/anna');
    await app.admin('POST', '/accounts/anna/block', { reason: 'a test' });
    expect([await readsOf('primary'), await readsOf('replica')]).toEqual([0, 0]);
    await app.admin('GET', '/accounts');
    const lists = await readsOf('primary');
    expect(lists).toBeGreaterThan(0);
    const answer = await app.admin('GET', '/accounts/anna/export');
    expect(answer.status).toBe(200);
    expect(await readsOf('primary')).toBeGreaterThan(lists);
    expect(await readsOf('replica')).toBe(0);
  });
});

/**
 * The primary also plays its standby: a session with this `search_path` finds functions that say it is in recovery, and
 * has replayed the log up to the position that the test holds it at.
 */
const played = `CREATE SCHEMA played;
  CREATE TABLE played.held (position pg_lsn);
  CREATE FUNCTION played.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
  CREATE FUNCTION played.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS
    'SELECT COALESCE((SELECT MIN(position) FROM played.held), pg_current_wal_flush_lsn())';`;
const asStandby = '-c search_path=played,pg_catalog,public';

onPostgres('a replica that lags', () => {
  it('is never read before it has replayed what was written before, and is used again afterwards', async () => {
    const database = await testDatabase('unmigrated');
    const address = database.config.kind === 'postgres' ? database.config.url.reveal() : '';
    const url = new URL(address);
    url.searchParams.set('options', asStandby);
    const app = await TestApp.create({ database, env: { DATABASE_READ_URL: url.href } });
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    try {
      await client.query(played);
      const look = async () => {
        await app.run(DatabaseWatchWorker);
        return (await app.admin<OverviewDto>('GET', '/overview')).body.replica;
      };
      const list = async () => {
        const [replica, primary] = [
          await app.metric('replica_reads_total', { server: 'replica' }),
          await app.metric('replica_reads_total', { server: 'primary' }),
        ];
        const { body } = await app.admin<{ data: { account_id: string }[] }>('GET', '/accounts');
        return {
          names: body.data.map(({ account_id }) => account_id).sort(),
          replica: (await app.metric('replica_reads_total', { server: 'replica' })) > replica,
          primary: (await app.metric('replica_reads_total', { server: 'primary' })) > primary,
        };
      };
      await app.as('anna', 'POST', '/me/sign-in-token', {});
      expect(await look()).toMatchObject({ used: true, reason: null });
      expect(await list()).toEqual({ names: ['anna'], replica: true, primary: false });

      await client.query('INSERT INTO played.held SELECT pg_current_wal_flush_lsn()');
      await app.as('ben', 'POST', '/me/sign-in-token', {});
      expect(await list()).toEqual({ names: ['anna', 'ben'], replica: false, primary: true });
      expect(await look()).toMatchObject({ used: false, reason: 'behind' });
      expect(await list()).toEqual({ names: ['anna', 'ben'], replica: false, primary: true });

      await client.query('DELETE FROM played.held');
      expect(await look()).toMatchObject({ used: true, reason: null });
      expect(await list()).toEqual({ names: ['anna', 'ben'], replica: true, primary: false });
    } finally {
      await client.end();
      await app.close();
      await database.drop();
    }
  });
});
