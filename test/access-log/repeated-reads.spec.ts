import { RepeatsWorker } from '../../src/access-log/repeats.worker.js';
import { adminKeys, newAccountId, nowhere } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Row {
  readonly seq: number;
  readonly actor: string;
  readonly status: number;
  readonly request_id: string;
  readonly repeats: number | null;
}

describe('a read that is repeated', () => {
  let app: TestApp;
  let account: string;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
    account = newAccountId();
    for (const id of [account, `${account}-other`]) {
      await app.store.lane.run((tx) =>
        tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'pending', 1, 1)`, [
          id,
        ]),
      );
    }
  });

  afterEach(() => app.close());

  const read = (query = '', more: { role?: 'reader' | 'operator'; reason?: string; of?: string } = {}) =>
    app.call('GET', `/admin/v1/accounts/${more.of ?? account}/records/sleep${query}`, {
      authorization: `Bearer ${adminKeys[more.role ?? 'reader']}`,
      ...(more.reason ? { 'x-access-reason': more.reason } : {}),
    });
  const rows = (): Promise<Row[]> =>
    app.store.reader.rows('SELECT seq, actor, status, request_id, repeats FROM access_log ORDER BY seq');
  const counted = (): Promise<{ times: number }[]> => app.store.reader.rows('SELECT * FROM access_log_repeats');
  const intact = async (): Promise<unknown> =>
    (await app.admin<{ intact: boolean }>('GET', '/access-log/verification')).body.intact;

  it('has one entry at once, its count durable before each answer, and one entry with the count', async () => {
    for (let n = 1; n <= 5; n++) {
      await read();
      app.clock.advance(1_000);
      expect(await rows()).toHaveLength(1);
      expect((await counted()).map(({ times }) => times)).toEqual(n === 1 ? [] : [n - 1]);
    }
    await app.run(RepeatsWorker);
    expect(await rows()).toHaveLength(1);
    app.clock.advance(60_000);
    await app.run(RepeatsWorker);
    const [first, closing, ...others] = await rows();
    expect([first?.repeats, closing?.repeats, others]).toEqual([null, 4, []]);
    expect(closing).toMatchObject({ actor: 'reader', status: 200, request_id: first?.request_id });
    const { at } = (await app.store.reader.row<{ at: number }>('SELECT at FROM access_log WHERE seq = 2')) ?? { at: 0 };
    expect(at).toBe(app.clock.now() - 61_000);
    expect(await counted()).toEqual([]);
    expect(await intact()).toBe(true);
    expect(await app.metric('access_log_repeats_total', { caller: 'operator' })).toBe(4);
  });

  it('has a new entry after a minute', async () => {
    await read();
    app.clock.advance(59_999);
    await read();
    app.clock.advance(1);
    await read();
    expect((await rows()).map(({ repeats }) => repeats)).toEqual([null, null]);
  });

  it('is counted with those at the same time, however many', async () => {
    await Promise.all(Array.from({ length: 200 }, () => read()));
    const firsts = await rows();
    app.clock.advance(60_000);
    await app.run(RepeatsWorker);
    const all = await rows();
    const repeats = all.reduce((sum, row) => sum + (row.repeats ?? 0), 0);
    expect(firsts.length + repeats).toBe(200);
    expect(firsts.length).toBeLessThan(5);
    expect(await intact()).toBe(true);
  });

  it('is another one by another caller, of another page, person or reason, or with another answer', async () => {
    await read();
    await read('', { role: 'operator' });
    await read('?limit=2');
    await read('', { of: `${account}-other` });
    await read('', { reason: 'ticket 4711' });
    await app.store.lane.run((tx) => tx.execute('DELETE FROM accounts WHERE account_id = ?', [account]));
    await read();
    expect(await rows()).toHaveLength(6);
    expect(await counted()).toEqual([]);
  });

  it('is no act: acts are recorded each by itself', async () => {
    for (let n = 0; n < 2; n++) await app.admin('POST', `/accounts/${account}/block`);
    expect((await rows()).map(({ status }) => status)).toEqual([102, 200, 102, 200]);
  });

  it('lets no values out where its count cannot be stored', async () => {
    await read();
    await app.store.lane.run((tx) => tx.execute('ALTER TABLE access_log_repeats RENAME TO hidden'));
    expect(await read()).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
  });

  it('is chained by the next process after a crash', async () => {
    await read();
    await read();
    app.clock.advance(60_000);
    const next = await app.another({ upstream: { url: nowhere } });
    await next.run(RepeatsWorker);
    expect((await rows()).map(({ repeats }) => repeats)).toEqual([null, 1]);
    expect(await intact()).toBe(true);
  });

  it('tells the person and operators how often', async () => {
    await read();
    await read();
    app.clock.advance(60_000);
    await app.run(RepeatsWorker);
    const list = await app.admin<{ data: { repeats: number | null }[] }>('GET', '/access-log');
    expect(list.body.data[0]?.repeats).toBe(1);
    const timeline = await app.admin<{ data: { details: object }[] }>('GET', `/accounts/${account}/timeline`);
    expect(timeline.body.data.map(({ details }) => details)).toContainEqual(expect.objectContaining({ repeats: 1 }));
  });
});
