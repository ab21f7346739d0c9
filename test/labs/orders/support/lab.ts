import {
  readOrder,
  readOrderTransaction,
  type WireOrder,
  type WireOrderTransaction,
} from '../../../../src/upstream/client/wire-orders.js';

interface Event {
  id: number;
  at: number;
  status: string;
}

interface Order {
  id: string;
  origin: string;
  parent: string | null;
  created: number;
  updated: number;
  events: Event[];
}

export const startOfLab = Date.parse('2026-11-20T12:00:00Z');

/** A report from upstream at an instant: an order as in events and REST, or a transaction as in its own call. */
export type Saying = { order: WireOrder } | { transaction: WireOrderTransaction };

const iso = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00');
const low = (status: string): string => status.split('.').at(-1) ?? '';

/** One transaction as a lab would run it; every step says what upstream would say then. */
export class Lab {
  readonly sayings: Saying[] = [];
  readonly orders: Order[] = [];
  private now = startOfLab;
  private lastEventId = 1_000;

  constructor(
    readonly transactionId: string,
    private readonly userId = 'user',
    private readonly prefix = transactionId,
  ) {}

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  create(origin: 'initial' | 'redraw' | 'recreation', parent: Order | null = null): Order {
    const id = nthId(this.prefix, this.orders.length + 1);
    const order = { id, origin, parent: parent?.id ?? null, created: this.now, updated: this.now, events: [] };
    this.orders.push(order);
    return this.step(order, 'received.walk_in_test.ordered');
  }

  step(order: Order, status: string): Order {
    this.lastEventId += 1;
    order.events.push({ id: this.lastEventId, at: this.now, status });
    order.updated = this.now;
    return this.say(order);
  }

  /** Says the order as it is. */
  say(order: Order): Order {
    this.sayings.push({ order: this.wireOf(order) });
    return order;
  }

  /** Says the transaction as `GET /v3/order_transaction/{id}` does. */
  tell(): this {
    this.sayings.push({ transaction: this.transaction() });
    return this;
  }

  transaction(): WireOrderTransaction {
    const orders = this.orders.map((order) => ({
      ...this.listed(order),
      last_status: low(order.events.at(-1)?.status ?? ''),
      last_status_created_at: iso(order.events.at(-1)?.at ?? 0),
    }));
    return readOrderTransaction({ id: this.transactionId, team_id: 'team', status: this.status, orders });
  }

  get status(): string {
    const last = (order: Order): string => low(order.events.at(-1)?.status ?? '');
    if (this.orders.every((order) => last(order) === 'cancelled')) return 'cancelled';
    const heads = this.orders.filter((order) => !this.orders.some((other) => other.parent === order.id));
    return heads.every((order) => ['completed', 'corrected', 'cancelled'].includes(last(order)))
      ? 'completed'
      : 'active';
  }

  private wireOf(order: Order): WireOrder {
    const events = order.events.map(({ id, at, status }) => ({ id, created_at: iso(at), status }));
    const orders = this.orders.map((each) => ({
      ...this.listed(each),
      low_level_status: low(each.events.at(-1)?.status ?? ''),
      low_level_status_created_at: iso(each.events.at(-1)?.at ?? 0),
    }));
    return readOrder({
      id: order.id,
      user_id: this.userId,
      created_at: iso(order.created),
      updated_at: iso(order.updated),
      events,
      last_event: events.at(-1),
      status: order.events.at(-1)?.status.split('.')[0],
      origin: order.origin,
      order_transaction: { id: this.transactionId, status: this.status, orders },
      patient_details: { first_name: 'MARKED', dob: '1980-01-01' },
      notes: 'MARKED',
    });
  }

  private listed({ id, origin, parent, created, updated }: Order): Record<string, unknown> {
    return { id, origin, parent_id: parent, created_at: iso(created), updated_at: iso(updated) };
  }
}

/** The id of the nth thing of a kind: a UUID where the prefix is the front of one. */
export function nthId(prefix: string, n: number | string): string {
  return `${prefix}-${String(n).padStart(12, '0')}`;
}
