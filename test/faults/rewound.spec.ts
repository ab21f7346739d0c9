import { EventsService } from '../../src/events/events.service.js';
import { TestApp } from '../support/test-app.js';
import { deliver, messagesOf, processed } from '../webhooks/support/deliveries.js';
import { event, type User, uuid } from '../webhooks/support/events.js';

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
    events.owner = async (envelope) => {
      const found = await owner(envelope);
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
      `SELECT accounts.account_id AS person, COUNT(*) AS count FROM samples JOIN series ON series.id = series_id
       JOIN accounts ON accounts.id = series.account_id GROUP BY accounts.account_id`,
    );

  it.each([
    ['a short message', 3],
    ['a long message, read in slices', 3_500],
  ])('never has %s stored under another person who has the number now', async (_, count) => {
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
    expect(await samples()).toEqual([{ person: 'anna', count }]);
  });
});
