import { ReplayTurn } from '../../../src/ingest/inbox/replay-turn.js';
import type { ReplayDto } from '../../../src/ingest/inbox/replays.dto.js';
import { Replays } from '../../../src/ingest/inbox/replays.service.js';
import type { ActivityDto } from '../../../src/operations/overview/activity.dto.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { deliver, emptyInbox, messagesOf, processed } from './support/deliveries.js';
import { event, sleep, type User } from './support/events.js';

const MINUTE = 60_000;

describe('/admin/v1/messages', () => {
  let inbox: TestApp;
  let user: User;

  beforeAll(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const created = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = created.users[0] as unknown as User;
  });

  beforeEach(async () => {
    inbox.clock.set(START);
    await emptyInbox(inbox);
    await someMessages();
  });

  afterAll(() => inbox.close());

  const list = async (query: string): Promise<{ ids: unknown[]; next: string | null }> => {
    const { status, body } = await inbox.admin('GET', `/messages${query}`, undefined, 'viewer');
    expect(status).toBe(200);
    const data = body['data'] as Record<string, unknown>[];
    return { ids: data.map((message) => message['message_id']), next: body['next_cursor'] };
  };

  const replay = (body: object): Promise<{ status: number; body: ReplayDto }> =>
    inbox.admin<ReplayDto>('POST', '/messages/replay', body);

  const replayOf = async (id: number): Promise<ReplayDto> =>
    (await inbox.admin<ReplayDto>('GET', `/messages/replays/${id}`, undefined, 'viewer')).body;

  /** Two of an account, one ignored, one not looked at yet; three minutes between them. */
  async function someMessages(): Promise<void> {
    await deliver(inbox, event('daily.data.sleep.created', user, sleep(user)), { id: 'a' });
    inbox.clock.advance(3 * MINUTE);
    await deliver(inbox, event('daily.data.sleep.updated', user, sleep(user)), { id: 'b' });
    inbox.clock.advance(3 * MINUTE);
    await deliver(inbox, { event_type: 'something.new' }, { id: 'c' });
    await processed(inbox);
    inbox.clock.advance(3 * MINUTE);
    await deliver(inbox, 'not json', { id: 'd' });
  }

  it('lists them newest first, page by page, without bodies', async () => {
    expect(await list('')).toEqual({ ids: ['d', 'c', 'b', 'a'], next: null });
    const first = await list('?limit=3');
    expect(first.ids).toEqual(['d', 'c', 'b']);
    expect(await list(`?limit=3&cursor=${first.next}`)).toEqual({ ids: ['a'], next: null });
    const { body } = await inbox.admin('GET', '/messages?status=done', undefined, 'viewer');
    expect((body['data'] as unknown[])[1]).toEqual({
      message_id: 'a',
      status: 'done',
      reason: null,
      event_type: 'daily.data.sleep.created',
      account_id: 'cust-1',
      received_at: '2026-11-20T12:00:00.000Z',
      sent_at: '2026-11-20T12:00:00.000Z',
      attempts: 1,
      next_attempt_at: null,
      finished_at: '2026-11-20T12:06:00.000Z',
      size: expect.any(Number),
      has_body: true,
    });
  });

  it.each([
    ['?status=received', ['d']],
    ['?status=ignored', ['c']],
    ['?status=dead', []],
    ['?event_type=daily.data.sleep.updated', ['b']],
    ['?account_id=cust-1', ['b', 'a']],
    ['?account_id=cust-1&status=done&limit=1', ['b']],
    ['?account_id=nobody', []],
    ['?from=2026-11-20T12:03:00Z', ['d', 'c', 'b']],
    ['?to=2026-11-20T12:03:00Z', ['a']],
    ['?from=2026-11-20T12:03:00Z&to=2026-11-20T12:09:00Z', ['c', 'b']],
  ])('filters by %s', async (query, ids) => {
    expect((await list(query)).ids).toEqual(ids);
  });

  it.each([
    '?status=lost',
    '?from=yesterday',
    '?limit=0',
    '?cursor=x',
    '?colour=red',
    '?event_type=a%20b',
    '?account_id=%00',
  ])('refuses %s', async (query) => {
    expect(await inbox.admin('GET', `/messages${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('shows a body to readers only', async () => {
    const viewed = await inbox.admin('GET', '/messages/a', undefined, 'viewer');
    expect(viewed).toMatchObject({ status: 200, body: { message_id: 'a', status: 'done' } });
    expect(viewed.body).not.toHaveProperty('body');
    expect(viewed.body).not.toHaveProperty('body_base64');
    const read = await inbox.admin('GET', '/messages/a', undefined, 'reader');
    expect(read.body).toMatchObject({ body: event('daily.data.sleep.created', user, sleep(user)), body_base64: null });
    const other = await inbox.admin('GET', '/messages/d', undefined, 'operator');
    expect(other.body).toMatchObject({ body: null, body_base64: Buffer.from('not json').toString('base64') });
  });

  it('keeps a body from a reader who asks for none, and records no read of it', async () => {
    const read = async (): Promise<number> => {
      const log = await inbox.admin('GET', '/access-log?action=GET%20/admin/v1/messages/:message_id&limit=500');
      return log.body.data.length;
    };
    const before = await read();
    const { status, body } = await inbox.admin('GET', '/messages/a?body=false', undefined, 'reader');
    expect([status, body['message_id'], 'body' in body]).toEqual([200, 'a', false]);
    expect(await read()).toBe(before);
    await inbox.admin('GET', '/messages/a?body=true', undefined, 'reader');
    expect(await read()).toBe(before + 1);
  });

  it('are grouped by event type, state and reason', async () => {
    const { body } = await inbox.admin<{ data: object[]; searched: number }>(
      'GET',
      '/messages/groups',
      undefined,
      'viewer',
    );
    expect(body.searched).toBe(4);
    expect(body.data).toContainEqual({
      event_type: 'daily.data.sleep.updated',
      status: 'done',
      reason: null,
      count: 1,
      first_received_at: expect.any(String),
      last_received_at: expect.any(String),
    });
    const ignored = await inbox.admin<{ data: object[] }>('GET', '/messages/groups?status=ignored');
    expect(ignored.body.data).toEqual([expect.objectContaining({ reason: 'unknown_event', count: 1 })]);
  });

  it('are counted by the hour of their receipt, for the overview', async () => {
    inbox.clock.advance(60 * MINUTE);
    const hours = async (role: 'monitor' | 'operator' = 'monitor'): Promise<ActivityDto> =>
      (await inbox.admin<ActivityDto>('GET', '/overview/activity', undefined, role)).body;
    const { messages, upstream } = await hours();
    expect(messages).toHaveLength(24);
    expect(messages.slice(-2)).toEqual([
      { start: '2026-11-20T12:00:00.000Z', processed: 3, waiting: 1 },
      { start: '2026-11-20T13:00:00.000Z', processed: 0, waiting: 0 },
    ]);
    expect(messages.slice(0, -2).every(({ processed, waiting }) => processed === 0 && waiting === 0)).toBe(true);
    expect(upstream).toMatchObject({ role: 'all', processes: 1, circuit: 'closed' });
    expect(upstream.priorities.map(({ priority }) => priority)).toEqual([
      'sign_in',
      'interactive',
      'background',
      'bulk',
    ]);
    await processed(inbox);
    expect((await hours()).messages).toEqual(messages);
    inbox.clock.advance(10_000);
    expect((await hours()).messages.at(-2)).toMatchObject({ processed: 4, waiting: 0 });
  });

  it('are counted before a replay of many', async () => {
    const asked = await inbox.admin('POST', '/messages/replay', { status: 'done', dry_run: true });
    expect([asked.status, asked.body]).toEqual([200, { count: 2, without_body: 0, more: false }]);
    expect((await list('?status=done')).ids).toEqual(['b', 'a']);
    expect((await inbox.admin('POST', '/messages/replay', { dry_run: true })).status).toBe(400);
    inbox.get(Replays).mostForecast = 1;
    const most = await inbox.admin('POST', '/messages/replay', { status: 'done', dry_run: true });
    expect(most.body).toMatchObject({ more: true });
  });

  it('returns 404 for an unknown message', async () => {
    expect(await inbox.admin('GET', '/messages/none')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await inbox.admin('POST', '/messages/none/replay')).toMatchObject({ status: 404 });
  });

  it('lets only operators replay, and refuses requests without a key', async () => {
    for (const role of ['viewer', 'reader'] as const) {
      expect((await inbox.admin('POST', '/messages/a/replay', undefined, role)).status).toBe(403);
      expect((await inbox.admin('POST', '/messages/replay', { status: 'done' }, role)).status).toBe(403);
    }
    for (const path of ['/admin/v1/messages', '/admin/v1/messages/a']) {
      expect((await inbox.call('GET', path, {})).status).toBe(401);
    }
  });

  it('replays one message through the same path, whatever its state', async () => {
    const answer = await inbox.admin('POST', '/messages/c/replay');
    const now = new Date(inbox.clock.now()).toISOString();
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'retry', attempts: 0, reason: null, next_attempt_at: now },
    });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('c')).toMatchObject({
      status: 'ignored',
      reason: 'unknown_event',
      attempts: 1,
    });
    const { body } = await inbox.admin('GET', '/messages/c');
    const outcome = { at: expect.any(String), status: 'ignored', reason: 'unknown_event' };
    expect(body).toMatchObject({
      outcomes: [outcome, outcome],
      replay_advice: expect.stringMatching(/after an update/),
    });
    expect(await messagesOf(inbox).byId('a')).toMatchObject({ finished_at: START + 6 * MINUTE });
  });

  it('replays exactly the messages of a filter', async () => {
    const filter = { status: 'done', from: '2026-11-20T12:00:00Z', to: '2026-11-20T12:03:00Z' };
    const { status, body } = await replay(filter);
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({ state: 'running', count: 1, replayed: 0, left: 1, finished_at: null }),
    ]);
    expect(body.filter).toEqual({ status: 'done', from: '2026-11-20T12:00:00.000Z', to: '2026-11-20T12:03:00.000Z' });
    expect((await replay(filter)).body.replay_id).toBe(body.replay_id);
    await processed(inbox);
    const ended = { state: 'done', count: 1, replayed: 1, applied: 1, ignored: 0, failed: 0, left: 0 };
    expect(await replayOf(body.replay_id)).toMatchObject(ended);
    expect(await messagesOf(inbox).byId('a')).toMatchObject({ status: 'done', replays: 1, replay_id: null });
    expect(await messagesOf(inbox).byId('b')).toMatchObject({ status: 'done', replays: 0 });
    const again = (await replay(filter)).body;
    expect(again.replay_id).toBeGreaterThan(body.replay_id);
    const nothing = (await replay({ status: 'dead' })).body;
    expect(nothing).toMatchObject({ count: 0, without_body: 0 });
    await processed(inbox);
    expect(await replayOf(nothing.replay_id)).toMatchObject({ state: 'done', replayed: 0 });
    expect(await list('?status=done')).toEqual({ ids: ['b', 'a'], next: null });
    const all = await inbox.admin<{ data: ReplayDto[] }>('GET', '/messages/replays?limit=2', undefined, 'viewer');
    expect(all.body.data.map(({ replay_id }) => replay_id)).toEqual([nothing.replay_id, again.replay_id]);
    expect((await inbox.admin('GET', '/messages/replays/999999')).status).toBe(404);
  });

  it('replays messages that were received and processed while the clock was ahead', async () => {
    inbox.clock.step(-24 * 60 * MINUTE);
    const { body } = await replay({ event_type: 'daily.data.sleep.updated' });
    await processed(inbox);
    expect(await replayOf(body.replay_id)).toMatchObject({ state: 'done', applied: 1 });
  });

  it('are found by their time after the clock was set back', async () => {
    inbox.clock.step(-60 * MINUTE);
    await deliver(inbox, { event_type: 'something.newer' }, { id: 'e' });
    await processed(inbox);
    const from = encodeURIComponent(new Date(START).toISOString());
    expect((await list(`?from=${from}`)).ids).toEqual(['d', 'c', 'b', 'a']);
    const to = encodeURIComponent(new Date(START - 40 * MINUTE).toISOString());
    expect((await list(`?to=${to}`)).ids).toEqual(['e']);
  });

  it('counts a message that waits for another attempt separately from failed ones', async () => {
    await inbox.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user' });
    const nobody = { ...user, user_id: '00000000-0000-4000-8000-00000000dead' };
    await deliver(inbox, event('daily.data.sleep.created', nobody, sleep(nobody)), { id: 'waits' });
    await processed(inbox);
    const { body } = await replay({ message_ids: ['waits', 'a'] });
    await processed(inbox);
    await inbox.sandbox.control.clearFaults('status');
    expect(await replayOf(body.replay_id)).toMatchObject({
      state: 'done',
      applied: 1,
      retrying: 1,
      failed: 0,
      left: 0,
    });
    expect(await messagesOf(inbox).byId('waits')).toMatchObject({ status: 'retry' });
  });

  it('replays a selection, without storing its ids', async () => {
    const selected = { message_ids: ['a', 'c', 'never'] };
    const { body } = await replay(selected);
    expect(body).toMatchObject({ state: 'running', count: 2, without_body: 0, replayed: 2, filter: null });
    await processed(inbox);
    expect(await replayOf(body.replay_id)).toMatchObject({ state: 'done', applied: 1, ignored: 1 });
    expect((await replay({ ...selected, status: 'done' })).status).toBe(400);
    expect((await replay({ message_ids: [] })).status).toBe(400);
  });

  it('show unprocessed messages as received, each once, and replay them', async () => {
    await deliver(inbox, 'no event', { id: 'd' });
    await deliver(inbox, 'again', { id: 'a' });
    expect(await list('')).toEqual({ ids: ['d', 'c', 'b', 'a'], next: null });
    expect(await list('?status=received')).toEqual({ ids: ['d'], next: null });
    const { body } = await inbox.admin('GET', '/messages/d');
    expect(body).toMatchObject({ message_id: 'd', status: 'received', attempts: 0, event_type: null, size: 8 });
    expect((await inbox.admin('POST', '/messages/d/replay')).status).toBe(202);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('d')).toMatchObject({ status: 'ignored', attempts: 1, size: 8 });
    expect(await messagesOf(inbox).byId('a')).toMatchObject({ status: 'done', attempts: 1 });
  });

  async function bulk(): Promise<void> {
    const bulk = Array.from({ length: 1_100 }, (_, index) => index);
    await inbox.store.lane.run(async (tx) => {
      for (const index of bulk) {
        await tx.execute(
          `INSERT INTO messages (seq, message_id, received_at, sent_at, status, attempts, size)
           VALUES (?, ?, ?, ?, 'dead', 12, 2)`,
          [1_000_000 + index, `bulk_${index}`, START, START],
        );
      }
      await tx.execute(
        `INSERT INTO message_bodies (seq, body) SELECT seq, ? FROM messages WHERE message_id LIKE 'bulk_%'`,
        [Buffer.from('{}')],
      );
    });
  }

  it('replays more than fit into one slice, each once', async () => {
    await bulk();
    const { replay_id } = (await replay({ status: 'dead' })).body;
    await inbox.get(ReplayTurn).take();
    expect(await replayOf(replay_id)).toMatchObject({ state: 'running', count: 1_100, replayed: 512, left: 1_100 });
    expect(await inbox.get(ReplayTurn).take()).toBe(false);
    await processed(inbox);
    expect(await replayOf(replay_id)).toMatchObject({ state: 'done', replayed: 1_100, ignored: 1_100, left: 0 });
    const replayed = (await messagesOf(inbox).all()).filter(({ message_id }) => message_id.startsWith('bulk_'));
    expect(replayed).toHaveLength(1_100);
    expect(replayed.every(({ status, attempts }) => status === 'ignored' && attempts === 1)).toBe(true);
  });

  it('cancels a replay: due messages are tried, the rest is unchanged', async () => {
    await bulk();
    const { replay_id } = (await replay({ status: 'dead' })).body;
    await inbox.get(ReplayTurn).take();
    const path = `/messages/replays/${replay_id}/cancel`;
    expect((await inbox.admin('POST', path, undefined, 'reader')).status).toBe(403);
    expect(await inbox.admin('POST', path)).toMatchObject({ status: 200, body: { state: 'cancelling' } });
    await processed(inbox);
    expect(await replayOf(replay_id)).toMatchObject({ state: 'cancelled', replayed: 512, ignored: 512, left: 588 });
    expect((await inbox.admin('POST', path)).body).toMatchObject({ state: 'cancelled' });
    expect((await list('?status=dead&limit=500')).ids).toHaveLength(500);
  });

  it.each([{}, { status: 'lost' }, { account_id: 'cust-1' }, { from: 7 }])(
    'refuses the replay filter %j',
    async (body) => {
      expect(await inbox.admin('POST', '/messages/replay', body)).toMatchObject({ status: 400 });
    },
  );

  it('reports that the body of a message is no longer stored', async () => {
    await inbox.store.lane.run((tx) =>
      tx.execute("DELETE FROM message_bodies WHERE seq = (SELECT seq FROM messages WHERE message_id = 'a')"),
    );
    expect(await inbox.admin('POST', '/messages/a/replay')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await replay({ status: 'done' })).body).toMatchObject({ count: 1, without_body: 1 });
    expect(await messagesOf(inbox).byId('a')).toMatchObject({ status: 'done' });
    expect((await inbox.admin('GET', '/messages/a')).body).toMatchObject({
      has_body: false,
      body: null,
      body_base64: null,
    });
  });
});
