import { OwnerLookupEntity } from '../../../src/ingest/events/owner-lookup.entity.js';
import { OwnerLookupsWorker } from '../../../src/ingest/events/owner-lookups.worker.js';
import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, mindfulness, type User, uuid } from './support/events.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('messages of users who have no account here', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { users } = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = users[0] as unknown as User;
  });

  afterEach(() => inbox.close());

  const minutes = (of: User, start = '2026-11-20T08:00:00Z') =>
    event('daily.data.mindfulness_minutes.created', of, mindfulness({ start, value: 10 }));
  const stranger = (n: number): User => ({ ...user, user_id: uuid(n), client_user_id: `stranger-${n}` });
  const lookups = () => inbox.table(OwnerLookupEntity).all();
  const learn = async (): Promise<void> => {
    await deliver(inbox, minutes(user));
    await processed(inbox);
  };

  it('wait separately: the inbox makes no call and stores other messages', async () => {
    await learn();
    await inbox.sandbox.control.clearCalls();
    await deliver(inbox, minutes(stranger(1)), { id: 'unknown' });
    await deliver(inbox, minutes(user, '2026-11-20T09:00:00Z'), { id: 'known' });
    await inbox.run(InboxWorker);
    expect(await messagesOf(inbox).byId('known')).toMatchObject({ status: 'done' });
    expect(await messagesOf(inbox).byId('unknown')).toMatchObject({
      status: 'retry',
      reason: 'waiting_for_user',
      due_at: null,
      attempts: 0,
    });
    expect((await inbox.sandbox.control.calls()).calls).toEqual([]);
    expect(await inbox.metric('messages', { state: 'waiting_for_user' })).toBe(1);
    expect(await inbox.metric('owner_lookups', { state: 'waiting' })).toBe(1);
  });

  it('are stored once upstream has named the user, and the lookup is deleted', async () => {
    await deliver(inbox, minutes(user), { id: 'first' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('first')).toMatchObject({ status: 'done', attempts: 1, lookup_id: null });
    expect(await countOf(inbox, 'samples')).toBe(1);
    expect(await lookups()).toEqual([]);
  });

  it('are stored without a call if their user gets an account in another way', async () => {
    await inbox.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user', method: 'GET' });
    await deliver(inbox, minutes(user), { id: 'first' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('first')).toMatchObject({ status: 'retry' });
    await inbox.sandbox.control.clearFaults();
    await inbox.as('cust-1', 'POST', '/me/sign-in-token', {});
    await inbox.sandbox.control.clearCalls();
    inbox.clock.advance(MINUTE);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('first')).toMatchObject({ status: 'done' });
    expect((await inbox.sandbox.control.calls({ path: '/v2/user' })).calls).toEqual([]);
  });

  it('wait while upstream is away, and their lookup shows the reason', async () => {
    await inbox.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user', method: 'GET' });
    await deliver(inbox, minutes(user), { id: 'msg_a' });
    for (let hour = 0; hour < 14; hour += 1) {
      await processed(inbox);
      inbox.clock.advance(HOUR);
    }
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'retry', attempts: 0 });
    expect(await lookups()).toMatchObject([{ error_code: 'upstream_unavailable', attempts: 0 }]);
    const { body } = await inbox.admin<{ waiting: object[] }>('GET', '/overview');
    expect(body.waiting).toEqual([
      { kind: 'message', last_error: 'waiting_for_user', count: 1 },
      { kind: 'owner_lookup', last_error: 'upstream_unavailable', count: 1 },
    ]);
    await inbox.sandbox.control.clearFaults();
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
  });

  it('are dead after five lookups over minutes, and for a while upstream is not called again', async () => {
    await deliver(inbox, minutes(stranger(404)), { id: 'msg_a' });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await processed(inbox);
      expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(attempt);
      if (attempt < 5) inbox.clock.advance(5 * MINUTE);
    }
    const dead = { status: 'dead', reason: 'unknown_user', account_id: null, due_at: null };
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject(dead);
    await deliver(inbox, minutes(stranger(404)), { id: 'msg_b' });
    await inbox.run(InboxWorker);
    expect(await messagesOf(inbox).byId('msg_b')).toMatchObject(dead);
    expect(await inbox.metric('owner_lookups', { state: 'refused' })).toBe(1);
    expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(5);
    inbox.clock.advance(15 * MINUTE);
    await deliver(inbox, minutes(stranger(404)), { id: 'msg_c' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_c')).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
    expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(6);
  });

  it('are looked up again if the last lookup was refused while the clock was a day ahead', async () => {
    inbox.clock.step(24 * HOUR);
    await deliver(inbox, minutes(stranger(1)));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await processed(inbox);
      if (attempt < 5) inbox.clock.advance(5 * MINUTE);
    }
    inbox.clock.step(-24 * HOUR);
    await deliver(inbox, minutes(stranger(1)), { id: 'msg_b' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_b')).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
  });

  it('leave no refused lookup after its time', async () => {
    await deliver(inbox, minutes(stranger(404)));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await processed(inbox);
      inbox.clock.advance(5 * MINUTE);
    }
    await inbox.run(InboxWorker);
    expect(await lookups()).toHaveLength(1);
    inbox.clock.advance(HOUR);
    await inbox.run(OwnerLookupsWorker);
    expect(await lookups()).toEqual([]);
  });

  it('are found by one walk of the list of users, however many they are', async () => {
    await inbox.sandbox.control.configure({ user_limit: null, page_size: 50 });
    const { users } = await inbox.sandbox.control.createUsers({ count: 30, prefix: 'many' });
    const known = users as unknown as User[];
    const unknown = Array.from({ length: 30 }, (_, n) => stranger(n + 1));
    for (const one of [...known, ...unknown]) await deliver(inbox, minutes(one), { id: one.user_id });
    await processed(inbox);
    const { calls } = await inbox.sandbox.control.calls({ path: '/v2/user', method: 'GET' });
    expect(calls.filter(({ path }) => /^\/v2\/user\/?$/.test(path))).toHaveLength(1);
    expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(0);
    expect(await countOf(inbox, 'accounts')).toBe(30);
    expect(await countOf(inbox, 'samples')).toBe(30);
    for (const { user_id } of unknown) {
      expect(await messagesOf(inbox).byId(user_id)).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
    }
  });

  it('are found although an earlier page of the list is unreadable; those on it by a call each', async () => {
    await inbox.sandbox.control.configure({ user_limit: null });
    const { users } = await inbox.sandbox.control.createUsers({ count: 30, prefix: 'many' });
    const body = JSON.stringify({ users: Array.from({ length: 20 }, () => ({})), total: 31, offset: 0, limit: 500 });
    const struck = { kind: 'status', status: 200, body, path: '^/v2/user/?$', method: 'GET', times: 1 } as const;
    await inbox.sandbox.control.fault(struck);
    for (const one of users as unknown as User[]) await deliver(inbox, minutes(one));
    await processed(inbox);
    expect(await countOf(inbox, 'samples')).toBe(30);
    // The page after the unreadable one begins ten places before its end.
    expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(9);
  });

  it('are adopted once and all stored, however many of one user arrive together', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => deliver(inbox, minutes(user, `2026-11-20T08:${10 + n}:00Z`))),
    );
    await processed(inbox);
    expect(await countOf(inbox, 'samples')).toBe(30);
    expect(await inbox.callsTo('GET /v2/user/:user_id')).toBe(1);
  });

  it('are found by the customer id alone', async () => {
    const { user_id: _, ...named } = minutes(user);
    await deliver(inbox, named, { id: 'by-client-id' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('by-client-id')).toMatchObject({ status: 'done' });
    expect(await countOf(inbox, 'samples')).toBe(1);
    expect(await inbox.callsTo('GET /v2/user/resolve/:client_user_id')).toBe(1);
    await deliver(inbox, { ...named, client_user_id: 'nobody' }, { id: 'nobody' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('nobody')).toMatchObject({ status: 'retry', reason: 'waiting_for_user' });
  });

  it.each([
    ['is no id of upstream', '../../operations/overview'],
    ['is a text that no store keeps', 'x'.repeat(3_000)],
  ])('are dead immediately if the id %s', async (_name, user_id) => {
    await deliver(inbox, minutes({ ...user, user_id }), { id: 'msg_a' });
    await inbox.run(InboxWorker);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'dead', reason: 'unknown_user' });
    expect((await inbox.sandbox.control.calls()).calls).toEqual([]);
  });

  it('are dead with the reason if the user cannot be taken over', async () => {
    const { users } = await inbox.sandbox.control.createUsers({ client_user_id: 'a\u0001b' });
    const odd = users[0] as unknown as User;
    const { client_user_id: _, ...named } = minutes(odd);
    await deliver(inbox, named, { id: 'odd' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('odd')).toMatchObject({ status: 'dead', reason: 'account_id_not_allowed' });
  });

  it('are looked up again when an operator replays them', async () => {
    await deliver(inbox, minutes(user), { id: 'msg_a' });
    await inbox.run(InboxWorker);
    expect((await inbox.admin('POST', '/messages/msg_a/replay')).status).toBe(202);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ lookup_id: null });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
  });

  it('all end if some arrive while others are released', async () => {
    for (let n = 0; n < 3; n += 1) {
      await deliver(inbox, minutes(user, `2026-11-20T08:1${n}:00Z`));
      await inbox.run(InboxWorker);
      await inbox.run(OwnerLookupsWorker);
    }
    await inbox.run(InboxWorker);
    expect(await countOf(inbox, 'samples')).toBe(3);
    expect(await lookups()).toEqual([]);
  });
});
