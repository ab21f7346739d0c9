import { execFileSync } from 'node:child_process';
import { EventsService } from '../../src/ingest/events/events.service.js';
import type { Alarm } from '../../src/operations/alarms/alarm-list.js';
import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { deliver, messagesOf, processed } from '../ingest/inbox/support/deliveries.js';
import { event, type User, uuid } from '../ingest/inbox/support/events.js';
import { canDumpPostgres } from '../support/postgres-tools.js';
import { TestApp } from '../support/test-app.js';

/** PostgreSQL's own tools are not wherever a PostgreSQL can be reached. */
const onPostgresWithTools = canDumpPostgres ? it : it.skip;

function urlOf({ database }: TestApp): string {
  if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
  return database.config.url.reveal();
}

function dumped(app: TestApp): Buffer {
  return execFileSync('pg_dump', ['--format=custom', `--dbname=${urlOf(app)}`]);
}

/** As somebody does who forgets to stop the service. */
function restore(app: TestApp, dump: Buffer): void {
  const options = ['--clean', '--if-exists', '--single-transaction', `--dbname=${urlOf(app)}`];
  execFileSync('pg_restore', options, { input: dump });
}

const FIRST = Date.parse('2026-10-01T00:00:00Z');

describe('a database that goes back in time under a running process', () => {
  let app: TestApp;
  let anna: User;

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false });
    const { user_id } = (await app.as('anna', 'POST', '/me/sign-in-token', {})).body;
    anna = { user_id, client_user_id: 'anna', team_id: uuid(0xfff) };
  });

  afterEach(() => app.close());

  /** Once, between finding the owner of an event and storing it. */
  function meanwhile(happen: () => Promise<unknown>): void {
    const events = app.get(EventsService);
    const owner = events.owner.bind(events);
    events.owner = async (envelope, known) => {
      const found = await owner(envelope, known);
      events.owner = owner;
      await happen();
      return found;
    };
  }

  const heartrate = (count: number) => ({
    source: { provider: 'oura', type: 'ring' },
    data: Array.from({ length: count }, (_, n) => ({
      timestamp: new Date(FIRST + n * 60_000).toISOString(),
      unit: 'bpm',
      value: 50 + (n % 60),
    })),
  });
  const samples = () =>
    app.store.reader.rows(
      `SELECT accounts.account_id AS person, resource, COUNT(*) AS count FROM samples JOIN series ON series.id = series_id
       JOIN accounts ON accounts.id = series.account_id GROUP BY accounts.account_id, resource ORDER BY person`,
    );

  onPostgresWithTools(
    'accepts a restored dump without storing a value under another person, and reports it',
    async () => {
      const { user_id } = (await app.as('ben', 'POST', '/me/sign-in-token', {})).body;
      const ben: User = { user_id, client_user_id: 'ben', team_id: anna.team_id };
      const deliverAndProcess = async (user: User, resource: string, values: number) => {
        const { team_id: _team, ...body } = event(`daily.data.${resource}.created`, user, heartrate(values));
        await deliver(app, body);
        await processed(app);
      };
      await app.run(AlarmsWorker);
      const dump = dumped(app);
      await deliverAndProcess(anna, 'heartrate', 3);
      await deliverAndProcess(ben, 'glucose', 2);
      app.clock.advance(15_000);
      await app.run(AlarmsWorker);
      restore(app, dump);
      await deliverAndProcess(ben, 'glucose', 2);
      await deliverAndProcess(anna, 'heartrate', 3);
      expect(await samples()).toEqual([
        { person: 'anna', resource: 'heartrate', count: 3 },
        { person: 'ben', resource: 'glucose', count: 2 },
      ]);
      app.clock.advance(15_000);
      await app.run(AlarmsWorker);
      const { body } = await app.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
      expect(body.data.map(({ code }) => code)).toContain('database_went_back');
    },
  );

  it.each([
    ['a short message', 3],
    ['a long message, read in slices', 3_500],
  ])('never has %s stored under another person who now has the number', async (_, count) => {
    const { team_id: _team, ...body } = event('daily.data.heartrate.created', anna, heartrate(count));
    await deliver(app, body, { id: 'of-anna' });
    meanwhile(() =>
      app.store.lane.run((tx) =>
        tx.execute(`UPDATE accounts SET account_id = 'ben', upstream_user_id = ? WHERE account_id = 'anna'`, [uuid(2)]),
      ),
    );
    await processed(app);
    expect(await samples()).toEqual([]);
    const waiting = { status: 'retry', reason: 'storage_unavailable', attempts: 0, account_id: null };
    expect(await messagesOf(app).byId('of-anna')).toMatchObject(waiting);
    await app.wait(60);
    await processed(app);
    expect(await samples()).toEqual([{ person: 'anna', resource: 'heartrate', count }]);
  });
});
