import fc from 'fast-check';
import type { Store } from '../../src/database/store.js';
import type { Tx } from '../../src/database/tx.js';
import { OrderIntake } from '../../src/order-intake/order-intake.service.js';
import { phaseOf } from '../../src/orders/order-status.js';
import type { Applied, Observed } from '../../src/orders/orders.service.js';
import { WireShapeError } from '../../src/platform/json-reader.js';
import { readOrder } from '../../src/upstream/wire-orders.js';
import { nowhere } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { Lab, nthId, type Saying, startOfLab } from './support/lab.js';

const lacking = 'collecting_sample.walk_in_test.redraw_available';
const requisition = 'received.walk_in_test.requisition_created';
const done = 'completed.walk_in_test.completed';
const corrected = 'completed.walk_in_test.corrected';
const cancelled = 'cancelled.walk_in_test.cancelled';

let app: TestApp;
let store: Store;
let service: OrderIntake;
let ann: number;
let received = startOfLab + 86_400_000;
let labs = 0;

beforeAll(async () => {
  app = await TestApp.create({ upstream: { url: nowhere } });
  store = app.store;
  service = app.get(OrderIntake);
  ann = await account('ann');
});

afterAll(() => app.close());

async function account(accountId: string): Promise<number> {
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
  const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [accountId]));
  return row?.id ?? 0;
}

function newLab(): Lab {
  labs += 1;
  return new Lab(`t${labs}`);
}

/** Applies what upstream said, each a little later than the one before. */
async function hear(sayings: readonly Saying[], account: number | null = ann): Promise<void> {
  for (const saying of sayings) {
    received += 1_000;
    const observed = { account, observedAt: received };
    await store.lane.run((tx) =>
      'order' in saying
        ? service.applyOrder(tx, saying.order, observed)
        : service.applyTransaction(tx, saying.transaction, observed),
    );
  }
}

interface Row {
  [column: string]: string | number | null;
}

const rows = (sql: string, ...values: (string | number)[]): Promise<Row[]> => store.reader.rows<Row>(sql, values);

const order = async (id: string): Promise<Row | undefined> =>
  (await rows('SELECT * FROM orders WHERE order_id = ?', id))[0];
const transaction = async (id: string): Promise<Row | undefined> =>
  (await rows('SELECT * FROM order_transactions WHERE order_transaction_id = ?', id))[0];
const eventsOf = (id: string): Promise<Row[]> =>
  rows('SELECT status FROM order_events WHERE order_id = ? ORDER BY created_at, event_id', id);
const refreshOf = (id: string): Promise<Row[]> => rows('SELECT due_at FROM order_refreshes WHERE order_id = ?', id);

/** All that is stored of a lab's transaction but when it was seen and is read again, with its name taken out. */
async function stored({ transactionId: id, orders }: Lab): Promise<string> {
  const ofOrders = `(${orders.map((each) => `'${each.id}'`).join(', ')})`;
  const found = [
    await rows(
      `SELECT status, needs, account_id, created_at, version FROM order_transactions WHERE order_transaction_id = '${id}'`,
    ),
    await rows(
      `SELECT order_id, account_id, order_transaction_id, origin, parent_id, status, status_detail, status_at, created_at,
         version FROM orders WHERE order_transaction_id = '${id}' ORDER BY order_id`,
    ),
    await rows(`SELECT * FROM order_events WHERE order_id IN ${ofOrders} ORDER BY order_id, event_id`),
  ];
  return JSON.stringify(found).replaceAll(`"${id}`, '"t');
}

describe('an order', () => {
  it('is stored with its pair of ids, its place, its state and its events [orders#order-transaction-status]', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(60_000).step(first, requisition);
    await hear(lab.sayings);
    expect(await order(first.id)).toMatchObject({
      account_id: ann,
      order_transaction_id: lab.transactionId,
      origin: 'initial',
      parent_id: null,
      status: requisition,
      status_at: startOfLab + 60_000,
      created_at: startOfLab,
      version: startOfLab + 60_000,
    });
    expect(await eventsOf(first.id)).toEqual([{ status: 'received.walk_in_test.ordered' }, { status: requisition }]);
    expect(await transaction(lab.transactionId)).toMatchObject({ account_id: ann, status: 'active', needs: null });
  });

  it('is stored without a word of the patient', async () => {
    const lab = newLab();
    lab.create('initial');
    await hear(lab.sayings);
    const all = await Promise.all(
      ['orders', 'order_events', 'order_transactions'].map((table) => rows(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(all)).not.toContain('MARKED');
  });

  it('is not changed by what upstream said before, whose events are kept', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, requisition);
    lab.wait(1_000).step(first, done);
    const [early, , late] = lab.sayings;
    await hear([late, early].filter((saying) => saying !== undefined));
    expect(await order(first.id)).toMatchObject({ status: done, version: startOfLab + 2_000 });
    expect(await transaction(lab.transactionId)).toMatchObject({ status: 'completed' });
  });

  it('moves back and on as its events say, whatever their rank [orders#statuses] [orders#statuses-go-back]', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    for (const status of [
      'collecting_sample.testkit.out_for_delivery',
      'received.testkit.registered',
      done,
      corrected,
    ]) {
      lab.wait(1_000).step(first, status);
      await hear(lab.sayings.slice(-1));
      expect(await order(first.id)).toMatchObject({ status });
    }
  });

  it('has the status of the event with the greater id where two share an instant [orders#order-events]', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.step(first, requisition);
    await hear([...lab.sayings].reverse());
    expect(await order(first.id)).toMatchObject({ status: requisition });
  });

  it('takes a newer status from the list of its transaction until its own event comes', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    await hear(lab.sayings);
    lab.wait(1_000).step(first, lacking);
    lab.wait(1_000).create('redraw', first);
    await hear(lab.sayings.slice(-1));
    expect(await order(first.id)).toMatchObject({ status: 'redraw_available', status_at: startOfLab + 1_000 });
    await hear(lab.sayings);
    expect(await order(first.id)).toMatchObject({ status: lacking, status_at: startOfLab + 1_000 });
  });

  it('gets its account once that is known, and the others of the transaction with it', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await hear(lab.sayings, null);
    expect(await order(first.id)).toMatchObject({ account_id: null });
    await hear(lab.sayings.slice(-1));
    for (const each of [first, redraw]) expect(await order(each.id)).toMatchObject({ account_id: ann });
    expect(await transaction(lab.transactionId)).toMatchObject({ account_id: ann });
  });
});

describe('a redraw', () => {
  it('seen before its initial order brings the initial order with it [orders#origin]', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await hear(lab.sayings.slice(-1));
    expect(await order(redraw.id)).toMatchObject({ origin: 'redraw', parent_id: first.id });
    expect(await order(first.id)).toMatchObject({
      account_id: ann,
      order_transaction_id: lab.transactionId,
      origin: 'initial',
      status: 'redraw_available',
    });
    expect(await transaction(lab.transactionId)).toMatchObject({ status: 'active', needs: 'redraw' });
  });

  it('has its initial order looked up unless that comes by itself', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(1_000).create('redraw', first);
    await hear(lab.sayings.slice(-1));
    expect(await refreshOf(first.id)).toHaveLength(1);
    await hear(lab.sayings);
    expect(await refreshOf(first.id)).toEqual([]);
  });

  it('is on the work list from redraw_available until it is drawn', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    const heard = async (): Promise<unknown> => {
      await hear(lab.sayings.slice(-1));
      return (await transaction(lab.transactionId))?.['needs'];
    };
    expect(await heard()).toBeNull();
    lab.wait(1_000).step(first, lacking);
    expect(await heard()).toBe('redraw');
    const redraw = lab.wait(1_000).create('redraw', first);
    expect(await heard()).toBe('redraw');
    lab.wait(1_000).step(redraw, 'sample_with_lab.walk_in_test.partial_results');
    expect(await heard()).toBeNull();
  });
});

describe('a transaction whose state and orders disagree', () => {
  /** What a lab says of its last step, with the transaction in another state than its orders. */
  function disagreeing(lab: Lab, status: string): Saying {
    const last = lab.sayings.at(-1);
    if (!last || !('order' in last) || !last.order.order_transaction) throw new Error('there is no such saying');
    return { order: { ...last.order, order_transaction: { ...last.order.order_transaction, status } } };
  }

  it('has all its orders read again, once, a little later [orders#read-before-deciding]', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await hear(lab.sayings);
    const wrong = disagreeing(lab, 'completed');
    await hear([wrong]);
    for (const { id } of [first, redraw]) expect(await refreshOf(id)).toEqual([{ due_at: received + 60_000 }]);
    await hear([wrong]);
    expect(await refreshOf(redraw.id)).toEqual([]);
    expect(await refreshOf(first.id)).toHaveLength(1);
  });

  it('is read again when that comes up anew', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    await hear([...lab.sayings, disagreeing(lab, 'completed')]);
    lab.wait(1_000).step(first, requisition);
    await hear(lab.sayings.slice(-1));
    expect(await refreshOf(first.id)).toEqual([]);
    await hear([disagreeing(lab, 'cancelled')]);
    expect(await refreshOf(first.id)).toHaveLength(1);
  });
});

describe('what upstream says of a transaction', () => {
  type Step = readonly [wait: number, act: 'redraw' | 'recreate' | 'cancel' | 'finish' | 'correct' | 'book' | 'tell'];

  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('redraw', 'recreate', 'cancel', 'finish', 'correct', 'book', 'tell'),
  );

  /** Steps that the order at the end of the chain cannot take are left out. */
  function run(lab: Lab, steps: readonly Step[]): void {
    lab.create('initial');
    for (const [wait, act] of steps) {
      const last = lab.orders.at(-1);
      if (!last) return;
      const phase = phaseOf(last.events.at(-1)?.status ?? null);
      lab.wait(wait);
      if (act === 'tell') lab.tell();
      // Where a transaction comes alive again, time has passed.
      if (act === 'recreate') lab.wait(1).create('recreation', last);
      if (act === 'correct' && phase === 'completed') lab.step(last, corrected);
      if (phase !== 'open') continue;
      if (act === 'redraw' && lab.orders.length === 1) lab.create('redraw', lab.step(last, lacking));
      if (act === 'cancel') lab.step(last, cancelled);
      if (act === 'finish') lab.step(last, done);
      if (act === 'book') lab.step(last, 'collecting_sample.walk_in_test.appointment_scheduled');
    }
  }

  it('leaves the same store in whatever order and however often it is heard [orders#read-before-deciding]', async () => {
    const scenario = fc.array(step, { minLength: 1, maxLength: 7 }).chain((steps) => {
      const lab = new Lab('t');
      run(lab, steps);
      const all = lab.sayings.map((_, index) => index);
      return fc.record({
        steps: fc.constant(steps),
        order: fc.shuffledSubarray(all, { minLength: all.length }),
        again: fc.subarray(all),
      });
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, order: shuffled, again }) => {
        const [inOrder, anyhow] = [newLab(), newLab()];
        run(inOrder, steps);
        run(anyhow, steps);
        await hear(inOrder.sayings);
        const saying = (index: number): Saying[] => anyhow.sayings.slice(index, index + 1);
        await hear([...shuffled, ...again].flatMap(saying));
        expect(await stored(anyhow)).toBe(await stored(inOrder));
        const last = inOrder.orders.at(-1);
        expect(await order(last?.id ?? '')).toMatchObject({ status: last?.events.at(-1)?.status });
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});

describe('an appointment', () => {
  const data = (lab: Lab, steps: readonly string[]): Record<string, unknown> => ({
    id: `appointment-${lab.transactionId}`,
    user_id: 'user',
    order_id: nthId(lab.transactionId, 1),
    order_transaction_id: lab.transactionId,
    address: { first_line: 'MARKED' },
    location: { lng: 1, lat: 2 },
    appointment_notes: 'MARKED',
    start_at: '2026-11-21T15:00:00',
    end_at: '2026-11-21T15:15:00',
    iana_timezone: 'America/New_York',
    type: 'patient_service_center',
    provider: 'quest',
    status: steps.at(-1) === 'scheduled' ? 'confirmed' : steps.at(-1),
    event_status: steps.at(-1),
    events: steps.map((status, minute) => ({
      created_at: `2026-11-20T12:0${minute}:00+00:00`,
      status,
      data: 'MARKED',
    })),
  });
  const apply = (lab: Lab, steps: readonly string[], account: number | null = ann): Promise<unknown> => {
    received += 1_000;
    return store.lane.run((tx) => service.applyAppointment(tx, data(lab, steps), { account, observedAt: received }));
  };
  const found = async (lab: Lab): Promise<Row | undefined> =>
    (await rows('SELECT * FROM appointments WHERE order_id = ?', nthId(lab.transactionId, 1)))[0];

  it('keeps its state and history, and nothing of address, place or notes [appointments#the-appointment-object]', async () => {
    const lab = newLab();
    await apply(lab, ['pending', 'scheduled']);
    const row = await found(lab);
    expect(row).toMatchObject({
      account_id: ann,
      order_transaction_id: lab.transactionId,
      status: 'confirmed',
      event_status: 'scheduled',
      start_at: Date.parse('2026-11-21T15:00:00Z'),
      version: startOfLab + 60_000,
    });
    expect(JSON.parse(String(row?.['history']))).toEqual([
      { created_at: startOfLab, status: 'pending' },
      { created_at: startOfLab + 60_000, status: 'scheduled' },
    ]);
    expect(JSON.stringify(row)).not.toContain('MARKED');
  });

  it('is not moved back by an older message', async () => {
    const lab = newLab();
    await apply(lab, ['pending', 'scheduled', 'cancelled']);
    await apply(lab, ['pending']);
    expect(await found(lab)).toMatchObject({ status: 'cancelled' });
  });

  it('seen before its order waits for it, and takes its account from it', async () => {
    const lab = newLab();
    const first = lab.create('initial');
    await apply(lab, ['pending'], null);
    expect(await refreshOf(first.id)).toHaveLength(1);
    await hear(lab.sayings);
    expect(await found(lab)).toMatchObject({ account_id: ann });
    expect(await order(first.id)).toMatchObject({ account_id: ann, created_at: startOfLab });
    expect(await refreshOf(first.id)).toEqual([]);
  });

  it('that names no order is refused as unreadable', async () => {
    const observed = { account: ann, observedAt: received };
    await expect(store.lane.run((tx) => service.applyAppointment(tx, { id: 'x' }, observed))).rejects.toThrow(
      WireShapeError,
    );
  });
});

describe('a critical result', () => {
  const data = (lab: Lab, status: string, minute: number): Record<string, unknown> => ({
    order_id: nthId(lab.transactionId, 1),
    sample_id: 'S1',
    status,
    interpretation: 'critical',
    user_id: 'user',
    created_at: '2026-11-20T12:00:00+00:00',
    updated_at: `2026-11-20T12:0${minute}:00+00:00`,
  });

  it('is linked by its order, to the transaction too once the order is read [results#critical-result-event]', async () => {
    const lab = newLab();
    lab.create('initial');
    const observed = { account: null, observedAt: (received += 1_000) };
    await store.lane.run((tx) => service.applyCritical(tx, data(lab, 'final', 2), observed));
    await store.lane.run((tx) => service.applyCritical(tx, data(lab, 'partial', 1), observed));
    expect(await refreshOf(nthId(lab.transactionId, 1))).toHaveLength(1);
    await hear(lab.sayings);
    const found = await rows(
      'SELECT account_id, status FROM critical_results WHERE order_id = ?',
      nthId(lab.transactionId, 1),
    );
    expect(found).toEqual([{ account_id: ann, status: 'final' }]);
    expect(await order(nthId(lab.transactionId, 1))).toMatchObject({ order_transaction_id: lab.transactionId });
  });
});

describe('a person who is being erased', () => {
  let bob: number;

  beforeAll(async () => {
    bob = await account('bob');
    await store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing' WHERE id = ?`, [bob]));
  });

  it.each<[string, (tx: Tx, lab: Lab, observed: Observed) => Promise<Applied>]>([
    ['order', (tx, lab, observed) => service.applyOrder(tx, readOrder(wireOrder(lab)), observed)],
    [
      'transaction',
      (tx, lab, observed) =>
        service.applyTransaction(tx, { id: lab.transactionId, team_id: null, status: 'active', orders: [] }, observed),
    ],
    ['pair of ids', (tx, lab, observed) => service.applyIds(tx, idsOf(lab), observed)],
    ['appointment', (tx, lab, observed) => service.applyAppointment(tx, { id: 'a', ...idsOf(lab) }, observed)],
    ['critical result', (tx, lab, observed) => service.applyCritical(tx, { sample_id: 'S', ...idsOf(lab) }, observed)],
  ])('gets no %s stored, and the answer says so', async (_, apply) => {
    const lab = newLab();
    const observed = { account: bob, observedAt: (received += 1_000) };
    const applied = await store.lane.run((tx) => apply(tx, lab, observed));
    expect(applied).toEqual({ isSuppressed: true, newOrderIds: [], newNeed: null, toRefetch: [], resultsDue: [] });
    expect(await transaction(lab.transactionId)).toBeUndefined();
    expect(await order(`${lab.transactionId}-1`)).toBeUndefined();
  });

  const idsOf = ({ transactionId }: Lab): { order_id: string; order_transaction_id: string } => ({
    order_id: `${transactionId}-1`,
    order_transaction_id: transactionId,
  });
  const wireOrder = (lab: Lab): object => ({ id: idsOf(lab).order_id, user_id: 'user', status: 'received' });
});
