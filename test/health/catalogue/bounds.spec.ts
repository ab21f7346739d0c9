import { deliver, messagesOf, processed } from '../../ingest/inbox/support/deliveries.js';
import { event, sleep, type User, uuid } from '../../ingest/inbox/support/events.js';
import { TestApp } from '../../support/test-app.js';

const AT_THE_END = 8_640_000_000_000_000;

describe('a value outside all bounds', () => {
  let app: TestApp;
  let user: User;
  let sent = 0;

  const start = async (): Promise<void> => {
    app = await TestApp.create({ webhooks: false });
    const { user_id } = (await app.as('cust-1', 'POST', '/me/sign-in-token', {})).body;
    user = { user_id, client_user_id: 'cust-1', team_id: uuid(0xfff) };
  };
  const send = async (resource: string, data: unknown) => {
    const { team_id: _, ...envelope } = event(`daily.data.${resource}.created`, user, data);
    const id = `msg_${++sent}`;
    await deliver(app, envelope, { id });
    await processed(app);
    return messagesOf(app).byId(id);
  };
  const scale = { provider: 'withings', type: 'scale' };
  const weight = (minute: number, over: object = {}) => ({
    ...{ timestamp: `2026-11-19T08:0${minute}:00+00:00`, value: 80, unit: 'kg', timezone_offset: 3600 },
    ...over,
  });
  const records = (resource: string) =>
    app.admin<{ data: Record<string, unknown>[] }>('GET', `/accounts/cust-1/records/${resource}`, undefined, 'reader');

  describe('that arrives', () => {
    beforeAll(start);
    afterAll(() => app.close());

    it('is refused point by point', async () => {
      const bad = [weight(1, { timezone_offset: 9e12 }), weight(2, { timestamp: '9999-12-31T23:59:59.999Z' })];
      expect(await send('weight', { source: scale, data: [...bad, weight(3)] })).toMatchObject({ status: 'done' });
      const { status, body } = await records('body_weight');
      expect([status, body.data.at(-1)?.['time']]).toEqual([200, '2026-11-19T08:03:00.000Z']);
    });

    it('may have a time before 1970', async () => {
      const early = { timestamp: '1969-07-20T20:17:40Z' };
      expect(await send('weight', { source: { ...scale, type: 'moon' }, data: [weight(1, early)] })).toMatchObject({
        status: 'done',
      });
      const path = '/accounts/cust-1/coverage?resource=body_weight&first_day=1969-07-19&last_day=1969-07-21';
      const { body } = await app.admin<{ data: { runs: { first_day: string; records: number }[] }[] }>('GET', path);
      const days = body.data[0]?.runs.filter((run) => run.records > 0).map(({ first_day }) => first_day);
      expect(days).toEqual(['1969-07-20']);
    });

    it.each([
      ['an offset', { timezone_offset: 9e12 }],
      ['a time', { bedtime_start: '9999-12-31T23:59:59.999Z' }],
      ['a version', { updated_at: '9999-12-31T23:59:59.999Z' }],
    ])('%s makes a summary unusable', async (_, over) => {
      expect(await send('sleep', sleep(user, over))).toMatchObject({ status: 'dead', reason: 'unreadable_data' });
      expect((await records('sleep')).body.data).toEqual([]);
    });
  });

  describe('that was stored before such values were refused', () => {
    afterAll(() => app.close());
    beforeAll(async () => {
      await start();
      await send('weight', { source: scale, data: [weight(3)] });
      const night = sleep(user, { id: uuid(7), timezone_offset: 3600 });
      await send('sleep', night);
      const { lane } = app.store;
      await lane.run(async (tx) => {
        await tx.execute('UPDATE sample_attributes SET content = ?', ['{"timezone_offset":9000000000000,"unit":"kg"}']);
        await tx.execute('UPDATE samples SET time = ?, duration_ms = ?', [AT_THE_END, AT_THE_END]);
        const raw = JSON.stringify({ ...night, timezone_offset: 9e12 });
        const late = [AT_THE_END, AT_THE_END, AT_THE_END * 1_000, raw];
        await tx.execute('UPDATE summaries SET time = ?, end_time = ?, version = ?, raw = ?', late);
      });
    });

    it.each(['body_weight', 'sleep'])('%s is shown at the last time that can be written', async (resource) => {
      const { status, body } = await records(resource);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([{ time: '9999-12-31T23:59:59.999Z', timezone_offset: null, local_time: null }]);
    });

    it.each([
      '/accounts/cust-1',
      '/accounts/cust-1/coverage',
      '/accounts/cust-1/timeline',
      '/accounts/cust-1/explain?resource=sleep&day=2026-11-19',
      '/accounts/cust-1/explain?resource=sleep&day=9999-12-31',
      '/accounts/cust-1/coverage?first_day=9999-12-30&last_day=9999-12-31',
      '/overview',
    ])('%s answers', async (path) => {
      expect((await app.admin('GET', path)).status).toBe(200);
    });

    it('does not break what the app sees of its account', async () => {
      expect((await app.as('cust-1', 'GET', '/me')).status).toBe(200);
      expect((await app.as('cust-1', 'GET', '/me/records/sleep')).status).toBe(200);
    });

    it('leaves the export complete', async () => {
      const { status, body } = await app.admin<string>('GET', '/accounts/cust-1/export', undefined, 'reader');
      expect(status).toBe(200);
      const lines = (typeof body === 'string' ? body : JSON.stringify(body)).match(/"type":"record"/g);
      expect(lines).toHaveLength(2);
    });
  });
});
