import fc from 'fast-check';
import { phaseOf } from '../../../src/labs/orders/order-status.js';
import { HeardOrders } from './support/heard-orders.js';
import { Lab, type Saying } from './support/lab.js';

const lacking = 'collecting_sample.walk_in_test.redraw_available';
const done = 'completed.walk_in_test.completed';
const corrected = 'completed.walk_in_test.corrected';
const cancelled = 'cancelled.walk_in_test.cancelled';

let heard: HeardOrders;

beforeAll(async () => {
  heard = await HeardOrders.open();
});

afterAll(() => heard.close());

/** All that is stored of a lab's transaction but when it was seen and is read again, with its name taken out. */
async function stored({ transactionId: id, orders }: Lab): Promise<string> {
  const ofOrders = `(${orders.map((each) => `'${each.id}'`).join(', ')})`;
  const found = [
    await heard.rows(
      `SELECT status, needs, account_id, created_at, version FROM order_transactions WHERE order_transaction_id = '${id}'`,
    ),
    await heard.rows(
      `SELECT order_id, account_id, order_transaction_id, origin, parent_id, status, status_detail, status_at, created_at,
         version FROM orders WHERE order_transaction_id = '${id}' ORDER BY order_id`,
    ),
    await heard.rows(`SELECT * FROM order_events WHERE order_id IN ${ofOrders} ORDER BY order_id, event_id`),
  ];
  return JSON.stringify(found).replaceAll(`"${id}`, '"t');
}

describe('the data of upstream about a transaction', () => {
  type Step = readonly [wait: number, act: 'redraw' | 'recreate' | 'cancel' | 'finish' | 'correct' | 'book' | 'tell'];

  interface Scenario {
    steps: Step[];
    order: number[];
    again: number[];
  }

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

  it('gives the same store in any order and number of arrivals [orders#read-before-deciding]', async () => {
    // All at one instant: the transaction's word for the second order is heard before the event that it is from.
    const wordBeforeItsEvent: Scenario = {
      steps: [
        [0, 'redraw'],
        [0, 'tell'],
        [0, 'finish'],
      ],
      order: [1, 3, 4, 2, 0],
      again: [],
    };
    const scenario: fc.Arbitrary<Scenario> = fc.array(step, { minLength: 1, maxLength: 7 }).chain((steps) => {
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
        const [inOrder, anyhow] = [heard.newLab(), heard.newLab()];
        run(inOrder, steps);
        run(anyhow, steps);
        await heard.hear(inOrder.sayings);
        const saying = (index: number): Saying[] => anyhow.sayings.slice(index, index + 1);
        await heard.hear([...shuffled, ...again].flatMap(saying));
        expect(await stored(anyhow)).toBe(await stored(inOrder));
        const last = inOrder.orders.at(-1);
        expect(await heard.order(last?.id ?? '')).toMatchObject({ status: last?.events.at(-1)?.status });
      }),
      { numRuns: 30, examples: [[wordBeforeItsEvent]] },
    );
  });
});
