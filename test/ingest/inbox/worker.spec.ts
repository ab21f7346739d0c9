// .ci/run runs this on PostgreSQL too: its outcome depends on the database.

import { InboxRepository } from '../../../src/ingest/inbox/inbox.repository.js';
import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import type { MessageEntity } from '../../../src/ingest/inbox/message.entity.js';
import { MessageProcessor } from '../../../src/ingest/inbox/message.processor.js';
import { LEASE_MS } from '../../../src/storage/database/tuning.js';
import { WriteLane } from '../../../src/storage/database/write-lane.js';
import { WorkerRegistry } from '../../../src/storage/work/worker-registry.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed, withoutTable } from './support/deliveries.js';
import { event, mindfulness, type User, uuid } from './support/events.js';

const HOUR_MS = 3_600_000;

describe('inbox worker', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const created = await inbox.sandbox.control.createUsers({ client_user_id: 'cust-1' });
    user = created.users[0] as unknown as User;
  });

  afterEach(() => inbox.close());

  const minutes = (start: string, value = 10, unit?: string) =>
    event('daily.data.mindfulness_minutes.created', user, mindfulness({ start, value, ...(unit ? { unit } : {}) }));

  /** What a process does that dies right after claiming. */
  async function claim(): Promise<MessageEntity[]> {
    const { rows } = inbox.get(InboxRepository);
    return inbox.get(WriteLane).run((tx) => rows.claim(tx, { now: inbox.clock.now(), limit: 50 }));
  }

  it('processes a message once if its first owner died with the lease', async () => {
    await processed(inbox);
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'msg_a' });
    const [held] = await claim();
    expect(held).toMatchObject({ message_id: 'msg_a', attempts: 1 });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toEqual(held);
    inbox.clock.advance(LEASE_MS);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done', attempts: 2, lease_owner: null });
    expect(await countOf(inbox, 'samples')).toBe(1);
    expect(await countOf(inbox, 'observations')).toBe(1);
  });

  it('takes over at its start the messages of an earlier process, if no other process can have them', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'msg_a' });
    await claim();
    await inbox.get(WorkerRegistry).onApplicationBootstrap();
    await processed(inbox);
    const alone = inbox.store.dialect === 'sqlite';
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: alone ? 'done' : 'received' });
  });

  it('discards the effect of an attempt that lost its lease', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'msg_a' });
    const [message] = await claim();
    inbox.clock.advance(LEASE_MS);
    const [other] = await claim();
    const body = Buffer.from(JSON.stringify(minutes('2026-11-20T08:00:00Z')));
    const { signal } = new AbortController();
    if (message) await inbox.get(MessageProcessor).process([{ message, body }], signal);
    expect(await messagesOf(inbox).byId('msg_a')).toEqual(other);
    expect(other).toMatchObject({ status: 'received', attempts: 2 });
    expect(await countOf(inbox, 'samples')).toBe(0);
    expect(await inbox.metric('messages_processed_total', { outcome: 'not_stored' })).toBe(1);
  });

  it('rolls back the writes of a failing effect, together with the mark', async () => {
    const restore = await withoutTable(inbox, 'pull_streams');
    const data = { user_id: user.user_id, provider: { slug: 'oura' } };
    await deliver(inbox, event('provider.connection.created', user, data), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({
      status: 'retry',
      reason: 'internal',
      attempts: 1,
      finished_at: null,
    });
    expect(await countOf(inbox, 'connections')).toBe(0);
    await restore();
    inbox.clock.advance(10_000);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done', reason: null, attempts: 2 });
    expect(await countOf(inbox, 'connections')).toBe(1);
  });

  it('processes messages although replays cannot go on', async () => {
    await deliver(inbox, minutes('2026-11-20T07:00:00Z'), { id: 'msg_of_a_new_user' });
    await processed(inbox);
    const restore = await withoutTable(inbox, 'message_replays');
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'msg_a' });
    await expect(processed(inbox)).rejects.toThrow('message_replays');
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
    await restore();
  });

  it('keeps units correct if an effect failed after it had written them', async () => {
    const restore = await withoutTable(inbox, 'pull_streams');
    const two = mindfulness(
      { start: '2026-11-20T08:00:00Z', value: 10, unit: 'first' },
      { start: '2026-11-20T08:30:00Z', value: 10, unit: 'first' },
    );
    await deliver(inbox, event('daily.data.mindfulness_minutes.created', user, two), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'retry' });
    expect(await countOf(inbox, 'samples')).toBe(0);
    await restore();
    await deliver(inbox, minutes('2026-11-20T09:00:00Z', 10, 'second'));
    await processed(inbox);
    inbox.clock.advance(10_000);
    await processed(inbox);
    const stored = await inbox.store.reader.rows<{ content: string }>(
      `SELECT s.time, a.content FROM samples s JOIN sample_groups g ON g.id = s.group_id
       JOIN sample_attributes a ON a.id = g.attributes_id ORDER BY s.time`,
    );
    expect(stored.map(({ content }) => (JSON.parse(content) as { unit: string }).unit)).toEqual([
      'first',
      'first',
      'second',
    ]);
  });

  it('tries a poisonous message twelve times over hours, then buries it, while others continue', async () => {
    const restore = await withoutTable(inbox, 'devices');
    const device = { id: uuid(1), provider: 'oura' };
    await deliver(inbox, event('provider.device.created', user, device), { id: 'poison' });
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'fine' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('fine')).toMatchObject({ status: 'done' });
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      expect(await messagesOf(inbox).byId('poison')).toMatchObject({ status: 'retry', attempts: attempt - 1 });
      inbox.clock.advance(HOUR_MS);
      await processed(inbox);
    }
    expect(await messagesOf(inbox).byId('poison')).toMatchObject({
      status: 'dead',
      reason: 'internal',
      attempts: 12,
      due_at: null,
      finished_at: inbox.clock.now(),
    });
    await restore();
    expect((await inbox.admin('POST', '/messages/poison/replay')).status).toBe(202);
    await processed(inbox);
    expect(await messagesOf(inbox).byId('poison')).toMatchObject({ status: 'done', attempts: 1, reason: null });
  });

  it('waits longer after each failure, and not before the pause is over', async () => {
    await withoutTable(inbox, 'devices');
    await deliver(inbox, event('provider.device.created', user, { id: uuid(1), provider: 'oura' }), { id: 'msg_a' });
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await processed(inbox);
      await processed(inbox);
      const { attempts, due_at } = await messagesOf(inbox).byId('msg_a');
      expect(attempts).toBe(attempt);
      pauses.push((due_at ?? 0) - inbox.clock.now());
      inbox.clock.set(due_at ?? 0);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses[0]).toBeGreaterThanOrEqual(4_000);
    expect(pauses[0]).toBeLessThanOrEqual(5_000);
  });

  it('does not need upstream for a known account', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'));
    await processed(inbox);
    await inbox.sandbox.control.fault({ kind: 'status', status: 503, path: '/' });
    await deliver(inbox, minutes('2026-11-20T09:00:00Z'), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
  });

  it('applies nothing for an account that is being erased', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'));
    await processed(inbox);
    await inbox.store.lane.run((tx) => tx.execute("UPDATE accounts SET status = 'erasing'"));
    await deliver(inbox, minutes('2026-11-20T09:00:00Z'), { id: 'msg_a' });
    await processed(inbox);
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'ignored', reason: 'account_erased' });
    expect(await countOf(inbox, 'samples')).toBe(1);
  });

  it('gives the observation the time of the first receipt, not of the processing', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z', 10), { id: 'old' });
    inbox.clock.advance(1_000);
    await deliver(inbox, minutes('2026-11-20T08:00:00Z', 20), { id: 'new' });
    await processed(inbox);
    await inbox.admin('POST', '/messages/old/replay');
    await processed(inbox);
    expect(await messagesOf(inbox).byId('old')).toMatchObject({ status: 'done' });
    expect(await inbox.store.reader.rows('SELECT value FROM samples')).toEqual([{ value: 20 }]);
  });

  it('processes more messages than one claim contains', async () => {
    await Promise.all(Array.from({ length: 130 }, () => deliver(inbox, { event_type: 'unknown' })));
    await processed(inbox);
    expect(
      (await messagesOf(inbox).all()).every(({ status, attempts }) => status === 'ignored' && attempts === 1),
    ).toBe(true);
  });

  it('releases claimed messages when it is stopped', async () => {
    await deliver(inbox, minutes('2026-11-20T08:00:00Z'), { id: 'msg_a' });
    inbox.get(InboxWorker).loop.tick();
    const stopped = inbox.get(InboxWorker).loop.stop(5_000);
    expect(await stopped).toBe('drained');
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({
      status: 'received',
      attempts: 0,
      lease_owner: null,
      due_at: START,
    });
  });

  it('is woken by a delivery', async () => {
    inbox.get(InboxWorker).loop.tick();
    await inbox.get(InboxWorker).loop.runUntilIdle();
    await deliver(inbox, { event_type: 'unknown' }, { id: 'msg_a' });
    await inbox.get(InboxWorker).loop.runUntilIdle();
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'ignored' });
  });

  it('reports how many messages wait and for how long', async () => {
    await deliver(inbox, { event_type: 'unknown' });
    await deliver(inbox, { event_type: 'unknown' });
    inbox.clock.advance(90_000);
    expect(await inbox.metric('messages', { state: 'waiting' })).toBe(2);
    expect(await inbox.metric('messages_oldest_waiting_seconds')).toBe(90);
    await processed(inbox);
    expect(await inbox.metric('messages', { state: 'waiting' })).toBe(0);
    expect(await inbox.metric('messages_oldest_waiting_seconds')).toBe(0);
    expect(await inbox.metric('messages_processed_total', { outcome: 'ignored' })).toBe(2);
  });

  it('logs no word of a body', async () => {
    const restore = await withoutTable(inbox, 'samples');
    await deliver(inbox, minutes('2026-11-20T08:00:00Z', 987_654, 'marked-unit'));
    await deliver(inbox, { event_type: 'marked text', data: 'marked' });
    await processed(inbox);
    await restore();
    expect(inbox.logs.length).toBeGreaterThan(1);
    expect(inbox.logs.join('')).not.toMatch(/marked|\b987654\b|2026-11-20T08/);
  });
});
