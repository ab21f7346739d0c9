import { TestApp } from '../../support/test-app.js';

interface Task {
  id: number;
  account_id: string;
  resource: string;
  status: string;
  share_done: number;
  cursor: string | null;
  records: number;
}

let pulsekeep: TestApp;

beforeEach(async () => {
  pulsekeep = await TestApp.create();
});
afterEach(() => pulsekeep.close());

function tasks(query = ''): Promise<{ status: number; body: { data: Task[]; next_cursor: string | null } }> {
  return pulsekeep.admin('GET', `/sync/tasks${query}`, undefined, 'viewer');
}

describe('an operator', () => {
  it('has an account pulled again, with the work stored before the response', async () => {
    await pulsekeep.connect('customer', 'oura', { days: 10, per_day: 5 });
    await pulsekeep.advance(120, 4);
    const before = (await tasks()).body.data.length;
    const answer = await pulsekeep.admin<{ task_ids: number[] }>('POST', '/accounts/customer/sync', {
      resources: ['sleep', 'blood_pressure'],
      start: '2026-11-01',
      end: '2026-11-10T00:00:00Z',
    });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ account_id: 'customer', task_ids: [expect.any(Number), expect.any(Number)] });
    const { data } = (await tasks()).body;
    expect(data).toHaveLength(before + 2);
    expect(data[0]).toMatchObject({
      id: answer.body.task_ids[1],
      account_id: 'customer',
      provider: null,
      origin: 'operator',
      status: 'pending',
      start: '2026-11-01T00:00:00.000Z',
      end: '2026-11-10T00:00:00.000Z',
      share_done: 0,
    });
    await pulsekeep.settle();
    const task = await pulsekeep.admin<Task>('GET', `/sync/tasks/${answer.body.task_ids[0]}`, undefined, 'viewer');
    expect(task.body).toMatchObject({ status: 'done', share_done: 1, cursor: null });
  });

  it.each([
    ['an unknown resource', { resources: ['sleep', 'moods'] }],
    ['a resource that cannot be pulled', { resources: ['workout_stream'] }],
    ['no resource', { resources: [] }],
    ['an empty window', { start: '2026-11-02', end: '2026-11-01' }],
    ['a window that has not begun', { start: '2027-01-01' }],
    ['an unknown field', { from: '2026-11-01' }],
  ])('is refused %s', async (_, wish) => {
    await pulsekeep.connect('customer', 'oura', { days: 1, per_day: 1 });
    const answer = await pulsekeep.admin('POST', '/accounts/customer/sync', wish);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('gets 404 for an unknown account or task', async () => {
    expect((await pulsekeep.admin('POST', '/accounts/nobody/sync', {})).status).toBe(404);
    expect((await pulsekeep.admin('GET', '/sync/tasks/999')).status).toBe(404);
    expect((await pulsekeep.admin('GET', '/sync/tasks/x')).status).toBe(400);
    expect((await tasks('?account_id=nobody')).body.data).toEqual([]);
  });

  it('pages through tasks, newest first, by account and status', async () => {
    for (const name of ['one', 'two']) await pulsekeep.connect(name, 'oura', { days: 2, per_day: 2 });
    await pulsekeep.advance(120, 4);
    const all = (await tasks('?limit=500')).body.data;
    const paged: Task[] = [];
    let cursor: string | null = null;
    do {
      const page: { body: { data: Task[]; next_cursor: string | null } } = await tasks(
        `?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      paged.push(...page.body.data);
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(paged).toEqual(all);
    const done = (await tasks('?account_id=two&status=done')).body.data;
    expect(done).toEqual(all.filter((task) => task.account_id === 'two' && task.status === 'done'));
    expect(done.length).toBeGreaterThan(0);
    expect((await tasks('?status=lost')).status).toBe(400);
  });

  it('sees the state of all work', async () => {
    await pulsekeep.connect('customer', 'oura', { days: 10, per_day: 5 });
    await pulsekeep.advance(120, 4);
    await pulsekeep.admin('POST', '/accounts/customer/sync', {});
    const during = await pulsekeep.admin<{ tasks: Record<string, number>; share_done: number }>(
      'GET',
      '/sync/progress',
    );
    expect(during.body.tasks).toMatchObject({ pending: 3, running: 0, failed: 0 });
    expect(during.body.share_done).toBeGreaterThan(0);
    expect(during.body.share_done).toBeLessThan(1);
    await pulsekeep.settle();
    const after = await pulsekeep.admin('GET', '/sync/progress', undefined, 'viewer');
    expect(after.body).toMatchObject({
      tasks: { pending: 0, running: 0, failed: 0 },
      share_done: 1,
      estimated_end: null,
      lag_seconds: 0,
    });
    expect(after.body.records).toBeGreaterThan(0);
  });

  it('sees historical pulls of upstream, page by page [introspection#historical-pulls]', async () => {
    await pulsekeep.connect('customer', 'oura', { days: 10, per_day: 5 });
    await pulsekeep.advance(120, 4);
    const all = await pulsekeep.admin<{ data: object[] }>(
      'GET',
      '/historical-pulls?account_id=customer',
      undefined,
      'viewer',
    );
    expect(all.body.data).toHaveLength(3);
    expect(all.body.data[2]).toMatchObject({
      account_id: 'customer',
      provider: 'oura',
      resource: 'sleep',
      status: 'success',
    });
    const first = await pulsekeep.admin<{ data: object[]; next_cursor: string }>('GET', '/historical-pulls?limit=2');
    const second = await pulsekeep.admin<{ data: object[] }>(
      'GET',
      `/historical-pulls?cursor=${first.body.next_cursor}`,
    );
    expect([...first.body.data, ...second.body.data]).toEqual(all.body.data);
    const failed = await pulsekeep.admin<{ data: object[] }>('GET', '/historical-pulls?status=failure&provider=oura');
    expect(failed.body.data).toEqual([]);
  });

  it('needs the role for it', async () => {
    expect((await pulsekeep.admin('POST', '/accounts/customer/sync', {}, 'reader')).status).toBe(403);
    expect((await pulsekeep.call('GET', '/admin/v1/sync/progress')).status).toBe(401);
  });
});
