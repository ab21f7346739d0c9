import { AccountsService } from '../../../../src/accounts/accounts/accounts.service.js';
import type { ResultTrouble } from '../../../../src/labs/orders/result-subject.js';
import { ResultFetchWorker } from '../../../../src/labs/results/result-fetch.worker.js';
import { OrderSyncWorker } from '../../../../src/labs/upstream-orders/order-sync.worker.js';
import { adminKeys } from '../../../support/environment.js';
import type { Answer } from '../../../support/http.js';
import { TestApp, type TestAppOptions } from '../../../support/test-app.js';

export interface Result {
  order_id?: string;
  order_transaction_id?: string;
  status: string;
  version: number;
  checksum: string;
  first_seen_at: string;
  last_confirmed_at: string;
  stale: boolean;
  metadata: Record<string, unknown>;
  results: { name: string; result: string }[];
  missing_results: Record<string, unknown>[];
  sample_information: unknown;
  extra: Record<string, unknown>;
  order_transaction: Record<string, unknown> | null;
  versions: { version: number; status: string; checksum: string; source: string }[];
  withdrawn_at: string | null;
  pdf_versions: unknown[];
  code?: string;
}

export type ResultAnswer = Answer<Result>;

export interface Placed {
  readonly id: string;
  readonly transaction: string;
}

type Row = Record<string, string | number | null>;

/** Orders upstream whose events never come: what is known of them was read. */
export class OrdersWorld {
  private constructor(readonly service: TestApp) {}

  static async open(options: TestAppOptions = {}): Promise<OrdersWorld> {
    return new OrdersWorld(await TestApp.create({ webhooks: false, ...options }));
  }

  close(): Promise<void> {
    return this.service.close();
  }

  get control(): TestApp['sandbox']['control'] {
    return this.service.sandbox.control;
  }

  /** The upstream user of an account that is made for it. */
  async user(accountId = 'ann'): Promise<string> {
    const account = await this.service.get(AccountsService).ensure(accountId, { priority: 'interactive' });
    return account.upstream_user_id ?? '';
  }

  /** An order upstream, brought to a state there. */
  async place(user_id: string, to = 'completed'): Promise<Placed> {
    const { order } = await this.control.createOrder({ user_id, notify: false });
    if (to !== 'ordered') await this.control.walkOrder(order.id, { to });
    return { id: order.id, transaction: order.order_transaction.id };
  }

  result({ id }: Placed, query = '', token: string = adminKeys.reader): Promise<ResultAnswer> {
    return this.send(`GET /admin/v1/orders/${id}/result${query}`, token);
  }

  /** Ids of the orders with a result in this state. */
  async troubled(result: ResultTrouble): Promise<string[]> {
    const { body } = await this.service.admin<{ data: { order_id: string }[] }>('GET', `/orders?result=${result}`);
    return body.data.map(({ order_id }) => order_id);
  }

  combined({ transaction }: Placed, query = ''): Promise<ResultAnswer> {
    return this.send(`GET /admin/v1/order-transactions/${transaction}/result${query}`);
  }

  send(line: string, token: string = adminKeys.reader, body?: unknown): Promise<ResultAnswer> {
    return this.service.send<Result>(line, { token, body });
  }

  rows(sql: string): Promise<Row[]> {
    return this.service.store.reader.rows<Row>(sql);
  }

  advance(seconds: number): Promise<void> {
    return this.service.wait(seconds);
  }

  walkList(): Promise<void> {
    return this.service.run(OrderSyncWorker);
  }

  fetch(service = this.service): Promise<void> {
    return service.run(ResultFetchWorker);
  }

  /** Upstream's labs answer so to everything. */
  async fails(status: number): Promise<void> {
    await this.control.fault({ kind: 'status', status, path: '/v3/' });
  }
}
