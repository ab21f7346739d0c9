import type { Reported } from '../../../src/labs/orders/orders-apply.service.js';
import type { Tx } from '../../../src/storage/database/tx.js';
import { readOrder } from '../../../src/upstream/client/wire-orders.js';
import { HeardOrders } from './support/heard-orders.js';
import { Lab, type Saying, startOfLab } from './support/lab.js';

const lacking = 'collecting_sample.walk_in_test.redraw_available';
const requisition = 'received.walk_in_test.requisition_created';
const done = 'completed.walk_in_test.completed';
const partial = 'sample_with_lab.walk_in_test.partial_results';
const corrected = 'completed.walk_in_test.corrected';

let heard: HeardOrders;

beforeAll(async () => {
  heard = await HeardOrders.open();
});

afterAll(() => heard.close());

describe('an order', () => {
  it('is stored with its pair of ids, its place, its state and its events [orders#order-transaction-status]', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(60_000).step(first, requisition);
    await heard.hear(lab.sayings);
    expect(await heard.order(first.id)).toMatchObject({
      account_id: heard.ann,
      order_transaction_id: lab.transactionId,
      origin: 'initial',
      parent_id: null,
      status: requisition,
      status_at: startOfLab + 60_000,
      created_at: startOfLab,
      version: startOfLab + 60_000,
    });
    expect(await heard.eventsOf(first.id)).toEqual([
      { status: 'received.walk_in_test.ordered' },
      { status: requisition },
    ]);
    expect(await heard.transaction(lab.transactionId)).toMatchObject({
      account_id: heard.ann,
      status: 'active',
      needs: null,
    });
  });

  it('has the name, the sample and the dates of the newest version that has them, in any order of arrival', async () => {
    const said = (lab_test: string, more: object): Saying[] => {
      const lab = heard.newLab();
      const first = lab.create('initial');
      lab.wait(1_000).step(first, requisition);
      lab.wait(1_000).tell();
      return lab.sayings.map((saying, index) => {
        const test = { lab_test: { name: lab_test, lab: { name: 'Quest' } }, details: { type: 'walk_in_test' } };
        return 'order' in saying
          ? { order: readOrder({ ...saying.order, ...test, ...(index === 1 ? more : {}) }) }
          : saying;
      });
    };
    const more = { sample_id: 'S-1', expected_result_by_date: '2026-11-23' };
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const sayings = said('Lipid Panel', more);
      await heard.hear(order.flatMap((index) => sayings.slice(index, index + 1)));
      const id = sayings.flatMap((saying) => ('order' in saying ? [saying.order.id] : []))[0] ?? '';
      expect(await heard.order(id)).toMatchObject({
        lab_test_name: 'Lipid Panel',
        lab_name: 'Quest',
        collection_method: 'walk_in_test',
        ...more,
        worst_case_result_by_date: null,
      });
    }
  });

  it('is stored without any data of the patient', async () => {
    const lab = heard.newLab();
    lab.create('initial');
    await heard.hear(lab.sayings);
    const all = await Promise.all(
      ['orders', 'order_events', 'order_transactions'].map((table) => heard.rows(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(all)).not.toContain('MARKED');
  });

  it('of which upstream names another transaction leaves nothing to be done in the former one', async () => {
    const [former, lab] = [heard.newLab(), heard.newLab()];
    const first = former.create('initial');
    former.wait(1_000).step(first, lacking);
    await heard.hear(former.sayings);
    expect(await heard.transaction(former.transactionId)).toMatchObject({ needs: 'redraw' });
    const last = former.sayings.at(-1);
    if (!last || !('order' in last) || !last.order.order_transaction) throw new Error('not an order');
    const order_transaction = { ...last.order.order_transaction, id: lab.transactionId };
    await heard.hear([{ order: { ...last.order, updated_at: '2026-11-21T12:00:00+00:00', order_transaction } }]);
    expect(await heard.transaction(lab.transactionId)).toMatchObject({ needs: 'redraw' });
    expect(await heard.transaction(former.transactionId)).toMatchObject({ needs: null });
  });

  it('is not changed by older data of upstream, whose events are kept', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, requisition);
    lab.wait(1_000).step(first, done);
    const [early, , late] = lab.sayings;
    await heard.hear([late, early].filter((saying) => saying !== undefined));
    expect(await heard.order(first.id)).toMatchObject({ status: done, version: startOfLab + 2_000 });
    expect(await heard.transaction(lab.transactionId)).toMatchObject({ status: 'completed' });
  });

  it('moves back and forth with its events, whatever their rank [orders#statuses] [orders#statuses-go-back]', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    for (const status of [
      'collecting_sample.testkit.out_for_delivery',
      'received.testkit.registered',
      done,
      corrected,
    ]) {
      lab.wait(1_000).step(first, status);
      await heard.hear(lab.sayings.slice(-1));
      expect(await heard.order(first.id)).toMatchObject({ status });
    }
  });

  it('goes back with a newer version whose last event is older, and keeps its history', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(5_000).step(first, done);
    await heard.hear(lab.sayings);
    first.events = [...first.events.slice(0, 1), { id: 9_999, at: startOfLab + 1_000, status: partial }];
    lab.wait(1_000);
    first.updated = startOfLab + 6_000;
    lab.say(first);
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.order(first.id)).toMatchObject({ status: partial, status_at: startOfLab + 1_000 });
    expect(await heard.eventsOf(first.id)).toContainEqual({ status: done });
    await heard.hear(lab.sayings.slice(0, -1));
    expect(await heard.order(first.id)).toMatchObject({ status: partial });
    expect(await heard.transaction(lab.transactionId)).toMatchObject({ status: 'active', needs: null });
  });

  it('has the status of the event with the greater id if two share an instant [orders#order-events]', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.step(first, requisition);
    await heard.hear([...lab.sayings].reverse());
    expect(await heard.order(first.id)).toMatchObject({ status: requisition });
  });

  it('takes a status of the same instant from the list of its transaction if none of its events has it', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    await heard.hear(lab.sayings);
    lab.step(first, requisition);
    lab.tell();
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.order(first.id)).toMatchObject({ status: 'requisition_created', status_at: startOfLab });
  });

  it('takes a newer status from the list of its transaction until its own event arrives', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    await heard.hear(lab.sayings);
    lab.wait(1_000).step(first, lacking);
    lab.wait(1_000).create('redraw', first);
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.order(first.id)).toMatchObject({ status: 'redraw_available', status_at: startOfLab + 1_000 });
    await heard.hear(lab.sayings);
    expect(await heard.order(first.id)).toMatchObject({ status: lacking, status_at: startOfLab + 1_000 });
  });

  it('keeps its account if another order of its transaction belongs to another account', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    await heard.hear(lab.sayings);
    const redraw = lab.wait(1_000).create('redraw', first);
    const carl = await heard.newAccount('carl');
    await heard.hear(lab.sayings.slice(-1), carl);
    expect(await heard.order(first.id)).toMatchObject({ account_id: heard.ann });
    expect(await heard.order(redraw.id)).toMatchObject({ account_id: carl });
  });

  it('gets its account once that is known, and the others of the transaction with it', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await heard.hear(lab.sayings, null);
    expect(await heard.order(first.id)).toMatchObject({ account_id: null });
    await heard.hear(lab.sayings.slice(-1));
    for (const each of [first, redraw]) expect(await heard.order(each.id)).toMatchObject({ account_id: heard.ann });
    expect(await heard.transaction(lab.transactionId)).toMatchObject({ account_id: heard.ann });
  });
});

describe('a redraw', () => {
  it('that arrives before its initial order causes a read of it [orders#origin]', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.order(redraw.id)).toMatchObject({ origin: 'redraw', parent_id: first.id });
    expect(await heard.order(first.id)).toMatchObject({
      account_id: heard.ann,
      order_transaction_id: lab.transactionId,
      origin: 'initial',
      status: 'redraw_available',
    });
    expect(await heard.transaction(lab.transactionId)).toMatchObject({ status: 'active', needs: 'redraw' });
  });

  it('has its initial order looked up unless that arrives', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(1_000).create('redraw', first);
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.refreshOf(first.id)).toHaveLength(1);
    await heard.hear(lab.sayings);
    expect(await heard.refreshOf(first.id)).toEqual([]);
  });

  it('is on the work list from redraw_available until it is drawn', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    const needsNow = async (): Promise<unknown> => {
      await heard.hear(lab.sayings.slice(-1));
      return (await heard.transaction(lab.transactionId))?.['needs'];
    };
    expect(await needsNow()).toBeNull();
    lab.wait(1_000).step(first, lacking);
    expect(await needsNow()).toBe('redraw');
    const redraw = lab.wait(1_000).create('redraw', first);
    expect(await needsNow()).toBe('redraw');
    lab.wait(1_000).step(redraw, 'sample_with_lab.walk_in_test.partial_results');
    expect(await needsNow()).toBeNull();
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
    const lab = heard.newLab();
    const first = lab.create('initial');
    lab.wait(1_000).step(first, lacking);
    const redraw = lab.wait(1_000).create('redraw', first);
    await heard.hear(lab.sayings);
    const wrong = disagreeing(lab, 'completed');
    await heard.hear([wrong]);
    for (const { id } of [first, redraw])
      expect(await heard.refreshOf(id)).toEqual([{ due_at: heard.received + 60_000 }]);
    await heard.hear([wrong]);
    expect(await heard.refreshOf(redraw.id)).toEqual([]);
    expect(await heard.refreshOf(first.id)).toHaveLength(1);
  });

  it('is read again when that happens again', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    await heard.hear([...lab.sayings, disagreeing(lab, 'completed')]);
    lab.wait(1_000).step(first, requisition);
    await heard.hear(lab.sayings.slice(-1));
    expect(await heard.refreshOf(first.id)).toEqual([]);
    await heard.hear([disagreeing(lab, 'cancelled')]);
    expect(await heard.refreshOf(first.id)).toHaveLength(1);
  });
});

describe('a person who is being erased', () => {
  let bob: number;

  beforeAll(async () => {
    bob = await heard.newAccount('bob');
    await heard.store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing' WHERE id = ?`, [bob]));
  });

  it.each<[string, (tx: Tx, lab: Lab, reported: Reported) => Promise<boolean>]>([
    ['order', (tx, lab, reported) => heard.intake.applyOrder(tx, readOrder(wireOrder(lab)), reported)],
    [
      'transaction',
      (tx, lab, reported) =>
        heard.intake.applyTransaction(tx, { id: lab.transactionId, status: 'active', orders: [] }, reported),
    ],
    ['pair of ids', (tx, lab, reported) => heard.intake.applyIds(tx, idsOf(lab), reported)],
    ['appointment', (tx, lab, reported) => heard.intake.applyAppointment(tx, { id: 'a', ...idsOf(lab) }, reported)],
    [
      'critical result',
      (tx, lab, reported) => heard.intake.applyCritical(tx, { sample_id: 'S', ...idsOf(lab) }, reported),
    ],
  ])('gets no %s stored, and the result reports it', async (_, apply) => {
    const lab = heard.newLab();
    const reported = heard.next(bob);
    expect(await heard.store.lane.run((tx) => apply(tx, lab, reported))).toBe(false);
    expect(await heard.refreshOf(`${lab.transactionId}-1`)).toEqual([]);
    expect(await heard.transaction(lab.transactionId)).toBeUndefined();
    expect(await heard.order(`${lab.transactionId}-1`)).toBeUndefined();
  });

  const idsOf = ({ transactionId }: Lab): { order_id: string; order_transaction_id: string } => ({
    order_id: `${transactionId}-1`,
    order_transaction_id: transactionId,
  });
  const wireOrder = (lab: Lab): object => ({ id: idsOf(lab).order_id, user_id: 'user', status: 'received' });
});
