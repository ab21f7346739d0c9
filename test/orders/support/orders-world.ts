import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { LabResultsModule } from '../../../src/lab-results/lab-results.module.js';
import { ResultFetchWorker } from '../../../src/lab-results/result-fetch.worker.js';
import { OrderApiModule } from '../../../src/order-api/order-api.module.js';
import { OrderSyncWorker } from '../../../src/order-intake/order-sync.worker.js';
import { OrderPlacementModule } from '../../../src/order-placement/order-placement.module.js';
import { adminKeys, type FeatureApp } from '../../accounts/support/feature-app.js';
import { Surroundings } from '../../accounts/support/with-sandbox.js';

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
  pdf_versions: unknown[];
  code?: string;
}

export interface ResultAnswer {
  status: number;
  headers: Record<string, unknown>;
  body: Result;
}

export interface Placed {
  readonly id: string;
  readonly transaction: string;
}

type Row = Record<string, string | number | null>;

/** Every room about orders, with those they import. */
export const orderRooms = [OrderApiModule, LabResultsModule, OrderPlacementModule];

/** The orders feature over the simulated upstream, whose events never come: what is known was read. */
export class OrdersWorld {
  private constructor(
    readonly around: Surroundings,
    readonly service: FeatureApp,
  ) {}

  static async open(): Promise<OrdersWorld> {
    const around = await Surroundings.open();
    return new OrdersWorld(around, await around.service({}, orderRooms));
  }

  close(): Promise<void> {
    return this.around.close();
  }

  get control(): Surroundings['sandbox']['control'] {
    return this.around.sandbox.control;
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

  combined({ transaction }: Placed, query = ''): Promise<ResultAnswer> {
    return this.send(`GET /admin/v1/order-transactions/${transaction}/result${query}`);
  }

  async send(line: string, token: string = adminKeys.reader, body?: unknown): Promise<ResultAnswer> {
    return (await this.service.send(line, { token, body })) as unknown as ResultAnswer;
  }

  rows(sql: string): Promise<Row[]> {
    return this.around.store.reader.rows<Row>(sql);
  }

  async advance(seconds: number): Promise<void> {
    this.service.clock.advance(seconds * 1000);
    await this.control.advance(seconds);
  }

  walkList(): Promise<void> {
    return this.service.get(OrderSyncWorker).loop.runUntilIdle();
  }

  fetch(service = this.service): Promise<void> {
    return service.get(ResultFetchWorker).loop.runUntilIdle();
  }

  /** Upstream's labs answer so to everything. */
  async fails(status: number): Promise<void> {
    await this.control.fault({ kind: 'status', status, path: '/v3/' });
  }
}
