/*
 * An upstream of the lab model: orders, results and appointments in memory, written from docs/upstream alone, so that
 * it shares no reading with `src`. It keeps no promise that upstream does not make: events are lost, doubled and
 * shuffled, results come late, and an answer may be lost although the call took effect, with its idempotency key.
 */

export type Random = () => number;

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

interface OrderEvent {
  readonly id: number;
  readonly at: number;
  readonly status: string;
}

export interface Marker {
  readonly name: string;
  readonly sample: string;
  readonly value: string;
  readonly critical: boolean;
}

export interface LabOrder {
  readonly id: string;
  readonly transaction: LabTransaction;
  readonly origin: 'initial' | 'redraw' | 'recreation';
  readonly parent: string | null;
  readonly method: 'walk_in_test' | 'testkit';
  readonly passthrough: string | null;
  readonly created: number;
  updated: number;
  readonly events: OrderEvent[];
  /** The current state, which need not be the newest event. */
  last: OrderEvent;
  /** Null while the lab has none. */
  markers: readonly Marker[] | null;
  /** From when the result can be read. */
  readyAt: number;
}

export interface LabTransaction {
  readonly id: string;
  readonly orders: LabOrder[];
}

export interface LabAppointment {
  readonly id: string;
  readonly order: LabOrder;
  readonly key: string;
  status: string;
  readonly history: { readonly at: number; readonly status: string }[];
}

/** An event on its way. */
export interface LabMessage {
  readonly kind: 'order' | 'critical' | 'appointment';
  readonly data: Record<string, unknown>;
  readonly about: string;
}

export interface LabCall {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
}

export interface LabAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export interface LabStep {
  readonly name: string;
  readonly run: () => void;
}

export const lastPart = (status: string): string => status.split('.').at(-1) ?? '';
/** Each order has one sample. */
export const sampleOf = (orderId: string): string => `S${orderId.slice(-4)}`;
const iso = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00');

const early = new Set(['ordered', 'requisition_created', 'appointment_pending', 'appointment_scheduled']);
/** States with results to read. */
export const readable = new Set(['partial_results', 'completed', 'corrected', 'redraw_available']);
const sampleGone = new Set(['redraw_available', 'sample_error', 'lost', 'failure_to_deliver_to_lab']);

export const stateOf = (order: LabOrder): string => lastPart(order.last.status);
export const awaitsDraw = (order: LabOrder): boolean =>
  order.method === 'walk_in_test'
    ? early.has(stateOf(order))
    : ['ordered', 'awaiting_registration', 'registered', 'with_customer'].includes(stateOf(order));

export class LabUpstream {
  readonly transactions: LabTransaction[] = [];
  readonly appointments: LabAppointment[] = [];
  /** On their way, in no order. */
  readonly messages: LabMessage[] = [];
  /** Orders about which the lab ever sent a critical event, also a lost one. */
  readonly saidCritical = new Set<string>();
  /** Appointments whose newest event was lost: nothing else says how they are. */
  readonly untold = new Set<string>();
  /** Orders placed under each idempotency key. */
  readonly placedUnder = new Map<string, string[]>();
  isDown = false;
  private ids = 0;
  private readonly keptAnswers = new Map<string, LabAnswer>();

  constructor(
    private readonly userId: string,
    private readonly random: Random,
    private readonly now: () => number,
  ) {}

  get orders(): LabOrder[] {
    return this.transactions.flatMap(({ orders }) => orders);
  }

  /** `active`, or how all its orders ended. */
  statusOf({ orders }: LabTransaction): 'active' | 'completed' | 'cancelled' {
    const kept = orders.filter((order) => stateOf(order) !== 'cancelled');
    const last = kept.at(-1);
    if (!last) return 'cancelled';
    return ['completed', 'corrected'].includes(stateOf(last)) ? 'completed' : 'active';
  }

  /** Everything that the lab may do now. */
  steps(): LabStep[] {
    return this.transactions.flatMap((transaction) => [
      ...transaction.orders.flatMap((order) => this.stepsOf(order)),
      ...this.successorsOf(transaction),
    ]);
  }

  /** The markers of the transaction: those of its later orders in place of the same of earlier ones. */
  combined({ orders }: LabTransaction): Marker[] {
    const byName = new Map<string, Marker>();
    for (const { markers } of orders) for (const each of markers ?? []) byName.set(each.name, each);
    return [...byName.values()];
  }

  isReadable(order: LabOrder): boolean {
    return order.markers !== null && order.readyAt <= this.now();
  }

  answer(call: LabCall): LabAnswer {
    if (this.isDown) return { status: 503 };
    const { operation, path } = call;
    if (operation === 'GET /v3/orders') return found(this.page(call.query));
    if (operation === 'POST /v3/order') return this.once(call, () => this.place(call));
    const order = this.orders.find(({ id }) => id === path['order_id']);
    if (order) return this.answerOf(order, call);
    const transaction = this.transactions.find(({ id }) => id === path['order_transaction_id']);
    return transaction ? this.answerOfTransaction(transaction, operation) : absent;
  }

  private answerOf(order: LabOrder, call: LabCall): LabAnswer {
    switch (call.operation) {
      case 'GET /v3/order/{order_id}':
        return found(this.wireOf(order));
      case 'GET /v3/order/{order_id}/result':
        if (!order.markers || !this.isReadable(order)) return absent;
        return found(this.resultOf(order.markers, order.transaction, stateOf(order)));
      case 'GET /v3/order/{order_id}/psc/appointment': {
        const active = this.appointments.find((each) => each.order === order && isActive(each));
        return active ? found(this.wireOfAppointment(active)) : absent;
      }
      case 'POST /v3/order/{order_id}/psc/appointment/book':
        return this.once(call, () => this.book(order, call.key));
      default:
        throw new Error(`The lab model has no ${call.operation}.`);
    }
  }

  private answerOfTransaction(transaction: LabTransaction, operation: string): LabAnswer {
    if (operation === 'GET /v3/order_transaction/{order_transaction_id}') {
      return found(this.shortOf(transaction, 'last_status'));
    }
    const isThere = this.statusOf(transaction) === 'completed' && this.isCombinedReady(transaction);
    return isThere ? found(this.resultOf(this.combined(transaction), transaction, 'completed')) : absent;
  }

  isCombinedReady(transaction: LabTransaction): boolean {
    return transaction.orders.every((order) => order.markers === null || this.isReadable(order));
  }

  /** A call with a key: the first success is kept, unless its answer is lost on the way. */
  private once({ key, operation }: LabCall, act: () => LabAnswer): LabAnswer {
    const kept = this.keptAnswers.get(key);
    if (kept) return kept;
    const chance = this.random();
    if (chance < 0.1) return { status: 503 };
    const answer = act();
    if (chance < 0.3) return { status: operation.endsWith('book') ? 504 : 502 };
    if (answer.status === 200) this.keptAnswers.set(key, answer);
    return answer;
  }

  private place({ body, key }: LabCall): LabAnswer {
    const transaction: LabTransaction = { id: this.nextId(), orders: [] };
    this.transactions.push(transaction);
    const passthrough = typeof body['passthrough'] === 'string' ? body['passthrough'] : null;
    const method = this.random() < 0.7 ? 'walk_in_test' : 'testkit';
    const order = this.add(transaction, 'initial', null, { method, passthrough });
    this.placedUnder.set(key, [...(this.placedUnder.get(key) ?? []), order.id]);
    return { status: 200, body: { order: this.wireOf(order), status: 'success', message: 'ok' } };
  }

  private book(order: LabOrder, key: string): LabAnswer {
    if (!awaitsDraw(order) || order.method !== 'walk_in_test') return { status: 400 };
    const appointment: LabAppointment = { id: this.nextId(), order, key, status: 'confirmed', history: [] };
    this.appointments.push(appointment);
    this.moveAppointment(appointment, 'confirmed');
    this.move(order, 'collecting_sample', 'appointment_scheduled');
    return { status: 200, body: this.wireOfAppointment(appointment) };
  }

  private add(
    transaction: LabTransaction,
    origin: LabOrder['origin'],
    parent: string | null,
    { method, passthrough }: Pick<LabOrder, 'method' | 'passthrough'>,
  ): LabOrder {
    const first = { id: this.nextEvent(), at: this.now(), status: `received.${method}.ordered` };
    const order: LabOrder = {
      id: this.nextId(),
      transaction,
      origin,
      parent,
      method,
      passthrough,
      created: this.now(),
      updated: this.now(),
      events: [first],
      last: first,
      markers: null,
      readyAt: 0,
    };
    transaction.orders.push(order);
    this.tell(order);
    return order;
  }

  private stepsOf(order: LabOrder): LabStep[] {
    const state = stateOf(order);
    const to = (top: string, low: string, then: () => void = () => undefined): LabStep => ({
      name: `${order.id.slice(-4)} ${state} to ${low}`,
      run: () => {
        then();
        this.move(order, top, low);
      },
    });
    const draw = (): void => this.endAppointments(order, 'completed');
    const measure = (count: number) => (): void => {
      draw();
      this.measure(order, count);
    };
    if (awaitsDraw(order)) {
      const on = order.method === 'walk_in_test' ? this.walkInSteps(order, to, measure) : kitSteps(state, to);
      const cancel = to('cancelled', 'cancelled', () => this.endAppointments(order, 'cancelled'));
      return [...on, cancel];
    }
    if (state === 'delivered_to_lab') {
      return [
        to('completed', 'completed', measure(3)),
        to('failed', 'sample_error'),
        to('failed', 'lost'),
        to('sample_with_lab', 'lab_processing_blocked'),
      ];
    }
    if (state === 'lab_processing_blocked')
      return [to('sample_with_lab', 'delivered_to_lab'), to('failed', 'sample_error')];
    if (state === 'partial_results') {
      return [
        to('sample_with_lab', 'partial_results', measure(2)),
        to('completed', 'completed', measure(3)),
        to('completed', 'completed'),
        to('failed', 'sample_error'),
      ];
    }
    if (state === 'completed' || state === 'corrected') {
      return [to('completed', 'corrected', measure(3)), ...this.takingBack(order)];
    }
    return [];
  }

  private walkInSteps(
    order: LabOrder,
    to: (top: string, low: string, then?: () => void) => LabStep,
    measure: (count: number) => () => void,
  ): LabStep[] {
    const mayLose = !order.transaction.orders.some(({ origin }) => origin === 'redraw');
    const cancelled = to('collecting_sample', 'appointment_pending', () => this.endAppointments(order, 'cancelled'));
    return [
      to('received', 'requisition_created'),
      to('sample_with_lab', 'partial_results', measure(1)),
      to('completed', 'completed', measure(3)),
      to('completed', 'completed', measure(3)),
      to('failed', 'sample_error', measure(0)),
      cancelled,
      ...(mayLose ? [to('collecting_sample', 'redraw_available', measure(1))] : []),
    ];
  }

  /** Upstream shows a completed order as it was before. */
  private takingBack(order: LabOrder): LabStep[] {
    const before = order.events.findLast(({ status }) => lastPart(status) === 'partial_results');
    if (!before || this.random() < 0.5) return [];
    const run = (): void => {
      order.last = before;
      order.updated = this.now();
      const chance = this.random();
      if (chance < 0.2) order.markers = null;
      else if (chance < 0.5) order.readyAt = this.now() + HOUR / 2;
      this.tell(order);
    };
    return [{ name: `${order.id.slice(-4)} is taken back`, run }];
  }

  private successorsOf(transaction: LabTransaction): LabStep[] {
    const last = transaction.orders.at(-1);
    if (!last || transaction.orders.length > 4) return [];
    const state = stateOf(last);
    const origin = state === 'redraw_available' ? 'redraw' : 'recreation';
    if (origin === 'recreation' && !['cancelled', 'sample_error', 'lost'].includes(state)) return [];
    const run = (): void => void this.add(transaction, origin, last.id, { method: last.method, passthrough: null });
    return [{ name: `a ${origin} after ${last.id.slice(-4)}`, run }];
  }

  private move(order: LabOrder, top: string, low: string): void {
    const event = { id: this.nextEvent(), at: this.now(), status: `${top}.${order.method}.${low}` };
    order.events.push(event);
    order.last = event;
    order.updated = this.now();
    this.tell(order);
  }

  private measure(order: LabOrder, count: number): void {
    if (count === 0) return;
    const sample = sampleOf(order.id);
    order.markers = ['Potassium', 'Calcium', 'Glucose'].slice(0, count).map((name) => ({
      name,
      sample,
      value: String(1 + Math.floor(this.random() * 3)),
      critical: this.random() < 0.25,
    }));
    const chance = this.random();
    order.readyAt = this.now() + (chance < 0.6 ? 0 : chance < 0.85 ? HOUR / 4 : chance < 0.99 ? 9 * HOUR : 50 * HOUR);
    if (order.markers.some(({ critical }) => critical) && this.random() < 0.7) this.warn(order, sample);
  }

  private warn(order: LabOrder, sample: string): void {
    const at = iso(this.now());
    const data = { order_id: order.id, sample_id: sample, status: 'final', interpretation: 'critical' };
    this.saidCritical.add(order.id);
    this.send({ kind: 'critical', data: { ...data, created_at: at, updated_at: at }, about: order.id });
  }

  private tell(order: LabOrder): void {
    this.send({ kind: 'order', data: this.wireOf(order), about: order.id });
  }

  private moveAppointment(appointment: LabAppointment, status: string): void {
    appointment.status = status;
    appointment.history.push({ at: this.now(), status });
    this.untold.delete(appointment.id);
    const data = this.wireOfAppointment(appointment);
    if (!this.send({ kind: 'appointment', data, about: appointment.id })) this.untold.add(appointment.id);
  }

  private endAppointments(order: LabOrder, status: string): void {
    for (const each of this.appointments.filter((one) => one.order === order && isActive(one))) {
      this.moveAppointment(each, status);
    }
  }

  /** False if it is lost. */
  private send(message: LabMessage): boolean {
    const isLost = this.random() < 0.15;
    if (!isLost) this.messages.push(message);
    if (!isLost && this.random() < 0.15) this.messages.push(message);
    return !isLost;
  }

  private page(query: LabCall['query']): unknown {
    const [updatedFrom, createdFrom] = [query['updated_start_date'], query['start_date']];
    const since = updatedFrom ?? createdFrom;
    const from = typeof since === 'string' ? Date.parse(since) : 0;
    const by = updatedFrom === undefined ? 'created' : 'updated';
    const listed = this.orders.filter((order) => order[by] >= from).sort((a, b) => a.created - b.created);
    if (query['order_direction'] === 'desc') listed.reverse();
    const [page, size] = [Number(query['page'] ?? 1), Number(query['size'] ?? 50)];
    const orders = listed.slice((page - 1) * size, page * size).map((order) => this.wireOf(order));
    return { orders, total: listed.length, page, size };
  }

  private wireOf(order: LabOrder): Record<string, unknown> {
    const event = ({ id, at, status }: OrderEvent): object => ({ id, created_at: iso(at), status });
    const isCritical = order.markers?.some(({ critical }) => critical);
    return {
      id: order.id,
      user_id: this.userId,
      created_at: iso(order.created),
      updated_at: iso(order.updated),
      events: order.events.map(event),
      last_event: event(order.last),
      status: order.last.status.split('.')[0],
      origin: order.origin,
      interpretation: order.markers ? (isCritical ? 'critical' : 'normal') : order.readyAt > 0 ? 'unknown' : null,
      passthrough: order.passthrough,
      lab_test: { name: 'Panel', lab: { name: 'Lab' } },
      details: { type: order.method },
      order_transaction: this.shortOf(order.transaction, 'low_level_status'),
    };
  }

  private shortOf(transaction: LabTransaction, name: 'last_status' | 'low_level_status'): Record<string, unknown> {
    const orders = transaction.orders.map(({ id, origin, parent, created, updated, last }) => ({
      ...{ id, origin, parent_id: parent, created_at: iso(created), updated_at: iso(updated) },
      [name]: lastPart(last.status),
      [`${name}_created_at`]: iso(last.at),
    }));
    return { id: transaction.id, status: this.statusOf(transaction), orders };
  }

  private resultOf(markers: readonly Marker[], transaction: LabTransaction, state: string): Record<string, unknown> {
    const isFinal = state === 'completed' || state === 'corrected';
    return {
      metadata: { status: isFinal ? 'final' : 'partial', interpretation: null },
      results: markers.map(({ name, sample, value, critical }) => ({
        ...{ name, slug: name.toLowerCase(), result: value, source_sample_id: sample },
        interpretation: critical ? 'critical' : 'normal',
      })),
      missing_results: [],
      order_transaction: this.shortOf(transaction, 'low_level_status'),
    };
  }

  private wireOfAppointment({ id, order, status, history }: LabAppointment): Record<string, unknown> {
    return {
      id,
      user_id: this.userId,
      order_id: order.id,
      order_transaction_id: order.transaction.id,
      type: 'patient_service_center',
      status,
      event_status: status,
      events: history.map((step) => ({ created_at: iso(step.at), status: step.status })),
    };
  }

  private nextId(): string {
    this.ids += 1;
    return `00000000-0000-4000-8000-${String(this.ids).padStart(12, '0')}`;
  }

  private nextEvent(): number {
    this.ids += 1;
    return this.ids;
  }
}

const found = (body: unknown): LabAnswer => ({ status: 200, body });
const absent: LabAnswer = { status: 404, body: { detail: 'not found' } };

export const isActive = ({ status }: LabAppointment): boolean => !['cancelled', 'completed'].includes(status);

function kitSteps(state: string, to: (top: string, low: string) => LabStep): LabStep[] {
  if (state === 'ordered') return [to('received', 'awaiting_registration'), to('received', 'registered')];
  if (state === 'awaiting_registration') return [to('received', 'registered')];
  if (state === 'registered') return [to('collecting_sample', 'with_customer')];
  return [to('sample_with_lab', 'delivered_to_lab'), to('failed', 'failure_to_deliver_to_lab'), to('failed', 'lost')];
}

/**
 * What must be done about a transaction, by the state of its orders: the owed draw with the newest order that came
 * to nothing before it, a lost sample or a cancelled redraw to replace, or a blocked kit. Null if nothing.
 */
export function duty(status: string, orders: readonly LabOrder[]): { needs: string; after: string | null } | null {
  const last = orders.findLast((order) => stateOf(order) !== 'cancelled');
  if (status !== 'active' || !last) return null;
  const cameToNothing = (order: LabOrder): boolean => sampleGone.has(stateOf(order)) || stateOf(order) === 'cancelled';
  const after = orders.findLast(cameToNothing)?.id ?? null;
  const state = stateOf(last);
  if (['sample_error', 'lost', 'failure_to_deliver_to_lab'].includes(state)) return { needs: 'replace', after: null };
  if (state === 'lab_processing_blocked') return { needs: 'unblock', after: null };
  if (state === 'redraw_available') {
    const redraw = orders.find(({ origin }) => origin === 'redraw');
    return redraw ? { needs: 'replace', after: null } : { needs: 'redraw', after };
  }
  const isSecond = last.origin === 'redraw' || orders.some((order) => sampleGone.has(stateOf(order)));
  return isSecond && awaitsDraw(last) ? { needs: 'redraw', after } : null;
}
