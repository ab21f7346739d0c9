import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { formatTime } from '../engine/times.js';
import type { LabTest } from '../facts/lab-tests.js';
import type { Users } from '../users/users.js';
import type { Events } from '../webhooks/events.js';
import type { Order, OrderDetails, OrderEvent, Origin, TransactionStatus } from './order.js';
import { orderWire } from './order-shapes.js';
import { fullStatus, hasEnded, isCancelled, lowLevel, pathTo } from './order-statuses.js';

export interface NewOrder {
  userId: string;
  labTest: LabTest;
  details: OrderDetails;
  notify?: boolean;
}

export interface StepOptions {
  detail?: string;
  notify?: boolean;
}

export function lastStatus(order: Order): string {
  return lowLevel(order.events.at(-1)?.status ?? '');
}

/** All orders and their transactions (docs/upstream/orders.md). */
export class Orders {
  private orders = new Map<string, Order>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly events: Events,
    private readonly users: Users,
    readonly teamId: string,
  ) {}

  /** For a restart (state.ts). */
  keep(): Map<string, Order> {
    return this.orders;
  }

  restore(kept: Map<string, Order>): void {
    this.orders = kept;
  }

  /** A new initial order with its transaction; fires `labtest.order.created`. */
  create(request: NewOrder): Order {
    const transactionId = this.ids.uuid('transaction', request.userId);
    const order = this.add(request, { transactionId, origin: 'initial', parentId: null });
    if (request.notify !== false) this.announce(order, 'created');
    return order;
  }

  /** Moves an order one step; null if its method has no such status. */
  step(order: Order, status: string, options: StepOptions = {}): Order | null {
    const full = fullStatus(order.labTest.method, status);
    if (full === null) return null;
    this.record(order, full, options.detail);
    if (options.notify !== false) this.announce(order, 'updated');
    if (lowLevel(full) === 'completed' && order.simulation?.critical) this.announceCritical(order, 'final');
    return order;
  }

  /** Walks the success path to a status, with `stepSeconds` between the steps; immediately if 0. */
  walk(order: Order, to: string, stepSeconds: number): boolean {
    if (fullStatus(order.labTest.method, to) === null) return false;
    const steps = pathTo(order.labTest.method, lastStatus(order), lowLevel(to));
    steps.forEach((low, index) => {
      const notify = low !== 'partial_results';
      if (stepSeconds === 0) this.step(order, low, { notify });
      else this.timeline.after(stepSeconds * (index + 1), () => void this.step(order, low, { notify }));
    });
    return true;
  }

  /**
   * The lab lost markers: `redraw_available` and a redraw order in the same transaction
   * (docs/upstream/orders.md#redraw).
   */
  redraw(order: Order, options: { redrawFirst: boolean; notify: boolean }): Order {
    this.record(order, `collecting_sample.${order.labTest.method}.redraw_available`);
    order.missingResults = true;
    const redraw = this.derive(order, 'redraw');
    if (!options.notify) return redraw;
    if (!options.redrawFirst) this.announce(order, 'updated');
    this.announce(redraw, 'created');
    if (options.redrawFirst) this.announce(order, 'updated');
    return redraw;
  }

  /** A replacement order in the same transaction. */
  recreate(order: Order): Order {
    const recreation = this.derive(order, 'recreation');
    this.announce(recreation, 'created');
    return recreation;
  }

  announceCritical(order: Order, status: 'final' | 'partial'): void {
    order.interpretation = 'critical';
    const at = formatTime(this.timeline.now());
    this.emit('labtest.result.critical', order, {
      order_id: order.id,
      sample_id: order.sampleId ?? order.id.slice(0, 8),
      status,
      interpretation: 'critical',
      team_id: this.teamId,
      user_id: order.userId,
      created_at: at,
      updated_at: at,
    });
  }

  /** Resends the latest event of an order (docs/upstream/orders.md#resend-events). */
  resend(order: Order): void {
    this.announce(order, order.events.length === 1 ? 'created' : 'updated');
  }

  find(id: string): Order | undefined {
    return this.orders.get(id.toLowerCase());
  }

  list(): Order[] {
    return [...this.orders.values()];
  }

  /** Orders of a transaction, in order of creation. */
  inTransaction(transactionId: string): Order[] {
    return this.list().filter((order) => order.transactionId === transactionId);
  }

  /** Cancelled if all orders are; completed if all orders without a successor have ended; else active. */
  transactionStatus(transactionId: string): TransactionStatus {
    const orders = this.inTransaction(transactionId);
    if (orders.every((order) => isCancelled(lastStatus(order)))) return 'cancelled';
    const open = orders.filter((order) => !orders.some((other) => other.parentId === order.id));
    return open.every((order) => hasEnded(lastStatus(order))) ? 'completed' : 'active';
  }

  toWire(order: Order): Record<string, unknown> {
    const siblings = this.inTransaction(order.transactionId);
    return orderWire(order, { teamId: this.teamId, siblings, status: this.transactionStatus(order.transactionId) });
  }

  private derive(parent: Order, origin: Origin): Order {
    const { userId, labTest, details, transactionId } = parent;
    return this.add({ userId, labTest, details }, { transactionId, origin, parentId: parent.id });
  }

  private add(request: NewOrder, place: { transactionId: string; origin: Origin; parentId: string | null }): Order {
    const now = this.timeline.now();
    const order: Order = {
      id: this.ids.uuid('order', request.userId),
      userId: request.userId,
      ...place,
      labTest: request.labTest,
      sampleId: null,
      createdAt: now,
      updatedAt: now,
      events: [],
      details: request.details,
      interpretation: null,
      missingResults: false,
      simulation: null,
      result: {},
      document: {},
      hasAbn: false,
    };
    this.orders.set(order.id, order);
    this.record(order, `received.${request.labTest.method}.ordered`);
    return order;
  }

  private record(order: Order, status: string, detail?: string): void {
    const now = this.timeline.now();
    const event: OrderEvent = { id: this.ids.integer('order event'), created_at: formatTime(now), status };
    order.events.push(detail === undefined ? event : { ...event, status_detail: detail });
    order.updatedAt = now;
    if (lowLevel(status) === 'requisition_created') order.sampleId ??= `S${this.ids.integer('sample') + 100_000}`;
    if (lowLevel(status) === 'completed') order.interpretation ??= 'normal';
  }

  private announce(order: Order, change: 'created' | 'updated'): void {
    this.emit(`labtest.order.${change}`, order, this.toWire(order));
  }

  private emit(eventType: string, order: Order, data: unknown): void {
    const user = this.users.find(order.userId);
    if (user !== undefined) this.events.emit(eventType, user, data);
  }
}
