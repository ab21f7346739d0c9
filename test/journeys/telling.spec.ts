import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Told {
  at: string;
  by: string;
  how: string;
  replayed: boolean;
}

interface Listed {
  data: { order_id: string; order_transaction_id: string; redraw_told: Told | null; critical_untold: boolean }[];
}

describe('informing a patient', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
    user_id = (await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
  });

  afterEach(() => app.close());

  async function owedRedraw(): Promise<{ order: string; transaction: string }> {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await app.sandbox.control.setOrderStatus(order.id, 'redraw_available');
    await app.settle();
    return { order: order.id, transaction: order.order_transaction.id };
  }

  const alarms = async (): Promise<string[]> => {
    app.clock.advance(15_000);
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ alarms: { code: string }[] }>('GET', '/overview');
    return body.alarms.map(({ code }) => code);
  };
  const listed = async (path: string): Promise<Listed['data']> => (await app.admin<Listed>('GET', path)).body.data;

  it('of a redraw is recorded once, and a second attempt shows who did it and when', async () => {
    const { transaction } = await owedRedraw();
    const path = `/order-transactions/${transaction}/told`;
    const untold = '/order-transactions?needs=redraw&told=false';
    expect((await listed(untold)).map((each) => [each.order_transaction_id, each.redraw_told])).toEqual([
      [transaction, null],
    ]);
    expect(await alarms()).toContain('redraws_untold');

    const at = new Date(app.clock.now()).toISOString();
    const [one, two] = await Promise.all([
      app.admin<Told>('POST', path, { how: 'phone' }, 'operator'),
      app.admin<Told>('POST', path, { how: 'email' }, 'backend'),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    const [first] = [one.body, two.body].filter(({ replayed }) => !replayed);
    expect([one.body, two.body].map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect([one.body, two.body]).toEqual([
      { ...first, replayed: expect.any(Boolean) },
      { ...first, replayed: expect.any(Boolean) },
    ]);
    expect(first).toMatchObject({ at });

    app.clock.advance(60_000);
    const again = await app.admin<Told>('POST', path, { how: 'letter', told_at: at }, 'operator');
    expect(again.body).toEqual({ ...first, replayed: true });
    const { by, how } = again.body;
    expect(await listed(untold)).toEqual([]);
    expect(await listed('/order-transactions?needs=redraw&told=true')).toMatchObject([
      { order_transaction_id: transaction, redraw_told: { at, by, how } },
    ]);
    expect(await alarms()).not.toContain('redraws_untold');
    expect(await app.figures()).toContain('pulsekeep_redraws_untold 0');
  });

  it('survives later changes of the order', async () => {
    const { order, transaction } = await owedRedraw();
    const told_at = '2026-11-20T09:00:00.000Z';
    await app.admin('POST', `/order-transactions/${transaction}/told`, { how: 'phone', told_at });
    const { redraw } = await app.sandbox.control.redraw(order);
    await app.settle();
    await app.sandbox.control.walkOrder(redraw.id);
    await app.settle();
    const record = { at: told_at, by: 'operator', how: 'phone' };
    const { body } = await app.admin('GET', `/order-transactions/${transaction}`);
    expect(body).toMatchObject({ needs: null, redraw_told: record });
    const late = await app.admin('POST', `/order-transactions/${transaction}/told`, { how: 'email' });
    expect([late.status, late.body]).toEqual([200, { ...record, replayed: true }]);
  });

  it('of critical results covers existing ones, and not later ones', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id);
    await app.sandbox.control.critical(order.id);
    await app.settle();
    const path = `/orders/${order.id}/told`;
    expect((await listed('/orders?told=false')).map(({ order_id }) => order_id)).toEqual([order.id]);
    expect(await listed('/orders?told=true')).toEqual([]);
    expect(await alarms()).toContain('critical_results');
    const { body: first } = await app.admin<Told>('POST', path, { how: 'in_person' });
    expect(first).toMatchObject({ by: 'operator', how: 'in_person', replayed: false });
    expect((await app.admin('POST', path, { how: 'phone' })).body).toEqual({ ...first, replayed: true });
    const { at, by, how } = first;
    expect(await listed('/orders?told=true')).toMatchObject([{ order_id: order.id, critical_untold: false }]);
    const { body } = await app.admin('GET', `/orders/${order.id}`, undefined, 'reader');
    expect(body).toMatchObject({ critical_told: { at, by, how } });
    const told = (body as unknown as { critical_results: { told: unknown }[] }).critical_results.map(
      (each) => each.told,
    );
    expect(new Set(told.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify({ at, by, how })]));
    const { body: seen } = await app.admin('GET', `/orders/${order.id}`, undefined, 'viewer');
    expect(seen).toMatchObject({ critical_told: { at, by, how }, critical_results: null });
    expect(await alarms()).not.toContain('critical_results');

    const later = { order_id: order.id, finding: 'later', created_at: app.clock.now(), version: 1, observed_at: 1 };
    await app.store.lane.run((tx) =>
      tx.execute(
        'INSERT INTO critical_results (order_id, finding, created_at, version, observed_at) VALUES (?, ?, ?, ?, ?)',
        Object.values(later),
      ),
    );
    expect(await listed('/orders?told=false')).toMatchObject([{ order_id: order.id, critical_untold: true }]);
    app.clock.advance(1_000);
    expect((await app.admin<Told>('POST', path, { how: 'phone' })).body).toMatchObject({
      how: 'phone',
      replayed: false,
    });
    expect(await listed('/orders?told=false')).toEqual([]);
    const { body: after } = await app.admin('GET', `/orders/${order.id}`);
    expect(after).toMatchObject({ critical_untold: false, critical_told: { how: 'phone' } });
  });

  it('is refused if there is nothing to tell, and if the request is not valid', async () => {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.settle();
    const statuses = async (path: string): Promise<[number, unknown]> => {
      const { status, body } = await app.admin<{ code: string }>('POST', path, { how: 'phone' });
      return [status, body.code];
    };
    expect(await statuses(`/order-transactions/${order.order_transaction.id}/told`)).toEqual([409, 'conflict']);
    expect(await statuses(`/orders/${order.id}/told`)).toEqual([409, 'conflict']);
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect(await statuses(`/order-transactions/${nobody}/told`)).toEqual([404, 'not_found']);
    expect(await statuses(`/orders/${nobody}/told`)).toEqual([404, 'not_found']);

    const { transaction } = await owedRedraw();
    const path = `/order-transactions/${transaction}/told`;
    const wrong = [
      {},
      { how: 'shout' },
      { how: 'phone', told_at: '2026-11-20T12:00:00.001Z' },
      { how: 'phone', note: '' },
    ];
    for (const body of wrong) expect((await app.admin('POST', path, body)).status).toBe(400);
    expect((await app.admin('POST', path, { how: 'phone' }, 'reader')).status).toBe(403);
    expect(await listed('/order-transactions?needs=redraw&told=false')).toHaveLength(1);
  });

  it('is in the export and the timeline of the person, and is deleted with an erasure', async () => {
    const { transaction } = await owedRedraw();
    await app.admin('POST', `/order-transactions/${transaction}/told`, { how: 'app' });
    const { body: lines } = await app.admin<string>('GET', `/accounts/${account_id}/export`);
    expect(String(lines)).toContain('"notified_by":"operator","notified_how":"app"');
    await app.chainAccesses();
    const { body: timeline } = await app.admin<{ data: { kind: string; details: object }[] }>(
      'GET',
      `/accounts/${account_id}/timeline?kind=operator_act`,
    );
    expect(JSON.stringify(timeline.data)).toContain('/told');
    await app.admin('DELETE', `/accounts/${account_id}`);
    await app.settle();
    expect((await app.admin('GET', `/order-transactions/${transaction}`)).status).toBe(404);
    expect(await app.store.reader.rows('SELECT * FROM order_transactions')).toEqual([]);
  });
});
