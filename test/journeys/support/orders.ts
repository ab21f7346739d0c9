import type { TestApp } from '../../support/test-app.js';

export interface Result {
  code?: string;
  status: string;
  version: number;
  stale: boolean;
  first_seen_at: string;
  results: { name: string; result: string }[];
  missing_results: unknown[];
  versions: { version: number; status: string; source: string }[];
}

export interface Order {
  readonly id: string;
  readonly transaction: string;
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Actions for journeys of orders and results, with the current application and upstream user. */
export function ordersOf(pulsekeep: () => TestApp, userId: () => string) {
  async function place(to = 'requisition_created', notify = true): Promise<Order> {
    const { order } = await pulsekeep().sandbox.control.createOrder({ user_id: userId(), notify });
    await pulsekeep().sandbox.control.walkOrder(order.id, { to });
    await pulsekeep().settle();
    return { id: order.id, transaction: order.order_transaction.id };
  }

  const resultOf = (order: Order): Promise<Answer<Result>> =>
    pulsekeep().admin<Result>('GET', `/orders/${order.id}/result`, undefined, 'reader');
  const combinedOf = (order: Order): Promise<Answer<Result>> =>
    pulsekeep().admin<Result>('GET', `/order-transactions/${order.transaction}/result`, undefined, 'reader');
  const briefly = ({ status, body }: Answer<Result>): unknown[] => [status, body.code ?? body.status];

  /** Upstream answers a path so for as long as the test says nothing else. */
  const fails = (path: string, status: number): Promise<unknown> =>
    pulsekeep().sandbox.control.fault({ kind: 'status', status, path: `^${path}$` });

  return { place, resultOf, combinedOf, briefly, fails };
}
