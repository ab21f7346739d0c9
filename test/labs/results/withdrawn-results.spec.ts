import { OrdersWorld } from '../orders/support/orders-world.js';

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

const withdraw = (path: string): Promise<unknown> => world.control.fault({ kind: 'status', status: 404, path });
const marked = (): Promise<unknown[]> =>
  world.rows('SELECT scope, form, version FROM lab_results WHERE withdrawn_at IS NOT NULL ORDER BY scope, form');

describe('a result that upstream no longer has', () => {
  it.each(['order', 'transaction'] as const)('is withdrawn for the %s and hides its values', async (scope) => {
    const order = await world.place(await world.user());
    const read = (query = '') => (scope === 'order' ? world.result(order, query) : world.combined(order, query));
    const before = await read();
    await world.advance(60);
    await withdraw('/v3/');
    const { status, body } = await read();
    expect([status, body]).toMatchObject([200, { status: 'withdrawn', withdrawn_at: expect.any(String), results: [] }]);
    expect(body.versions).toMatchObject([{ version: 1, status: 'withdrawn' }]);
    expect(await world.troubled('withdrawn')).toEqual([order.id]);
    expect(await world.troubled('given_up')).toEqual([]);
    expect((await read('?version=1')).body).toMatchObject({ status: 'withdrawn', results: before.body.results });
    expect(world.service.logs.some((line) => line.includes('order.result_withdrawn'))).toBe(true);
  });

  it('is withdrawn for its order alone, while another order of the person keeps its own', async () => {
    const user = await world.user();
    const [order, other] = [await world.place(user), await world.place(user)];
    for (const each of [order, other]) await world.result(each);
    await world.control.setResult(order.id, { withdrawn: true });
    expect((await world.result(order)).body).toMatchObject({ status: 'withdrawn', results: [] });
    expect(await world.troubled('withdrawn')).toEqual([order.id]);
    expect((await world.result(other)).body).toMatchObject({ status: 'final', stale: false });
  });

  it('stays withdrawn during an outage', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await withdraw('/v3/');
    await world.result(order);
    await world.control.clearFaults();
    await world.fails(503);
    expect((await world.result(order)).body).toMatchObject({ status: 'withdrawn', stale: true, results: [] });
  });

  it('is valid again although it was withdrawn while our clock was ahead', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    world.service.clock.step(6 * 3_600_000);
    await withdraw('/v3/');
    await world.result(order);
    await world.control.clearFaults();
    world.service.clock.step(-6 * 3_600_000);
    expect((await world.result(order)).body).toMatchObject({ status: 'final', withdrawn_at: null, version: 1 });
    await withdraw('/v3/');
    expect((await world.result(order)).body).toMatchObject({ status: 'withdrawn' });
  });

  it('is valid again once upstream returns the same content', async () => {
    const order = await world.place(await world.user());
    const before = await world.result(order);
    await withdraw('/v3/');
    await world.result(order);
    await world.control.clearFaults();
    await world.advance(60);
    const again = await world.result(order);
    expect(again.body).toMatchObject({ status: 'final', withdrawn_at: null, version: 1, results: before.body.results });
    expect(await marked()).toEqual([]);
  });

  it('is replaced by another version, and keeps its mark', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await withdraw('/v3/');
    await world.result(order);
    await world.control.clearFaults();
    await world.advance(60);
    await world.control.setResult(order.id, { metadata: { interpretation: 'abnormal' } });
    expect((await world.result(order)).body).toMatchObject({ status: 'final', version: 2, withdrawn_at: null });
    expect(await marked()).toEqual([{ scope: 'order', form: 'json', version: 1 }]);
  });

  it('is found by the fetch of an event, and withdraws the result of its transaction as well', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    await withdraw('/v3/');
    await world.result(order);
    await world.advance(60);
    await world.fetch();
    expect(await marked()).toEqual([
      { scope: 'order', form: 'json', version: 1 },
      { scope: 'transaction', form: 'json', version: 1 },
    ]);
  });

  it('is found when its order fails or is cancelled, with the result of the transaction', async () => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { metadata: { interpretation: 'critical' } });
    await world.walkList();
    await world.fetch();
    await withdraw('/result');
    for (const state of ['sample_error', 'cancelled']) {
      await world.advance(3_600);
      await world.control.setOrderStatus(order.id, state, { notify: false });
      await world.walkList();
      const due = await world.rows(`SELECT scope FROM due_reads WHERE kind = 'result' AND attempts = 0 ORDER BY scope`);
      expect(due).toEqual([{ scope: 'order' }, { scope: 'transaction' }]);
      await world.fetch();
    }
    expect(await marked()).toMatchObject([{ scope: 'order' }, { scope: 'transaction' }]);
    const open = await world.rows(
      "SELECT finding FROM critical_results WHERE settled_at IS NULL AND said_by = 'result'",
    );
    expect(open).toEqual([]);
    expect(await world.troubled('withdrawn')).toEqual([order.id]);
  });

  it('is asked for again, because what an event announced may come in its place', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    await withdraw(`/v3/order/${order.id}/result`);
    await world.advance(3_600);
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    await world.walkList();
    await world.fetch();
    expect(await world.troubled('withdrawn')).toEqual([order.id]);
    await world.control.clearFaults();
    await world.advance(3_600);
    await world.fetch();
    expect(await world.troubled('withdrawn')).toEqual([]);
    expect((await world.result(order)).body).toMatchObject({ status: 'final', withdrawn_at: null, version: 2 });
  });

  it('is no longer asked for after 30 days, and stays on the list of withdrawn results alone', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    await withdraw('/v3/');
    await world.result(order);
    await world.advance(60);
    await world.fetch();
    await world.service.store.lane.run((tx) => tx.execute(`UPDATE due_reads SET attempts = 129 WHERE kind = 'result'`));
    await world.advance(7 * 3_600);
    await world.fetch();
    expect(await world.rows(`SELECT subject_id FROM due_reads WHERE kind = 'result'`)).toEqual([]);
    expect(await world.troubled('given_up')).toEqual([]);
    expect(await world.troubled('withdrawn')).toEqual([order.id]);
  });

  it('is read again if its PDF is gone', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.service.admin('GET', `/orders/${order.id}/result/pdf`);
    await world.advance(60);
    await withdraw('/v3/');
    expect((await world.service.admin('GET', `/orders/${order.id}/result/pdf`)).status).toBe(404);
    await world.fetch();
    expect(await marked()).toEqual([
      { scope: 'order', form: 'json', version: 1 },
      { scope: 'order', form: 'pdf', version: 1 },
    ]);
  });

  it('is not withdrawn by a 404 that is not in upstream’s form', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.control.fault({ kind: 'plain_text_500', path: '/v3/' });
    expect((await world.result(order)).body).toMatchObject({ status: 'final', stale: true });
    expect(await marked()).toEqual([]);
  });

  it('whose list is emptied is shown empty, never with earlier values', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.control.setResult(order.id, { fields: { results: [] } });
    expect((await world.result(order)).body).toMatchObject({ version: 2, results: [] });
  });
});
