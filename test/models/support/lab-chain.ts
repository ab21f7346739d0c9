import { LabHandler } from '../../../src/ingest/events/lab.handler.js';
import { BookingService } from '../../../src/labs/appointments/booking.service.js';
import { OrderReadsService } from '../../../src/labs/orders/order-reads.service.js';
import { PatientNotifications } from '../../../src/labs/orders/patient-notifications.service.js';
import { PlacingService } from '../../../src/labs/placing/placing.service.js';
import { ResultFetchWorker } from '../../../src/labs/results/result-fetch.worker.js';
import { ResultsService } from '../../../src/labs/results/results.service.js';
import { OrderRefreshWorker } from '../../../src/labs/upstream-orders/order-refresh.worker.js';
import { OrderSyncWorker } from '../../../src/labs/upstream-orders/order-sync.worker.js';
import { UpstreamOrders } from '../../../src/labs/upstream-orders/upstream-orders.js';
import { CodedError } from '../../../src/platform/platform/errors.js';
import type { UpstreamCall } from '../../../src/upstream/transport/call.js';
import { Transport } from '../../../src/upstream/transport/transport.js';
import { UpstreamError } from '../../../src/upstream/transport/upstream-error.js';
import { nowhere, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import {
  duty,
  isActive,
  type LabCall,
  type LabOrder,
  type LabTransaction,
  LabUpstream,
  lastPart,
  readable,
  sampleOf,
  stateOf,
} from './lab-upstream.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const user = '00000000-0000-4000-9000-000000000001';
const tables = [
  ...['critical_results', 'patient_notifications', 'appointments', 'order_events', 'due_reads'],
  ...['lab_results', 'idempotency_keys', 'orders', 'order_transactions', 'pending_changes'],
];

/** Seeded pseudo random numbers (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface LabFault {
  readonly what: string;
  readonly path: readonly string[];
}

interface StoredMarker {
  readonly name: string;
  readonly result: string;
  readonly source_sample_id: string;
  readonly interpretation: string;
}

/** The real service, to which one random chain after the other happens. */
export class LabChains {
  private chain: Chain | null = null;

  private constructor(
    readonly app: TestApp,
    readonly account: number,
  ) {}

  static async open(): Promise<LabChains> {
    const app = await TestApp.create({ upstream: { url: nowhere } });
    const [row] = await app.store.lane.run((tx) =>
      tx.rows<{ id: number }>(
        `INSERT INTO accounts (account_id, status, upstream_user_id, created_at, updated_at)
         VALUES ('ann', 'active', ?, 0, 0) RETURNING id`,
        [user],
      ),
    );
    const chains = new LabChains(app, row?.id ?? 0);
    const request = <T>(call: UpstreamCall<T>): Promise<T> => chains.answer(call);
    Object.assign(app.get(Transport), { request });
    return chains;
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** Plays the chain of a seed; null if nothing was wrong. */
  async play(seed: number): Promise<LabFault | null> {
    const random = randomOf(seed);
    const [given, drawn] = [Math.random, randomOf(seed + 1)];
    Math.random = drawn;
    try {
      await this.clean();
      this.chain = new Chain(this.app, this.account, random);
      const what = await this.chain.play();
      return what === null ? null : { what, path: this.chain.path };
    } finally {
      Math.random = given;
    }
  }

  private async clean(): Promise<void> {
    this.app.clock.set(START);
    await this.app.store.lane.run(async (tx) => {
      for (const table of tables) await tx.execute(`DELETE FROM ${table}`);
      await tx.execute("DELETE FROM walks WHERE name = 'order_list'");
      await tx.execute("INSERT INTO walks (name) VALUES ('order_list')");
    });
  }

  private answer<T>(call: UpstreamCall<T>): Promise<T> {
    if (!this.chain) throw new Error('No chain is played.');
    return this.chain.answer(call);
  }
}

/** One chain: what the lab, the network, the clinic and the workers do, in an order that only the seed decides. */
class Chain {
  readonly path: string[] = [];
  private readonly lab: LabUpstream;
  /** Critical values that the clinic could see when it informed the patient, by order. */
  private readonly covered = new Map<string, Set<string>>();
  private readonly informed = new Set<string>();
  /** By transaction: after which order the draw was owed of which the patient was informed. */
  private readonly informedOf = new Map<string, string | null>();
  private keys = 0;
  private depth = 0;
  private readonly open: { readonly key: string; readonly act: () => Promise<unknown> }[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly account: number,
    private readonly random: () => number,
  ) {
    this.lab = new LabUpstream(user, random, () => app.clock.now());
  }

  async play(): Promise<string | null> {
    await this.place();
    const steps = 15 + Math.floor(this.random() * 40);
    for (let step = 0; step < steps; step++) {
      this.app.clock.advance(1_000 + Math.floor(this.random() * 10 * MINUTE));
      await this.step();
      if (step % 10 === 9) {
        const fault = await this.unlisted();
        if (fault !== null) return fault;
      }
    }
    await this.rest();
    return (await this.unlisted()) ?? (await this.wrong());
  }

  async answer<T>(call: UpstreamCall<T>): Promise<T> {
    const { operation } = call.route;
    const said = this.lab.answer(this.callOf(call));
    // The answer comes late: what it says is from before what happens now.
    if (this.depth === 0 && this.random() < 0.15) await this.meanwhile();
    if (said.status === 200) return call.read(structuredClone(said.body), () => undefined);
    const error = errorOf(operation, said.status);
    const value = call.recover?.(error);
    if (value !== undefined) return value;
    throw error;
  }

  private callOf<T>({ route, path = {}, query = {}, body = {}, headers = {} }: UpstreamCall<T>): LabCall {
    const key = headers['X-Idempotency-Key'] ?? '';
    return { operation: route.operation, path, query, body: body as Record<string, unknown>, key };
  }

  private async meanwhile(): Promise<void> {
    this.depth += 1;
    this.path.push('meanwhile');
    for (let step = 0; step < 3; step++) {
      this.app.clock.advance(1_000);
      if (this.random() < 0.5) this.labStep();
      else await this.deliver();
    }
    this.path.push('and then');
    this.depth -= 1;
  }

  private async step(): Promise<void> {
    const chance = this.random();
    if (chance < 0.35) return this.labStep();
    if (chance < 0.6) return this.deliver();
    if (chance < 0.72) return this.work(ResultFetchWorker);
    if (chance < 0.78) return this.work(OrderRefreshWorker);
    if (chance < 0.81) return this.walk();
    if (chance < 0.94) return this.clinic();
    if (chance < 0.97) return this.outage();
    this.path.push('hours pass');
    this.app.clock.advance(Math.floor(this.random() * 30 * HOUR));
  }

  private labStep(): void {
    const steps = this.lab.steps();
    const step = steps[Math.floor(this.random() * steps.length)];
    if (!step) return;
    this.path.push(`lab: ${step.name}`);
    step.run();
  }

  private async deliver(): Promise<void> {
    const { messages } = this.lab;
    const [message] = messages.splice(Math.floor(this.random() * messages.length), 1);
    if (!message) return;
    this.path.push(`event: ${message.kind} ${message.about.slice(-4)}`);
    const handler = this.app.get(LabHandler);
    const { kind, data } = message;
    const receivedAt = this.app.clock.now();
    const plan = handler[kind]({ seq: 1, receivedAt, resource: kind, data: structuredClone(data), records: null });
    if (plan.kind !== 'write') throw new Error('The event is not applied.');
    await this.app.store.lane.run((tx) => plan.write(tx, this.account));
  }

  private async work(worker: typeof ResultFetchWorker | typeof OrderRefreshWorker): Promise<void> {
    this.path.push(`work: ${worker.name}`);
    await this.app.run(worker);
  }

  private async walk(): Promise<void> {
    this.path.push('work: list');
    this.app.clock.advance(HOUR);
    await this.app.run(OrderSyncWorker);
  }

  private outage(): void {
    this.lab.isDown = !this.lab.isDown;
    this.path.push(this.lab.isDown ? 'upstream is down' : 'upstream is up');
  }

  private async clinic(): Promise<void> {
    const chance = this.random();
    if (chance < 0.45) return this.inform();
    if (chance < 0.55) return this.informOfRedraw();
    if (chance < 0.65) return this.repeat();
    if (chance < 0.85) return this.book();
    const order = this.anyOrder();
    if (!order) return this.place();
    this.path.push(`clinic: reads ${order.id.slice(-4)}`);
    const subject = { scope: 'order', id: order.id } as const;
    if (chance < 0.93) await settled(this.app.get(ResultsService).read(subject));
    else
      await settled(
        this.app.get(UpstreamOrders).refreshTransaction(order.transaction.id, [], { priority: 'interactive' }),
      );
  }

  private anyOrder(): LabOrder | undefined {
    return this.lab.orders[Math.floor(this.random() * this.lab.orders.length)];
  }

  /** Once, or twice at the same time with one key. */
  private async place(): Promise<void> {
    this.keys += 1;
    const key = `place ${this.keys}`;
    const order = { order_set: { lab_test_ids: ['t'] }, patient_details: { first_name: 'A' } };
    const act = (): Promise<unknown> => this.app.get(PlacingService).place({ for: { accountId: 'ann' }, order }, key);
    await this.try(key, act);
  }

  private async book(): Promise<void> {
    const order = this.anyOrder();
    if (!order) return;
    this.keys += 1;
    const key = `book ${this.keys}`;
    const act = (): Promise<unknown> =>
      this.app.get(BookingService).book({ orderId: order.id, idempotencyKey: key, body: { booking_key: 'b' } });
    await this.try(key, act);
  }

  private async try(key: string, act: () => Promise<unknown>): Promise<void> {
    this.path.push(`clinic: ${key}`);
    const done = await Promise.all(this.random() < 0.2 ? [settled(act()), settled(act())] : [settled(act())]);
    if (!done.some(Boolean)) this.open.push({ key, act });
  }

  /** The clinic repeats what had no answer. */
  private async repeat(): Promise<void> {
    const next = this.open.shift();
    if (next) await this.try(next.key, next.act);
  }

  private async inform(): Promise<void> {
    const [id] = shuffled(await this.listed({ told: false }), this.random);
    if (id === undefined) return;
    this.path.push(`clinic: informs of ${id.slice(-4)}`);
    const seen = await this.seenCritical(id);
    const { replayed } = await this.app
      .get(PatientNotifications)
      .record({ scope: 'order', id }, { by: 'c', how: 'phone' });
    if (replayed) return;
    this.informed.add(id);
    this.covered.set(id, new Set([...(this.covered.get(id) ?? []), ...seen]));
  }

  private async informOfRedraw(): Promise<void> {
    const reads = this.app.get(OrderReadsService);
    const { data } = await reads.listTransactions({ needs: 'redraw', told: false, limit: 50 });
    const [read] = shuffled(data, this.random);
    if (!read) return;
    const { order_transaction_id: id } = read.transaction;
    this.path.push(`clinic: informs of the redraw of ${id.slice(-4)}`);
    await this.app.get(PatientNotifications).record({ scope: 'transaction', id }, { by: 'c', how: 'phone' });
    this.informedOf.set(id, read.chain.needs_after);
  }

  private async listed(filter: { told: false }): Promise<string[]> {
    const { data } = await this.app.get(OrderReadsService).list({ ...filter, limit: 100 });
    return data.map(({ order_id }) => order_id).sort();
  }

  /**
   * The critical values that the clinic sees: those of the newest version of the order's result and its transaction's.
   */
  private async seenCritical(orderId: string): Promise<string[]> {
    const transaction = this.lab.orders.find(({ id }) => id === orderId)?.transaction.id ?? '';
    const contents = [await this.content('order', orderId), await this.content('transaction', transaction)];
    return contents.flatMap((markers) =>
      (markers ?? []).filter((each) => each.interpretation === 'critical').map(valueOf),
    );
  }

  /** The markers of the newest stored version; null if there is none or it is withdrawn. */
  private async content(scope: string, id: string): Promise<StoredMarker[] | null> {
    const [row] = await this.app.store.reader.rows<{ content: string; withdrawn_at: number | null }>(
      `SELECT content, withdrawn_at FROM lab_results WHERE scope = ? AND subject_id = ? AND form = 'json'
       ORDER BY version DESC LIMIT 1`,
      [scope, id],
    );
    return row && row.withdrawn_at === null ? (JSON.parse(row.content) as { results: StoredMarker[] }).results : null;
  }

  /** Upstream is up, all that is on its way arrives, and the workers have all the time that they need. */
  private async rest(): Promise<void> {
    this.path.push('all comes to rest');
    this.depth += 1;
    this.lab.isDown = false;
    while (this.lab.messages.length > 0) await this.deliver();
    for (let round = 0; round < 40; round++) {
      await this.app.run(OrderSyncWorker);
      await this.app.run(OrderRefreshWorker);
      await this.app.run(ResultFetchWorker);
      while (this.lab.messages.length > 0) await this.deliver();
      if (round > 0 && (await this.isIdle())) return;
      this.app.clock.advance(7 * HOUR);
    }
  }

  /** Nothing waits but what upstream does not have. */
  private async isIdle(): Promise<boolean> {
    const late = this.lab.orders.some((order) => order.markers !== null && !this.lab.isReadable(order));
    const waiting = await this.app.store.reader.rows<{ subject_id: string }>(
      `SELECT subject_id FROM due_reads WHERE kind = 'result'`,
    );
    const refreshes = await this.app.store.reader.rows(`SELECT subject_id FROM due_reads WHERE kind = 'order'`);
    return !late && refreshes.length === 0 && waiting.every(({ subject_id }) => !this.hasResult(subject_id));
  }

  private hasResult(id: string): boolean {
    const order = this.lab.orders.find((each) => each.id === id);
    const transaction = this.lab.transactions.find((each) => each.id === id);
    if (order) return this.lab.isReadable(order);
    return (
      transaction !== undefined &&
      this.lab.statusOf(transaction) === 'completed' &&
      this.lab.isCombinedReady(transaction)
    );
  }

  /** A critical value that is stored, that the patient was not informed of, and that is on no list. */
  private async unlisted(): Promise<string | null> {
    const listed = new Set(await this.listed({ told: false }));
    for (const transaction of this.lab.transactions) {
      const ids = transaction.orders.map(({ id }) => id);
      const covered = new Set(ids.flatMap((id) => [...(this.covered.get(id) ?? [])]));
      const isOpen = ids.some((id) => listed.has(id));
      const ofOrders = await Promise.all(ids.map((id) => this.content('order', id)));
      const combined = (await this.content('transaction', transaction.id)) ?? [];
      // What an order's result took back, that of its transaction may still repeat from before.
      const current = combined.filter((each) => {
        const own = ofOrders[ids.findIndex((id) => each.source_sample_id === sampleOf(id))];
        return !own || own.some((one) => markersEqual(one, each));
      });
      if (uncovered(current, covered) && !isOpen) return `a critical value of ${transaction.id} is on no list`;
      for (const [index, id] of ids.entries()) {
        if (uncovered(ofOrders[index] ?? null, covered) && !listed.has(id)) {
          return `a critical value of order ${id} is on no list`;
        }
      }
    }
    return null;
  }

  /** What differs, at rest, from what upstream shows. */
  private async wrong(): Promise<string | null> {
    const reads = this.app.get(OrderReadsService);
    const listed = new Set(await this.listed({ told: false }));
    for (const [key, ids] of this.lab.placedUnder) if (ids.length > 1) return `${key} placed ${ids.length} orders`;
    for (const transaction of this.lab.transactions) {
      for (const order of transaction.orders) {
        const fault = (await this.wrongOrder(order, listed)) ?? (await this.wrongAppointments(order));
        if (fault !== null) return `${fault}: order ${order.id}`;
      }
      const read = await reads.findTransaction(transaction.id);
      const fault = read === null ? 'is unknown' : await this.wrongTransaction(transaction, read.transaction);
      if (fault !== null) return `${fault}: transaction ${transaction.id}`;
    }
    return null;
  }

  private async wrongOrder(order: LabOrder, listed: ReadonlySet<string>): Promise<string | null> {
    const found = await this.app.get(OrderReadsService).find(order.id);
    if (!found) return 'is unknown';
    const { status, version, account_id, origin, order_transaction_id } = found.order;
    if (lastPart(status ?? '') !== stateOf(order)) return `is shown as ${status}, not as ${stateOf(order)}`;
    if (version !== order.updated || account_id !== this.account) return 'is not as upstream shows it last';
    if (origin !== order.origin || order_transaction_id !== order.transaction.id) {
      return 'is at another place of its chain';
    }
    const fault = this.wrongList(order, { isListed: listed.has(order.id), isShown: found.order.critical === 1 });
    if (fault !== null) return fault;
    // Of an order without results, what was read before they were lost must not stay.
    const isDue = readable.has(stateOf(order)) || (await this.content('order', order.id)) !== null;
    return isDue ? this.wrongResult('order', order.id, this.truth(order)) : null;
  }

  private wrongList(order: LabOrder, { isListed, isShown }: { isListed: boolean; isShown: boolean }): string | null {
    const isCritical = order.markers?.some(({ critical }) => critical) ?? false;
    if (isCritical && !this.informed.has(order.id) && !isListed) return 'is critical, and on no list';
    const other = this.lab.combined(order.transaction).some(({ critical }) => critical);
    const isUnsaid = !isCritical && !other && !this.lab.saidCritical.has(order.id);
    return isUnsaid && isShown ? 'is critical here only' : null;
  }

  private truth(order: LabOrder): string[] | null {
    return this.lab.isReadable(order) ? (order.markers ?? []).map(markerText) : null;
  }

  private async wrongResult(
    scope: 'order' | 'transaction',
    id: string,
    truth: string[] | null,
  ): Promise<string | null> {
    const stored = await this.content(scope, id);
    const shown = stored?.map((each) => `${each.name} ${each.result} ${each.interpretation}`) ?? null;
    if (truth === null) {
      if (shown !== null) return `${scope} result is shown, and upstream has none`;
      const waits = await this.app.store.reader.rows(
        `SELECT 1 AS one FROM due_reads WHERE kind = 'result' AND scope = ? AND subject_id = ?
         UNION ALL SELECT 1 AS one FROM lab_results WHERE scope = ? AND subject_id = ?`,
        [scope, id, scope, id],
      );
      return waits.length === 0 ? `${scope} result is missing, and not waited for` : null;
    }
    if (JSON.stringify(shown) === JSON.stringify(truth)) return null;
    return `${scope} result is ${JSON.stringify(shown)}, not ${JSON.stringify(truth)}`;
  }

  private async wrongAppointments(order: LabOrder): Promise<string | null> {
    const own = this.lab.appointments.filter((each) => each.order === order);
    if (own.filter(isActive).length > 1) return 'has two appointments';
    const detail = await this.app.get(OrderReadsService).find(order.id);
    for (const each of own.filter(({ id }) => !this.lab.untold.has(id))) {
      const stored = detail?.appointments.find(({ appointment_id }) => appointment_id === each.id);
      if (stored?.status !== each.status) return `has an appointment shown as ${stored?.status}, not as ${each.status}`;
    }
    return null;
  }

  private async wrongTransaction(
    transaction: LabTransaction,
    { status, needs, notified_at }: { status: string | null; needs: string | null; notified_at: number | null },
  ): Promise<string | null> {
    const truth = this.lab.statusOf(transaction);
    if (status !== truth) return `is ${status}, not ${truth}`;
    const due = duty(truth, transaction.orders);
    if (needs !== (due?.needs ?? null)) return `needs ${needs}, not ${due?.needs ?? null}`;
    const isOther = due?.needs === 'redraw' && this.informedOf.get(transaction.id) !== due.after;
    if (isOther && notified_at !== null) return 'owes a draw of which nobody informed the patient';
    if (!this.lab.isCombinedReady(transaction)) return null;
    if (truth === 'completed') {
      return this.wrongResult('transaction', transaction.id, this.lab.combined(transaction).map(markerText));
    }
    const isShown = (await this.content('transaction', transaction.id)) !== null;
    return isShown ? 'transaction result is shown, and upstream has none' : null;
  }
}

function markerText({ name, value, critical }: { name: string; value: string; critical: boolean }): string {
  return `${name} ${value} ${critical ? 'critical' : 'normal'}`;
}

function valueOf({ name, result, source_sample_id }: StoredMarker): string {
  return `${name} ${source_sample_id} ${result}`;
}

function markersEqual(a: StoredMarker, b: StoredMarker): boolean {
  return a.name === b.name && a.result === b.result && a.interpretation === b.interpretation;
}

function uncovered(markers: readonly StoredMarker[] | null, covered: ReadonlySet<string>): boolean {
  return (markers ?? []).some((each) => each.interpretation === 'critical' && !covered.has(valueOf(each)));
}

/** False if it was refused or has no known outcome. */
async function settled(act: Promise<unknown>): Promise<boolean> {
  try {
    await act;
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  }
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const start = Math.floor(random() * all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}

function errorOf(operation: string, status: number): UpstreamError {
  const facts = { reason: 'status', operation, status } as const;
  if (status >= 500) return new UpstreamError({ kind: 'unavailable', ...facts });
  return new UpstreamError({ kind: 'rejected', ...facts, detail: { shape: 'text' } });
}
