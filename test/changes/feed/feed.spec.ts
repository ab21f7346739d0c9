import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { ChangeConsumerEntity } from '../../../src/changes/feed/change-consumer.entity.js';
import { summaryChanges } from '../../../src/health/reads/record-changes.reader.js';
import { SummaryEntity } from '../../../src/health/records/record.entity.js';
import { PullTaskEntity } from '../../../src/ingest/pulls/pull-task.entity.js';
import { HistoricalPullEntity } from '../../../src/ingest/streams/historical-pull.entity.js';
import { OrderTransactionEntity } from '../../../src/labs/orders/order.entity.js';
import { AlarmEntity } from '../../../src/operations/alarms/alarm.entity.js';
import { AdminKey } from '../../../src/platform/config/admin-key.js';
import { AdminConfig } from '../../../src/platform/config/config.js';
import { type ChangeKind, changeKinds } from '../../../src/platform/config/feed-scope.js';
import { AccessEntryEntity } from '../../../src/privacy/access-log/access-log.entity.js';
import { type ChangeAction, type NewChange } from '../../../src/storage/change-log/change.js';
import { ChangeLogRepository } from '../../../src/storage/change-log/change-log.repository.js';
import { ChangeLog } from '../../../src/storage/change-log/change-log.service.js';
import { ChangeTail } from '../../../src/storage/change-log/change-tail.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import type { Tx } from '../../../src/storage/database/tx.js';
import type { WalkOptions } from '../../../src/storage/declarations/change-source.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { deliver, newMessageId, processed } from '../../ingest/inbox/support/deliveries.js';
import { event, sleep, type User, uuid } from '../../ingest/inbox/support/events.js';
import { DAY, environment, newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

interface Entry {
  cursor: string;
  kind: string;
  action: string;
  origin: string;
  account_id: string | null;
  account_ref: number;
  subject: string;
  resource: string | null;
  samples: object | null;
  data?: Record<string, unknown> | null;
}

interface Page {
  data: Entry[];
  next: string;
  up_to_date: boolean;
}

interface FeedRow {
  feed: string;
  last_number: number;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const mirror = 'mirror-key';
const labs = 'labs-key';
const thin = 'thin-key';

describe('the change feed', () => {
  let app: TestApp;
  let anna: User;

  beforeAll(async () => {
    const keys = `${environment().ADMIN_API_KEYS},mirror:feed+values:${sha256(mirror)},labs:feed/order/result:${sha256(labs)},thin:feed:${sha256(thin)}`;
    app = await TestApp.create({ webhooks: false, env: { ADMIN_API_KEYS: keys, CHANGE_RETENTION_DAYS: '10' } });
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    const client_user_id = newAccountId();
    const { user_id } = (await app.as(client_user_id, 'POST', '/me/sign-in-token', {})).body;
    const team = await app.store.reader.row<{ team_id: string }>('SELECT team_id FROM database_identity');
    anna = { user_id, client_user_id, team_id: String(team?.team_id) };
  });

  const read = async (query: Record<string, string> = {}, key = 'feed-key') => {
    await app.run(SequencerWorker);
    return app.call<Page>('GET', `/v1/changes?${new URLSearchParams(query).toString()}`, `Bearer ${key}`);
  };
  const newest = async (): Promise<string> => {
    let { body } = await read({ limit: '500' });
    while (!body.up_to_date) ({ body } = await read({ limit: '500', after: body.next }));
    return body.next;
  };
  const seen = async (after: string, key?: string): Promise<Entry[]> => (await read({ after }, key)).body.data;
  const store = async (type: string, data: unknown): Promise<void> => {
    expect(await deliver(app, event(type, anna, data))).toBe(204);
    await processed(app);
  };
  const steps = (value: number, start = '2026-11-20T23:50:00+02:00') => ({
    source: { provider: 'oura', type: 'ring' },
    data: [{ timestamp: start, timezone_offset: 7_200, unit: 'count', value }],
  });

  it('has an entry for new, changed and gone data, and none for identical data', async () => {
    const after = await newest();
    await store('daily.data.sleep.created', sleep(anna));
    await store('daily.data.steps.created', steps(10));
    const [night, walk, ...others] = await seen(after);
    expect(others).toEqual([]);
    expect(night).toMatchObject({
      kind: 'summary',
      action: 'created',
      origin: 'live',
      subject: uuid(1),
      resource: 'sleep',
    });
    expect(walk).toMatchObject({ kind: 'samples', action: 'created', resource: 'steps' });
    expect(walk?.samples).toEqual({
      start: '2026-11-20T21:50:00.000Z',
      end: '2026-11-20T21:50:00.000Z',
      count: 1,
      first_day: '2026-11-20',
      last_day: '2026-11-20',
    });
    expect(night?.account_id).toBe(anna.client_user_id);
    const stored = await newest();
    await store('daily.data.sleep.created', sleep(anna));
    await store('daily.data.steps.created', steps(10));
    expect(await seen(stored)).toEqual([]);
    await store('daily.data.steps.updated', steps(11));
    await store('daily.data.sleep.updated', sleep(anna, { total: 1, updated_at: '2026-11-20T08:00:00+00:00' }));
    expect((await seen(stored)).map(({ kind, action }) => [kind, action])).toEqual([
      ['samples', 'changed'],
      ['summary', 'changed'],
    ]);
  });

  it('marks a change that comes from a replayed message', async () => {
    const id = newMessageId();
    const connected = newMessageId();
    await deliver(app, event('daily.data.sleep.created', anna, sleep(anna)), { id });
    await deliver(app, event('provider.connection.created', anna, { provider: { slug: 'oura' } }), { id: connected });
    await processed(app);
    await app.store.lane.run(async (tx) => {
      await tx.execute('DELETE FROM summaries');
      await tx.execute('DELETE FROM connections');
    });
    const after = await newest();
    for (const one of [id, connected]) await app.admin('POST', `/messages/${one}/replay`);
    await processed(app);
    expect((await seen(after)).map(({ kind, origin }) => [kind, origin]).sort()).toEqual([
      ['source', 'replay'],
      ['summary', 'replay'],
    ]);
  });

  it('continues after any cursor, and shows when it is up to date', async () => {
    const after = await newest();
    for (let minute = 10; minute < 15; minute++)
      await store('daily.data.steps.created', steps(1, `2026-11-20T08:${minute}:00Z`));
    const all = await seen(after);
    expect(all).toHaveLength(5);
    const { body: first } = await read({ after, limit: '2' });
    const { body: second } = await read({ after: first.next, limit: '3' });
    expect([...first.data, ...second.data]).toEqual(all);
    expect([first.up_to_date, second.up_to_date]).toEqual([false, true]);
    expect(await seen(String(all[3]?.cursor))).toEqual(all.slice(4));
    const { body: none } = await read({ after, kinds: 'order' });
    expect(none).toEqual({ data: [], next: second.next, up_to_date: true });
    await app.as(newAccountId(), 'POST', '/me/sign-in-token', {});
    const { body: own } = await read({ account_id: anna.client_user_id, kinds: 'account' });
    expect(own.data.map(({ action }) => action)).toEqual(['created', 'changed']);
    expect([own.up_to_date, own.next.split('-')[1]]).toEqual([true, (await newest()).split('-')[1]]);
  });

  it('reads back from the end or from a cursor, newest first, and shows when nothing older is kept', async () => {
    const start = await newest();
    for (let minute = 10; minute < 15; minute++)
      await store('daily.data.steps.created', steps(2, `2026-11-20T09:${minute}:00Z`));
    const forward = (await seen(start)).reverse();
    const { body: first } = await read({ order: 'newest', limit: '2' });
    const { body: second } = await read({ order: 'newest', limit: '3', after: first.next });
    expect([...first.data, ...second.data]).toEqual(forward);
    expect(second.next.split('-')[1]).toBe(start.split('-')[1]);
    let page = second;
    while (!page.up_to_date) ({ body: page } = await read({ order: 'newest', limit: '500', after: page.next }));
    const { body: nothing } = await read({ order: 'newest', limit: '500', after: page.next, wait: '30' });
    expect([nothing.data, nothing.up_to_date]).toEqual([[], true]);
    expect((await read({ order: 'newest', limit: '4' }, 'mirror-key')).body.data.map(({ cursor }) => cursor)).toEqual(
      forward.slice(0, 4).map(({ cursor }) => cursor),
    );
  });

  it('waits for a change', async () => {
    const after = await newest();
    const waiting = app.call<Page>('GET', `/v1/changes?after=${after}&wait=30`, 'Bearer feed-key');
    await store('daily.data.steps.created', steps(1));
    await app.run(SequencerWorker);
    expect((await waiting).body.data).toHaveLength(1);
  });

  it('shows values to keys that may read them, and records each account once per page', async () => {
    const after = await newest();
    await store('daily.data.sleep.created', sleep(anna));
    await store('daily.data.steps.created', steps(10));
    await store('daily.data.steps.created', steps(11, '2026-11-20T12:00:00Z'));
    const log = async (): Promise<AccessEntryEntity[]> => {
      await app.chainAccesses();
      return app.table(AccessEntryEntity, 'seq').all();
    };
    const before = (await log()).length;
    expect((await seen(after)).every((entry) => !('data' in entry))).toBe(true);
    expect((await log()).length).toBe(before);
    const [night, walk] = await seen(after, mirror);
    expect(night?.data).toMatchObject({ calendar_date: '2026-11-20', data: { total: 27_000 } });
    expect(walk?.data).toEqual({
      samples: [expect.objectContaining({ value: 10, unit: 'count', source_type: 'ring' })],
    });
    expect((await log()).slice(before)).toEqual([
      expect.objectContaining({
        actor: 'mirror',
        action: 'GET /v1/changes',
        account_ref: night?.account_ref,
        resource: '*',
      }),
    ]);
  });

  it('shows a key only the kinds of its scope', async () => {
    const after = await newest();
    await store('daily.data.steps.created', steps(1));
    expect((await read({ after }, labs)).body.data).toEqual([]);
    expect((await read({ after, kinds: 'samples' }, labs)).status).toBe(403);
    expect((await app.admin('GET', '/overview', undefined, 'feed')).status).toBe(403);
  });

  it('does not tell a key without the kind account which accounts exist', async () => {
    const ask = async (account_id: string, key: string) => {
      const { status, body } = await read({ account_id }, key);
      const snapshot = await app.call<string>('POST', '/v1/snapshots', `Bearer ${key}`, { account_id });
      return { status, data: body.data, up_to_date: body.up_to_date, snapshot: [snapshot.status, snapshot.body] };
    };
    const unknown = await ask(newAccountId(), labs);
    expect(unknown).toMatchObject({ status: 200, data: [], up_to_date: true, snapshot: [200, expect.any(String)] });
    expect(await ask(anna.client_user_id, labs)).toEqual(unknown);
    expect(await ask(newAccountId(), thin)).toMatchObject({ status: 404, snapshot: [404, expect.anything()] });
  });

  it('shows nothing more once a key is revoked or has another scope, even to a stream or a waiting request', async () => {
    const { keys } = app.get(AdminConfig);
    const given = keys.current;
    const after = await newest();
    const headers = { authorization: `Bearer ${mirror}`, accept: 'text/event-stream', 'last-event-id': after };
    const request = http.get(`${app.url}/v1/changes`, { headers });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let text = '';
    response.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
    const closed = new Promise((resolve) => response.once('close', resolve));
    const waits = app.call('GET', `/v1/changes?after=${after}&wait=30`, `Bearer ${mirror}`);
    await once(response, 'data');
    try {
      const narrow = new AdminKey('mirror', 'feed', Buffer.from(sha256(mirror), 'hex'));
      keys.replace([...given.filter(({ name }) => name !== 'mirror'), narrow]);
      await store('daily.data.steps.created', steps(1));
      await app.run(SequencerWorker);
      expect((await waits).body).toMatchObject({ data: [expect.not.objectContaining({ data: expect.anything() })] });
      expect(await app.call('POST', '/v1/snapshots', `Bearer ${mirror}`, {})).toMatchObject({ status: 200 });
      keys.replace(given.filter(({ name }) => name !== 'mirror'));
      await store('daily.data.steps.created', steps(2));
      await app.run(SequencerWorker);
      await closed;
      expect(text).not.toContain('"data":{');
      expect(text).not.toContain('"action":"changed"');
    } finally {
      keys.replace(given);
    }
  });

  it('shows a limited number of samples per page, however wide the ranges of its changes are', async () => {
    const start = Date.parse('2026-11-20T00:00:00Z');
    const day = Array.from({ length: 900 }, (_, minute) => {
      return { timestamp: new Date(start + minute * 60_000).toISOString(), unit: 'count', value: minute };
    });
    await store('daily.data.steps.created', { source: { provider: 'oura', type: 'ring' }, data: day });
    const after = await newest();
    const series = await app.store.reader.row<{ id: number; account: number }>(
      `SELECT s.id, s.account_id AS account FROM series s JOIN accounts a ON a.id = s.account_id WHERE a.account_id = ?`,
      [anna.client_user_id],
    );
    const samples = { start, end: start + 899 * 60_000, count: 1, firstDay: 20_777, lastDay: 20_777 };
    const subject = String(series?.id);
    const one = { kind: 'samples', action: 'changed', account: Number(series?.account), subject, samples } as const;
    const all = Array.from({ length: 50 }, () => one);
    await app.store.lane.run((tx) => noteChanges(tx, all, app.clock.now()));
    const { body: first } = await read({ after, limit: '500' }, mirror);
    expect([first.data.length, first.up_to_date]).toEqual([20, false]);
    const { body: second } = await read({ after: first.next, limit: '500' }, mirror);
    const { body: third } = await read({ after: second.next, limit: '500' }, mirror);
    expect([second.data.length, third.data.length, third.up_to_date]).toEqual([20, 10, true]);
  });

  it('refuses a cursor after which changes may be missing, and explains how to continue', async () => {
    const after = await newest();
    const [feed, number, at] = after.split('-') as [string, string, string];
    const ahead = `${feed}-${(parseInt(number, 36) + 1).toString(36)}-${at}`;
    const rewound = `${feed}-${number}-${(parseInt(at, 36) - 1).toString(36)}`;
    const answers = await Promise.all(
      [`ffffffffffff-${number}-${at}`, ahead, rewound].map((cursor) => read({ after: cursor })),
    );
    expect(answers.map(({ status, body }) => [status, (body as unknown as { code: string }).code])).toEqual([
      [410, 'feed_restarted'],
      [410, 'cursor_ahead'],
      [410, 'feed_restarted'],
    ]);
    expect(JSON.stringify(answers[0]?.body)).toContain('with a snapshot (/v1/snapshots)');
    expect((await read({ after: 'nonsense' })).status).toBe(400);
    expect((await read({ kinds: 'nonsense' })).status).toBe(400);
    expect((await read({ account_id: 'nobody' })).status).toBe(404);
  });

  it('refuses a cursor of the changes of an account if the database was reset since', async () => {
    const other = newAccountId();
    await app.as(other, 'POST', '/me/sign-in-token', {});
    await store('daily.data.steps.created', steps(1));
    const { body } = await read({ account_id: other, limit: '500' });
    expect(body.up_to_date).toBe(true);
    await app.store.lane.run((tx) => tx.execute('UPDATE changes SET at = at + 1'));
    const again = await read({ account_id: other, after: body.next });
    expect(again).toMatchObject({ status: 410, body: { code: 'feed_restarted' } });
  });

  it.each([
    ['shorter', 'UPDATE change_feed SET last_number = last_number - 1', 'cursor_ahead'],
    ['another', `UPDATE change_feed SET feed = 'ffffffffffff'`, 'feed_restarted'],
    ['used since', 'UPDATE changes SET at = at + 1', 'feed_restarted'],
  ])('ends a waiting request if the feed is %s after a failover', async (_, reset, code) => {
    const after = await newest();
    const before = await app.store.reader.row<{ feed: string; last_number: number }>('SELECT * FROM change_feed');
    const waiting = read({ after, wait: '30' });
    await until(async () => app.get(ChangeTail)['waiters'].size > 0);
    await app.store.lane.run((tx) => tx.execute(reset));
    try {
      app.get(ChangeTail).numbered(Number.MAX_SAFE_INTEGER);
      expect(await waiting).toMatchObject({ status: 410, body: { code } });
    } finally {
      const sql = 'UPDATE change_feed SET feed = ?, last_number = ?';
      await app.store.lane.run((tx) => tx.execute(sql, [before?.feed ?? '', before?.last_number ?? 0]));
    }
  });

  it.each([
    ['of another feed', 'ffffffffffff-1-mi5k3a00', 410, 'feed_restarted'],
    ['that is none', 'x'.repeat(8_000), 400, 'invalid_request'],
    ['that is empty', '', 400, 'invalid_request'],
  ])('opens no stream after an event %s', async (_, lastEventId, status, code) => {
    const headers = { authorization: 'Bearer feed-key', accept: 'text/event-stream', 'last-event-id': lastEventId };
    const response = await fetch(`${app.url}/v1/changes`, { headers });
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ code })]);
  });

  it.each([
    ['wait', '31'],
    ['wait', '-1'],
    ['wait', '1.5'],
    ['wait', 'Infinity'],
    ['limit', '0'],
    ['limit', '501'],
    ['after', ''],
    ['after', 'x'.repeat(65)],
    ['after', '0123456789ab-1-0 '],
    ['after', '0123456789AB-1-0'],
    ['after', '0123456789ab-00000000001-0'],
    ['kinds', ''],
    ['kinds', 'samples,'],
  ])('refuses %s=%j', async (name, value) => {
    const { status, body } = await read({ [name]: value });
    expect([status, (body as unknown as { errors: { field: string }[] }).errors.map(({ field }) => field)]).toEqual([
      400,
      [name],
    ]);
  });

  it('refuses a page if retention deleted a part of it after the check of the cursor', async () => {
    const after = await newest();
    await store('daily.data.steps.created', steps(1));
    await store('daily.data.steps.created', steps(2));
    const log = app.get(ChangeLog);
    const position = await log.positionOf(after);
    await app.run(SequencerWorker);
    await app.store.lane.run((tx) => app.get(ChangeLogRepository).expire(tx, position.number + 1));
    await expect(log.page(position, { limit: 10 })).rejects.toMatchObject({ code: 'cursor_expired' });
    const { changes } = await log.page({ ...position, number: position.number + 1 }, { limit: 10 });
    expect(changes.length).toBeGreaterThan(0);
  });

  it('keeps entries for CHANGE_RETENTION_DAYS, however many there are', async () => {
    await store('daily.data.steps.created', steps(1));
    const after = await newest();
    await store('daily.data.steps.created', steps(2));
    await app.run(SequencerWorker);
    const given = async (more: number): Promise<void> => {
      const sql = 'UPDATE change_feed SET last_number = last_number + ?';
      await app.store.lane.run((tx) => tx.execute(sql, [more]));
    };
    await given(1_000_000_000);
    app.clock.advance(9 * DAY);
    await app.run(CleanerWorker);
    await given(-1_000_000_000);
    expect((await read({ after })).body.data).toHaveLength(1);
    app.clock.advance(2 * DAY);
    await app.run(CleanerWorker);
    expect(await read({ after })).toMatchObject({ status: 410, body: { code: 'cursor_expired' } });
  });

  it('is a stream of events that continues after the last one', async () => {
    const after = await newest();
    await store('daily.data.steps.created', steps(1));
    await app.run(SequencerWorker);
    const stream = async (lastEventId: string, until: RegExp): Promise<string> => {
      const headers = { authorization: 'Bearer feed-key', accept: 'text/event-stream', 'last-event-id': lastEventId };
      const request = http.get(`${app.url}/v1/changes`, { headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect(response.headers['content-type']).toContain('text/event-stream');
      let text = '';
      for await (const chunk of response) {
        text += String(chunk);
        if (until.test(text)) break;
      }
      request.destroy();
      return text;
    };
    const text = await stream(after, /event: change\n[^]*\n\n$/);
    const [, id = ''] = /^id: (\S+)$/m.exec(text) ?? [];
    expect(await seen(id)).toEqual([]);
    const later = stream(id, /event: change\n[^]*\n\n$/);
    await store('daily.data.steps.created', steps(2));
    await app.run(SequencerWorker);
    expect(await later).toContain('"action":"changed"');
  });

  it('begins with a snapshot, after which the changes continue', async () => {
    await store('daily.data.sleep.created', sleep(anna, { id: uuid(77) }));
    await store('daily.data.steps.created', steps(10));
    await app.run(SequencerWorker);
    const body = { kinds: ['account', 'samples', 'summary'], account_id: anna.client_user_id };
    const { body: text } = await app.call<string>('POST', '/v1/snapshots', `Bearer ${mirror}`, body);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry & { type: string; position: string; count: number });
    expect(lines[0]).toMatchObject({ type: 'position' });
    expect(lines.at(-1)).toMatchObject({ type: 'end', count: 3 });
    expect(lines.slice(1, -1).map(({ kind, account_id }) => [kind, account_id])).toEqual(
      ['account', 'samples', 'summary'].map((kind) => [kind, anna.client_user_id]),
    );
    expect(lines[2]?.data).toMatchObject({ samples: [{ value: 10 }] });
    expect(lines[3]).toMatchObject({ subject: uuid(77), resource: 'sleep' });
    const position = String(lines[0]?.position);
    expect(await seen(position)).toEqual([]);
    const { body: whole } = await app.call<string>('POST', '/v1/snapshots', 'Bearer feed-key', {});
    expect(whole).not.toContain('"data"');
    expect(JSON.parse(whole.split('\n')[0] ?? '')).toMatchObject({ kinds: changeKinds });
  });

  it('limits the long summaries of a page of a snapshot by size', async () => {
    const raw = JSON.stringify({ text: 'x'.repeat(1_200_000) });
    await store('daily.data.sleep.created', sleep(anna, { id: uuid(81) }));
    const [night] = await app.store.reader.rows<Record<string, string | number>>(
      'SELECT * FROM summaries WHERE summary_id = ?',
      [uuid(81)],
    );
    const { account_id: account, ...rest } = night ?? {};
    await app.store.lane.run(async (tx) => {
      for (const summary_id of ['a', 'b', 'c']) {
        await tx.orm.insert(SummaryEntity, { account_id: Number(account), ...rest, summary_id, raw });
      }
    });
    const walked: string[][] = [];
    for (let after: WalkOptions['after'] = null; ; ) {
      const page = await summaryChanges.walk(app.store.reader, { after, limit: 200, account: Number(account) });
      if (page.length === 0) break;
      walked.push(page.map(({ subject }) => subject));
      after = page.at(-1)?.key ?? null;
    }
    expect(walked).toEqual([[uuid(81), 'a'], ['b'], ['c']]);
  });

  it('shows redraws, complete histories and alarms in a snapshot as in the feed, until they end', async () => {
    const after = await newest();
    const { reader, lane } = app.store;
    const owner = await reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [
      anna.client_user_id,
    ]);
    const account = Number(owner?.id);
    const history = { resource: 'sleep', provider: 'oura' };
    const changes: NewChange[] = [
      { kind: 'redraw', action: 'created', account, subject: 'transaction-1' },
      { kind: 'history.complete', action: 'created', account, subject: 'oura/sleep', ...history },
      { kind: 'alarm', action: 'created', account: null, subject: 'push_failing' },
    ];
    const kinds = changes.map(({ kind }) => kind);
    await lane.run(async (tx) => {
      const transaction = { order_transaction_id: 'transaction-1', account_id: account, needs: 'redraw' } as const;
      await tx.orm.insert(OrderTransactionEntity, { ...transaction, created_at: 1, version: 1, observed_at: 1 });
      const task = {
        account_id: account,
        provider: 'oura',
        resource: 'sleep',
        origin: 'historical',
        status: 'done',
      } as const;
      const none = { pages: 0, records: 0, written: 0, rejected: 0, turns: 0, attempts: 0, restarts: 0 };
      const window = { priority: 1, window_start: 0, window_end: 1, created_at: 1 };
      const { identifiers } = await tx.orm.insert(PullTaskEntity, { ...task, ...none, ...window });
      const pull = { account_id: account, ...history, status: 'success', days_with_data: 2, observed_at: 1 };
      await tx.orm.insert(HistoricalPullEntity, { ...pull, task_id: Number(identifiers[0]?.['id']) });
      await tx.orm.insert(AlarmEntity, { code: 'push_failing', count: 1, since: 1, raised_at: 1 });
      await noteChanges(tx, changes, 1);
    });
    const snapshot = async (): Promise<Entry[]> => {
      const { body } = await app.call<string>('POST', '/v1/snapshots', `Bearer ${mirror}`, { kinds });
      return body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry)
        .slice(1, -1);
    };
    const shown = ({ kind, account_ref, subject, data }: Entry) => ({ kind, account_ref, subject, data });
    const byKind = (a: Entry, b: Entry): number =>
      kinds.indexOf(a.kind as ChangeKind) - kinds.indexOf(b.kind as ChangeKind);
    const entries = (await seen(after, mirror)).filter(({ kind }) => kinds.includes(kind as ChangeKind));
    expect(entries.map(({ data }) => data)).toEqual([
      expect.objectContaining({ needs: 'redraw' }),
      { days_with_data: 2, start: null, end: null },
      expect.objectContaining({ code: 'push_failing' }),
    ]);
    expect((await snapshot()).sort(byKind).map(shown)).toEqual(entries.map(shown));
    await lane.run(async (tx) => {
      await tx.execute(`UPDATE order_transactions SET needs = NULL`);
      await tx.execute(`UPDATE historical_pulls SET status = 'in_progress'`);
      await tx.execute('DELETE FROM alarms');
    });
    expect((await seen(after, mirror)).map(({ data }) => data)).toEqual([null, null, null]);
    expect(await snapshot()).toEqual([]);
  });

  describe('with more state than fits into the buffers of a client', () => {
    const raw = (index: number): string => JSON.stringify({ index, text: 'x'.repeat(200_000) });
    let account: number;
    let insert: (ids: readonly string[]) => Promise<void>;
    let write: (work: (tx: Tx) => Promise<unknown>, ...changes: [string, ChangeAction][]) => Promise<void>;

    beforeEach(async () => {
      await store('daily.data.sleep.created', sleep(anna, { id: 'm' }));
      const [night] = await app.store.reader.rows<Record<string, string | number>>(
        `SELECT * FROM summaries WHERE summary_id = 'm'`,
      );
      account = Number(night?.['account_id']);
      insert = (ids) =>
        write(
          async (tx) => {
            for (const [index, summary_id] of ids.entries()) {
              await tx.orm.insert(SummaryEntity, { ...night, account_id: account, summary_id, raw: raw(index) });
            }
          },
          ...ids.map((id): [string, ChangeAction] => [id, 'created']),
        );
      write = async (work, ...made) => {
        const changes = made.map(([subject, action]): NewChange => {
          return { kind: 'summary', action, account, subject, resource: 'sleep', provider: 'oura' };
        });
        await app.store.lane.run(async (tx) => {
          await work(tx);
          await noteChanges(tx, changes, app.clock.now());
        });
        await app.run(SequencerWorker);
      };
      await insert(Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}`));
    });

    afterEach(() => write((tx) => tx.execute('DELETE FROM summaries WHERE account_id = ?', [account]), ['m', 'gone']));

    const open = async (): Promise<http.IncomingMessage> => {
      const headers = { authorization: `Bearer ${mirror}`, 'content-type': 'application/json' };
      const request = http.request(`${app.url}/v1/snapshots`, { method: 'POST', headers });
      request.end(JSON.stringify({ kinds: ['summary'], account_id: anna.client_user_id }));
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return response;
    };
    const mirrored = async (snapshot: AsyncIterable<unknown>) => {
      let text = '';
      for await (const chunk of snapshot) text += String(chunk);
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry & { type: string; position: string });
      expect(lines.at(-1)).toMatchObject({ type: 'end' });
      const states = lines.slice(1, -1);
      expect(new Set(states.map(({ subject }) => subject)).size).toBe(states.length);
      return { position: String(lines[0]?.position), copy: new Map(states.map((one) => [one.subject, one.data])) };
    };

    it('continues a snapshot without loss while rows appear, change and disappear', async () => {
      const snapshot = await open();
      await insert(['a', 'n30x', 'z']);
      const change = `UPDATE summaries SET raw = '{"changed":true}' WHERE account_id = ? AND summary_id = ?`;
      for (const id of ['n00', 'n59', 'a']) await write((tx) => tx.execute(change, [account, id]), [id, 'changed']);
      const drop = 'DELETE FROM summaries WHERE account_id = ? AND summary_id = ?';
      for (const id of ['n01', 'n58', 'z']) await write((tx) => tx.execute(drop, [account, id]), [id, 'gone']);
      const { position, copy } = await mirrored(snapshot);
      for (let after = position; ; ) {
        const { body } = await read({ after, kinds: 'summary', account_id: anna.client_user_id }, mirror);
        for (const { subject, data } of body.data) {
          if (data) copy.set(subject, data);
          else copy.delete(subject);
        }
        if (body.up_to_date) break;
        after = body.next;
      }
      const { copy: present } = await mirrored(await open());
      expect([...copy].toSorted()).toEqual([...present].toSorted());
      expect([copy.size, copy.get('n59')]).toEqual([61, expect.objectContaining({ data: { changed: true } })]);
    });

    it('refuses to continue after a snapshot that took longer than changes are kept', async () => {
      const snapshot = await open();
      await write((tx) => tx.execute('DELETE FROM summaries WHERE summary_id = ?', ['n59']), ['n59', 'gone']);
      app.clock.advance(15 * DAY);
      await app.run(CleanerWorker);
      const { position } = await mirrored(snapshot);
      expect(await read({ after: position })).toMatchObject({ status: 410, body: { code: 'cursor_expired' } });
    });
  });

  it('lets each key have 16 snapshots at a time', async () => {
    const ask = async (key: string): Promise<number> => {
      return (await app.call('POST', '/v1/snapshots', `Bearer ${key}`, { kinds: ['alarm'] })).status;
    };
    const headers = { authorization: `Bearer ${mirror}`, 'content-type': 'application/json', 'content-length': 2 };
    // Each counts from its headers until its client has read the end, so a question may take the place of one of them.
    const open = new Set<http.ClientRequest>();
    const hold = (): void => {
      const request = http.request(`${app.url}/v1/snapshots`, { method: 'POST', headers });
      request.on('error', () => undefined).on('response', () => open.delete(request));
      request.flushHeaders();
      open.add(request);
    };
    await until(async () => {
      while (open.size < 16) hold();
      return (await ask(mirror)) === 429;
    });
    expect(await ask(thin)).toBe(200);
    const [first] = open;
    first?.destroy();
    await until(async () => (await ask(mirror)) === 200);
    for (const request of open) request.destroy();
  });

  it('keeps nothing of an erased person but the account_ref', async () => {
    const after = await newest();
    await store('daily.data.steps.created', steps(10));
    const [walk] = await seen(after);
    await app.admin('DELETE', `/accounts/${anna.client_user_id}`);
    // The account itself stays until upstream has deleted the person, which may take days.
    const { body: snapshot } = await app.call<string>('POST', '/v1/snapshots', `Bearer ${mirror}`, {});
    expect(snapshot).not.toContain(anna.client_user_id);
    expect(JSON.stringify(await seen(after, mirror))).not.toContain(anna.client_user_id);
    await app.settle();
    const left = await seen(after);
    expect(left.filter(({ account_ref }) => account_ref === walk?.account_ref)).toEqual([
      expect.objectContaining({ kind: 'erasure', account_id: null, subject: String(walk?.account_ref) }),
    ]);
    const { body } = await read({ after, limit: '500' }, mirror);
    expect(JSON.stringify(body)).not.toContain(anna.client_user_id);
  });

  it('lets no key move the position of a consumer whose key may read more', async () => {
    const cursor = await newest();
    const report = async (key: string): Promise<number> => {
      const path = '/v1/consumers/warehouse/position';
      return (await app.call('PUT', path, `Bearer ${key}`, { cursor })).status;
    };
    const by = async (): Promise<unknown> => {
      const { body } = await app.admin<{ data: { reported_by: string }[] }>('GET', '/consumers');
      return body.data[0]?.reported_by;
    };
    expect([await report(labs), await report(thin), await by()]).toEqual([204, 204, 'thin']);
    expect([await report(labs), await report(mirror), await by()]).toEqual([403, 204, 'mirror']);
    expect([await report(thin), await report(mirror), await by()]).toEqual([403, 204, 'mirror']);
    const { keys } = app.get(AdminConfig);
    const given = keys.current;
    keys.replace(given.filter(({ name }) => name !== 'mirror'));
    try {
      expect([await report(labs), await by()]).toEqual([204, 'labs']);
    } finally {
      keys.replace(given);
    }
    expect((await app.admin('DELETE', '/consumers/warehouse')).status).toBe(204);
  });

  it('lets each key report at most 20 consumers', async () => {
    const cursor = await newest();
    const report = async (name: string, key: string): Promise<number> => {
      return (await app.call('PUT', `/v1/consumers/${name}/position`, `Bearer ${key}`, { cursor })).status;
    };
    const names = Array.from({ length: 20 }, (_, pod) => `pod-${pod}`);
    for (const name of names) expect(await report(name, thin)).toBe(204);
    expect([await report('pod-20', thin), await report('pod-7', thin)]).toEqual([409, 204]);
    expect(await report('pod-20', mirror)).toBe(204);
    for (const name of [...names, 'pod-20']) expect((await app.admin('DELETE', `/consumers/${name}`)).status).toBe(204);
  });

  it('lets each key have 32 streams at a time, whose accesses are recorded once a minute', async () => {
    const after = await newest();
    const openStream = async (key: string): Promise<{ status: number; end: () => void; changes: () => number }> => {
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
      const request = http.get(`${app.url}/v1/changes?after=${after}`, { headers, agent: false });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      let text = '';
      response.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
      // There are heartbeats, too.
      const changes = (): number => text.split('event: change').length;
      return { status: response.statusCode ?? 0, end: () => request.destroy(), changes };
    };
    const streams = await Promise.all(Array.from({ length: 32 }, () => openStream(mirror)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect((await openStream(mirror)).status).toBe(429);
    expect((await read({ after }, mirror)).status).toBe(200);
    const another = await openStream(thin);
    expect(another.status).toBe(200);
    const entries = async (): Promise<number> => {
      const query = `/access-log?account_id=${anna.client_user_id}&actor=mirror`;
      return (await app.admin<{ data: object[] }>('GET', query)).body.data.length;
    };
    const storeAndSend = async (value: number): Promise<void> => {
      const sent = streams.map(({ changes }) => changes());
      await store('daily.data.steps.created', steps(value));
      await app.run(SequencerWorker);
      await until(async () => streams.every(({ changes }, index) => changes() > Number(sent[index])));
    };
    await storeAndSend(10);
    expect(await entries()).toBe(1);
    await storeAndSend(20);
    expect(await entries()).toBe(1);
    app.clock.advance(60_000);
    await storeAndSend(30);
    expect(await entries()).toBe(2);
    streams[0]?.end();
    await until(async () => {
      const { status, end } = await openStream(mirror);
      end();
      return status === 200;
    });
    for (const { end } of [...streams, another]) end();
  });

  it('reads one page at a time for each key, and for other keys meanwhile', async () => {
    const after = await newest();
    const log = app.get(ChangeLog);
    const page = log.page.bind(log);
    let running = 0;
    let most = 0;
    let letGo: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    const spy = jest.spyOn(log, 'page').mockImplementation(async (...given) => {
      most = Math.max(most, ++running);
      await released;
      running -= 1;
      return page(...given);
    });
    const ask = (key: string, query = ''): Promise<number> => {
      const path = `/v1/changes?after=${after}${query}`;
      return app.call('GET', path, `Bearer ${key}`).then(({ status }) => status);
    };
    try {
      const own = Array.from({ length: 8 }, () => ask(mirror, '&wait=1'));
      const leaving = http.get(`${app.url}/v1/changes?after=${after}`, {
        headers: { authorization: `Bearer ${mirror}`, accept: 'text/event-stream' },
      });
      leaving.on('error', () => undefined).on('response', (response) => response.on('error', () => undefined));
      await once(leaving, 'response');
      await until(async () => running === 1);
      const others = [ask(thin), ask(labs)];
      await until(async () => running === 3);
      leaving.destroy();
      letGo();
      expect(await Promise.all([...own, ...others])).toEqual(Array(10).fill(200));
      expect(most).toBe(3);
    } finally {
      letGo();
      spy.mockRestore();
    }
    const cursor = after;
    const report = await app.call('PUT', '/v1/consumers/turns/position', `Bearer ${mirror}`, { cursor });
    const snapshot = await app.call<string>('POST', '/v1/snapshots', `Bearer ${mirror}`, { kinds: ['alarm'] });
    expect([report.status, snapshot.status, await ask(mirror)]).toEqual([204, 200, 200]);
    expect((await app.admin('DELETE', '/consumers/turns')).status).toBe(204);
  });

  it('shows the positions of its consumers', async () => {
    const after = await newest();
    const report = (cursor: string) => app.call('PUT', '/v1/consumers/billing/position', 'Bearer feed-key', { cursor });
    expect(await report('nonsense')).toMatchObject({ status: 400, body: { errors: [{ field: 'cursor' }] } });
    expect((await report(after)).status).toBe(204);
    await store('daily.data.steps.created', steps(1));
    await app.run(SequencerWorker);
    app.clock.advance(20 * 60_000);
    const list = async () => (await app.admin<{ data: object[] }>('GET', '/consumers')).body.data;
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'billing', lag: 1, lag_seconds: 1_200, expired: false }),
    ]);
    const overview = async () => (await app.admin<{ consumers_lagging: number }>('GET', '/overview')).body;
    expect(await overview()).toMatchObject({ consumers_lagging: 1 });
    expect((await report(await newest())).status).toBe(204);
    expect(await overview()).toMatchObject({ consumers_lagging: 0 });
    app.clock.advance(20 * DAY);
    await app.settle();
    expect(await read({ after })).toMatchObject({ status: 410, body: { code: 'cursor_expired' } });
    // It follows the feed of a database that was restored meanwhile.
    await app.store.lane.run((tx) => tx.execute(`UPDATE change_consumers SET feed = 'ffffffffffff', number = 1000000`));
    await store('daily.data.steps.created', steps(3));
    await app.run(SequencerWorker);
    app.clock.advance(20 * 60_000);
    expect(await list()).toEqual([expect.objectContaining({ lag_seconds: 1_200, expired: true })]);
    expect(await overview()).toMatchObject({ consumers_lagging: 1 });
    // Or of one that was reset to an earlier state, and perhaps used since.
    const { feed = '', last_number: last = 0 } =
      (await app.store.reader.row<FeedRow>('SELECT * FROM change_feed')) ?? {};
    for (const [number, at] of [
      [last + 1, 5],
      [last, 5],
    ] as const) {
      const sql = 'UPDATE change_consumers SET feed = ?, number = ?, at = ?';
      await app.store.lane.run((tx) => tx.execute(sql, [feed, number, at]));
      expect(await list()).toEqual([expect.objectContaining({ lag: last, lag_seconds: 1_200, expired: true })]);
      expect(await overview()).toMatchObject({ consumers_lagging: 1 });
    }
    await app.store.lane.run(async (tx) => {
      for (let pod = 0; pod < 999; pod++) {
        const reported_by = `key-${pod}`;
        const row = { name: `pod-${pod}`, feed: 'f', number: 0, at: 0, reported_by, reported_at: 0 };
        await tx.orm.insert(ChangeConsumerEntity, row);
      }
    });
    const cursor = await newest();
    expect((await report(cursor)).status).toBe(204);
    const another = await app.call('PUT', '/v1/consumers/pod-999/position', 'Bearer feed-key', { cursor });
    expect(another).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await app.store.lane.run((tx) => tx.execute(`DELETE FROM change_consumers WHERE name LIKE 'pod-%'`));
    expect((await app.admin('DELETE', '/consumers/billing')).status).toBe(204);
    expect(await list()).toEqual([]);
  });
});
