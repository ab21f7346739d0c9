import { OrdersApply, type Reported } from '../../../../src/labs/orders/orders-apply.service.js';
import type { Store } from '../../../../src/storage/database/store.js';
import { nowhere } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';
import { Lab, type Saying, startOfLab } from './lab.js';

export interface Row {
  [column: string]: string | number | null;
}

/** Orders as the store has them after upstream said something of them; nothing is asked of upstream. */
export class HeardOrders {
  /** When the last saying was received. */
  received = startOfLab + 86_400_000;
  private labs = 0;

  private constructor(
    private readonly app: TestApp,
    /** `accounts.id` of the account whose orders they are. */
    readonly ann: number,
  ) {}

  static async open(): Promise<HeardOrders> {
    const app = await TestApp.create({ upstream: { url: nowhere } });
    return new HeardOrders(app, await newAccount(app.store, 'ann'));
  }

  close(): Promise<void> {
    return this.app.close();
  }

  get store(): Store {
    return this.app.store;
  }

  get intake(): OrdersApply {
    return this.app.get(OrdersApply);
  }

  newLab(): Lab {
    this.labs += 1;
    return new Lab(`t${this.labs}`);
  }

  newAccount(accountId: string): Promise<number> {
    return newAccount(this.store, accountId);
  }

  /** Account and receipt time of the next report. */
  next(account: number | null): Reported {
    this.received += 1_000;
    return { account, observedAt: this.received, source: 'message' };
  }

  /** Applies what upstream said, each a little later than the one before. */
  async hear(sayings: readonly Saying[], account: number | null = this.ann): Promise<void> {
    for (const saying of sayings) {
      const observed = this.next(account);
      await this.store.lane.run((tx) =>
        'order' in saying
          ? this.intake.applyOrder(tx, saying.order, observed)
          : this.intake.applyTransaction(tx, saying.transaction, observed),
      );
    }
  }

  rows(sql: string, ...values: (string | number)[]): Promise<Row[]> {
    return this.store.reader.rows<Row>(sql, values);
  }

  async order(id: string): Promise<Row | undefined> {
    return (await this.rows('SELECT * FROM orders WHERE order_id = ?', id))[0];
  }

  async transaction(id: string): Promise<Row | undefined> {
    return (await this.rows('SELECT * FROM order_transactions WHERE order_transaction_id = ?', id))[0];
  }

  eventsOf(id: string): Promise<Row[]> {
    return this.rows('SELECT status FROM order_events WHERE order_id = ? ORDER BY created_at, event_id', id);
  }

  refreshOf(id: string): Promise<Row[]> {
    return this.rows(`SELECT due_at FROM due_reads WHERE kind = 'order' AND subject_id = ?`, id);
  }
}

async function newAccount(store: Store, accountId: string): Promise<number> {
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
  const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [accountId]));
  return row?.id ?? 0;
}
