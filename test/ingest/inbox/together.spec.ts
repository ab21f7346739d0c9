// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import fc from 'fast-check';
import { EventsService } from '../../../src/ingest/events/events.service.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed, withoutTable } from './support/deliveries.js';
import { event, mindfulness, sleep, type User } from './support/events.js';

const DAY = Date.parse('2026-10-01T00:00:00Z');
const DAY_MINUTES = 1_440;
const at = (minute: number): string => new Date(DAY + minute * 60_000).toISOString();

async function createUser({ sandbox }: TestApp, name: string): Promise<User> {
  const { users } = await sandbox.control.createUsers({ client_user_id: name });
  return users[0] as unknown as User;
}

const minutes = (user: User, minute: number, value = 10) =>
  event('daily.data.mindfulness_minutes.created', user, mindfulness({ start: at(minute), value }));

describe('messages of one claim', () => {
  let inbox: TestApp;
  let anna: User;
  let ben: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    anna = await createUser(inbox, 'anna');
    ben = await createUser(inbox, 'ben');
    await deliver(inbox, minutes(anna, 0), { id: 'first-of-anna' });
    await deliver(inbox, minutes(ben, 0), { id: 'first-of-ben' });
    await processed(inbox);
  });

  afterEach(() => inbox.close());

  /** Once, between finding the owner of an event and storing it. */
  function meanwhile(happen: () => Promise<unknown>): void {
    const events = inbox.get(EventsService);
    const owner = events.owner.bind(events);
    events.owner = async (envelope, known) => {
      events.owner = owner;
      await happen();
      return owner(envelope, known);
    };
  }

  const message = (id: string) => messagesOf(inbox).byId(id);
  const done = { status: 'done', reason: null, attempts: 1, due_at: null, lease_owner: null, lease_until: null };

  it('are done in one transaction, each with its owner and its event type', async () => {
    await deliver(inbox, minutes(anna, 60), { id: 'a' });
    await deliver(inbox, event('daily.data.sleep.created', ben, sleep(ben)), { id: 'b' });
    await processed(inbox);
    const [ofAnna, ofBen] = [await message('first-of-anna'), await message('first-of-ben')];
    expect(await message('a')).toMatchObject({
      ...done,
      event_type: 'daily.data.mindfulness_minutes.created',
      account_id: ofAnna?.account_id,
    });
    expect(await message('b')).toMatchObject({
      ...done,
      event_type: 'daily.data.sleep.created',
      account_id: ofBen?.account_id,
    });
    expect(await countOf(inbox, 'samples')).toBe(3);
    expect(await countOf(inbox, 'summaries')).toBe(1);
    expect(await inbox.metric('messages_processed_total', { outcome: 'done' })).toBe(4);
  });

  it('are not affected by one that cannot be stored', async () => {
    const restore = await withoutTable(inbox, 'sync_tasks');
    await deliver(inbox, minutes(anna, 60), { id: 'a' });
    await deliver(inbox, minutes(anna, 0, 20), { id: 'contradicts-what-is-stored' });
    await deliver(inbox, minutes(ben, 60), { id: 'b' });
    await processed(inbox);
    for (const id of ['a', 'b']) expect(await message(id)).toMatchObject(done);
    expect(await message('contradicts-what-is-stored')).toMatchObject({
      status: 'retry',
      reason: 'internal',
      attempts: 1,
      finished_at: null,
    });
    expect(await countOf(inbox, 'samples')).toBe(4);
    await restore();
    inbox.clock.advance(10_000);
    await processed(inbox);
    expect(await message('contradicts-what-is-stored')).toMatchObject({ ...done, attempts: 2 });
    expect(await countOf(inbox, 'sync_tasks')).toBe(1);
  });

  it('are done except for that of a person whose erasure is requested during the claim', async () => {
    await deliver(inbox, minutes(anna, 60), { id: 'a' });
    await deliver(inbox, minutes(ben, 60), { id: 'b' });
    await deliver(inbox, minutes(anna, 120), { id: 'c' });
    meanwhile(async () => expect((await inbox.admin('DELETE', '/accounts/ben')).status).toBe(202));
    await processed(inbox);
    for (const id of ['a', 'c']) expect(await message(id)).toMatchObject(done);
    const suppressed = { status: 'ignored', reason: 'account_erased', account_id: null, lease_owner: null };
    expect(await message('b')).toMatchObject(suppressed);
    const bodies = await inbox.store.reader.rows<{ message_id: string }>(
      'SELECT message_id FROM messages JOIN message_bodies ON message_bodies.seq = messages.seq ORDER BY message_id',
    );
    expect(bodies.map(({ message_id }) => message_id)).not.toContain('b');
    const stored = `SELECT time FROM samples JOIN series ON series.id = series_id
      JOIN accounts ON accounts.id = series.account_id WHERE accounts.account_id = 'ben'`;
    expect(await inbox.store.reader.rows(stored)).toHaveLength(1);
  });

  it('are done except for one whose lease another process has taken', async () => {
    for (const id of ['a', 'b', 'c']) await deliver(inbox, minutes(anna, 60 + id.charCodeAt(0)), { id });
    const until = inbox.clock.now() + 60_000;
    meanwhile(() =>
      inbox.store.lane.run((tx) =>
        tx.execute(`UPDATE messages SET lease_owner = 'another', lease_until = ? WHERE message_id = 'b'`, [until]),
      ),
    );
    await processed(inbox);
    for (const id of ['a', 'c']) expect(await message(id)).toMatchObject(done);
    const theirs = { status: 'received', lease_owner: 'another', lease_until: until, attempts: 1, account_id: null };
    expect(await message('b')).toMatchObject(theirs);
    expect(await countOf(inbox, 'samples')).toBe(4);
    expect(await inbox.metric('messages_processed_total', { outcome: 'not_stored' })).toBe(1);
  });
});

/** What one message of a made-up run says. */
interface Said {
  readonly person: number;
  readonly points: readonly { minute: number; value: number; unit: string }[];
  readonly kind: 'minutes' | 'half of them unreadable' | 'sleep' | 'nothing known';
}

const said: fc.Arbitrary<Said> = fc.record({
  person: fc.nat(2),
  points: fc.array(
    fc.record({ minute: fc.nat(5), value: fc.constantFrom(10, 20), unit: fc.constantFrom('min', 'minute') }),
    { minLength: 1, maxLength: 4 },
  ),
  kind: fc.constantFrom('minutes', 'minutes', 'minutes', 'half of them unreadable', 'sleep', 'nothing known'),
});

/** Of a run of its own, since runs have their own days. */
function eventOf({ points, kind }: Said, user: User, from: number): object {
  const { minute, value } = points[0] as Said['points'][number];
  if (kind === 'nothing known') return event('something.new', user, {});
  if (kind === 'sleep') {
    return event('daily.data.sleep.updated', user, sleep(user, { total: value, updated_at: at(from + minute) }));
  }
  const group = mindfulness(...points.map((point) => ({ ...point, start: at(from + point.minute * 30) })));
  if (kind === 'half of them unreadable') (group['data'] as unknown[]).push({ value });
  return event('daily.data.mindfulness_minutes.created', user, group);
}

/** Everything a message changes, by names that do not depend on the order in which accounts were made. */
const results = [
  `SELECT message_id, messages.status, reason, event_type, attempts, due_at, finished_at, accounts.account_id FROM messages
   LEFT JOIN accounts ON accounts.id = messages.account_id ORDER BY message_id`,
  `SELECT accounts.account_id, series.resource, provider, time, sibling, value, duration_ms, content, message_id
   FROM samples JOIN series ON series.id = series_id JOIN accounts ON accounts.id = series.account_id
   JOIN sample_groups ON sample_groups.id = group_id JOIN sample_attributes ON sample_attributes.id = attributes_id
   JOIN observations ON observations.id = observation_id JOIN messages ON messages.seq = observations.ref
   ORDER BY accounts.account_id, series.resource, time, sibling`,
  `SELECT accounts.account_id, summary_id, version, raw, message_id FROM summaries
   JOIN accounts ON accounts.id = summaries.account_id
   JOIN observations ON observations.id = observation_id JOIN messages ON messages.seq = observations.ref
   ORDER BY accounts.account_id, summary_id`,
  `SELECT accounts.account_id, provider, resource, origin, window_start, window_end FROM sync_tasks
   JOIN accounts ON accounts.id = sync_tasks.account_id
   ORDER BY accounts.account_id, resource, window_start, window_end`,
  `SELECT accounts.account_id, resource, reason, count FROM rejected_records
   JOIN accounts ON accounts.id = rejected_records.account_id ORDER BY accounts.account_id, digest`,
  `SELECT accounts.account_id, provider, resource, pull_streams.status FROM pull_streams
   JOIN accounts ON accounts.id = pull_streams.account_id ORDER BY accounts.account_id, provider, resource`,
  'SELECT provider, last_at FROM provider_deliveries ORDER BY provider',
];

describe('a claim of several messages', () => {
  let together: TestApp;
  let apart: TestApp;
  let users: User[];

  beforeEach(async () => {
    together = await TestApp.create({ webhooks: false });
    apart = await TestApp.create({ webhooks: false, upstream: together.sandbox });
    users = [];
    for (const name of ['anna', 'ben', 'carl']) users.push(await createUser(together, name));
    for (const app of [together, apart]) {
      for (const user of users) await deliver(app, minutes(user, 0), { id: `first-of-${user.client_user_id}` });
      await processed(app);
    }
  });

  afterEach(async () => {
    await apart.close();
    await together.close();
  });

  it('has the same result as the same messages one by one', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 2, maxLength: 8 }), async (messages) => {
        run += 1;
        for (const [number, one] of messages.entries()) {
          const id = `run-${run}-message-${number}`;
          const content = eventOf(one, users[one.person] as User, run * DAY_MINUTES);
          for (const app of [together, apart]) await deliver(app, content, { id });
          await processed(apart);
        }
        await processed(together);
        for (const sql of results) {
          expect(await together.store.reader.rows(sql)).toEqual(await apart.store.reader.rows(sql));
        }
      }),
      { numRuns: 15 },
    );
  });
});
