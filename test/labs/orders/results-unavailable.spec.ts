import { OrdersWorld } from './support/orders-world.js';

const nowhere = '00000000-0000-4000-8000-000000000000';

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

const versions = (): Promise<unknown[]> =>
  world.rows('SELECT scope, version, status, source FROM lab_results ORDER BY scope, version');

describe('while upstream does not help', () => {
  it.each([503, 500, 429])('but answers %i, what it gave before is shown as stale', async (status) => {
    const order = await world.place(await world.user());
    const fresh = await world.result(order);
    await world.advance(60);
    await world.fails(status);
    const stale = await world.result(order);
    expect(stale).toMatchObject({ status: 200, body: { ...fresh.body, stale: true } });
  });

  it('the failure is told where nothing is stored', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fails(503);
    expect(await world.result(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await world.combined(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    expect(await versions()).toEqual([]);
  });

  it('an answer that cannot be read is one that did not come', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.control.fault({ kind: 'bad_json', path: '/v3/' });
    expect(await world.result(order)).toMatchObject({ status: 200, body: { stale: true } });
  });

  it('a partial result stays partial', async () => {
    const order = await world.place(await world.user(), 'partial_results');
    await world.result(order);
    await world.fails(503);
    expect((await world.result(order)).body).toMatchObject({ status: 'partial', stale: true });
  });

  it('a stored version is read without it', async () => {
    const order = await world.place(await world.user());
    const { body } = await world.result(order);
    await world.fails(503);
    expect((await world.result(order, '?version=1')).body).toMatchObject({ checksum: body.checksum });
  });

  it('a refusal is not covered up by what is stored', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    await world.fails(403);
    expect(await world.result(order)).toMatchObject({ status: 502, body: { code: 'upstream_rejected' } });
  });
});

describe('a result that is not there', () => {
  it('is not ready, for the order and for the transaction [results#before-there-are-results]', async () => {
    const order = await world.place(await world.user(), 'ordered');
    expect(await world.result(order)).toMatchObject({ status: 404, body: { code: 'result_not_ready' } });
    expect(await world.combined(order)).toMatchObject({ status: 404, body: { code: 'result_not_ready' } });
    expect(await versions()).toEqual([]);
  });

  it.each([
    [404, `GET /admin/v1/orders/${nowhere}/result`],
    [404, `GET /admin/v1/order-transactions/${nowhere}/result`],
    [400, 'GET /admin/v1/orders/no-uuid/result'],
    [404, `GET /admin/v1/orders/${nowhere}/result/pdf`],
    [400, 'GET /admin/v1/order-transactions/no-uuid/result/pdf'],
    [400, `GET /admin/v1/orders/${nowhere}/result?version=0`],
    [400, `GET /admin/v1/orders/${nowhere}/result?colour=red`],
  ])('is answered %i for %s', async (status, line) => {
    expect((await world.send(line)).status).toBe(status);
  });

  it('is not found by a version that was never stored', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    expect(await world.result(order, '?version=2')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
