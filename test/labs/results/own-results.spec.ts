import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Result {
  order_transaction_id: string;
  status: string;
  stale: boolean;
  results: unknown[];
  code: string;
}

let app: TestApp;
let account: string;
let userId: string;

async function open(env: Record<string, string> = { APP_RESULTS: 'final' }): Promise<void> {
  app = await TestApp.create({ env });
  account = newAccountId();
  userId = (await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {})).body.user_id;
}

afterEach(() => app.close());

async function order(to = 'completed'): Promise<{ id: string; transaction: string }> {
  const { order: made } = await app.sandbox.control.createOrder({ user_id: userId });
  await app.sandbox.control.walkOrder(made.id, { to });
  await app.settle();
  return { id: made.id, transaction: made.order_transaction.id };
}

const result = (transaction: string, of = account) =>
  app.as<Result>(of, 'GET', `/me/order-transactions/${transaction}/result`);
const notReady = { status: 404, body: { code: 'result_not_ready' } };

describe('the result of a transaction, for the person it is about,', () => {
  it('is shown once it is final, without its versions, and each read is recorded', async () => {
    await open();
    const { transaction } = await order();
    const { status, headers, body } = await result(transaction);
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache']);
    expect(body).toMatchObject({ order_transaction_id: transaction, status: 'final', stale: false });
    expect(body.results.length).toBeGreaterThan(0);
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['versions']));
    const log = await app.admin<{ data: { action: string; account_id: string | null }[] }>(
      'GET',
      '/access-log?limit=500',
    );
    const entry = log.body.data.find(({ action }) => action.endsWith('/me/order-transactions/:id/result'));
    expect(entry).toMatchObject({ account_id: account, actor: 'app' });
  });

  it('is not shown unless configured', async () => {
    await open({});
    const { transaction } = await order();
    expect(await result(transaction)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it('is hidden from others', async () => {
    await open();
    const { transaction } = await order();
    const other = newAccountId();
    await app.as(other, 'POST', '/me/sign-in-token', {});
    expect(await result(transaction, other)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await result('00000000-0000-4000-8000-00000000dead')).toMatchObject({ body: { code: 'not_found' } });
  });

  it('is not shown while it is partial, even if a lab called it critical, and upstream is not asked', async () => {
    await open();
    const { id, transaction } = await order('partial_results');
    await app.sandbox.control.critical(id, 'partial');
    await app.settle();
    await app.sandbox.control.clearCalls();
    expect(await result(transaction)).toMatchObject(notReady);
    expect(await app.callsTo('GET /v3/order_transaction/:transaction_id/result')).toBe(0);
    await app.sandbox.control.walkOrder(id, { to: 'completed' });
    await app.settle();
    expect(await result(transaction)).toMatchObject({ status: 200, body: { status: 'final' } });
  });

  it('is not shown if its transaction is completed but the result itself is partial', async () => {
    await open();
    const { id, transaction } = await order();
    await app.sandbox.control.setResult(id, { metadata: { status: 'partial' } });
    expect(await result(transaction)).toMatchObject(notReady);
  });

  it('is not shown while a redraw is open, although the first result has no state', async () => {
    await open();
    const { id, transaction } = await order('requisition_created');
    await app.sandbox.control.redraw(id);
    await app.sandbox.control.setResult(id, { metadata: { status: null } });
    await app.settle();
    expect(await result(transaction)).toMatchObject(notReady);
  });

  it('is not shown once upstream has withdrawn it, nor in an outage after that', async () => {
    await open();
    const { transaction } = await order();
    expect(await result(transaction)).toMatchObject({ status: 200 });
    await app.sandbox.control.fault({ kind: 'status', status: 404, path: '/v3/' });
    expect(await result(transaction)).toMatchObject(notReady);
    await app.sandbox.control.clearFaults();
    await app.sandbox.control.fault({ kind: 'plain_text_500', path: '/v3/' });
    expect(await result(transaction)).toMatchObject(notReady);
  });

  it('is the stored one, marked stale, while upstream is away', async () => {
    await open();
    const { transaction } = await order();
    await result(transaction);
    await app.sandbox.control.fault({ kind: 'plain_text_500', path: '/v3/' });
    expect(await result(transaction)).toMatchObject({ status: 200, body: { stale: true } });
  });
});
