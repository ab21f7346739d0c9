import type { TransactionDto } from '../../lib/api.js';
import { actOf, actOfOrder, isCancelled, stateOfOrder, statusWords } from './act.js';

type Given = Parameters<typeof actOf>[0];

const told = { at: '2026-11-03T08:00:00Z', by: 'nurse', how: 'phone' } as const;

function transaction(status: string | null, more: Partial<Given> = {}): Given {
  const orders = [{ order_id: 'b', status }] as unknown as TransactionDto['orders'];
  return { act_on: 'b', needs: null, flag: null, redraw_told: null, orders, ...more };
}

const appointment = (status: string, is_active = true): Parameters<typeof actOf>[1] => [
  { order_id: 'b', is_active, status },
];

describe('the act that a chain needs', () => {
  it.each([
    ['nothing without an order to act on', transaction(null, { act_on: null }), [], null],
    ['tell of a redraw', transaction('received.walk_in_test.ordered', { needs: 'redraw' }), [], 'tell'],
    [
      'book once told',
      transaction('received.walk_in_test.ordered', { needs: 'redraw', redraw_told: told }),
      [],
      'book',
    ],
    [
      'wait once booked',
      transaction('received.walk_in_test.ordered', { redraw_told: told }),
      appointment('confirmed'),
      'wait',
    ],
    [
      'book again after a cancelled one',
      transaction('received.walk_in_test.ordered'),
      appointment('cancelled'),
      'book',
    ],
    ['wait with the sample at the lab', transaction('sample_with_lab.walk_in_test.draw_completed'), [], 'wait'],
    [
      'wait for the redraw that upstream has not shown',
      transaction('collecting_sample.walk_in_test.redraw_available', { redraw_told: told }),
      [],
      'wait',
    ],
    ['order again after a sample error', transaction('failed.x.sample_error', { needs: 'replace' }), [], 'replace'],
    ['supply what a lab lacks', transaction('x.y.lab_processing_blocked', { needs: 'unblock' }), [], 'unblock'],
    [
      'ask for an outcome that was never stated',
      transaction('x.y.redraw_available', { needs: 'replace', flag: 'outcome_unstated' }),
      [],
      'ask',
    ],
  ] as const)('%s', (_, given, appointments, act) => {
    expect(actOf(given, appointments)).toBe(act);
  });

  it('shortens a status to its last part', () => {
    expect(statusWords('collecting_sample.walk_in_test.redraw_available')).toBe('redraw available');
    expect(statusWords(null)).toBe('unknown');
    expect(
      ['cancelled.testkit.cancelled', 'cancelled', 'x.y.do_not_process', 'received.testkit.ordered', null].map(
        isCancelled,
      ),
    ).toEqual([true, true, true, false, false]);
  });

  it('concerns the order that the transaction names, and each order whose critical result was not communicated', () => {
    const given = transaction('received.walk_in_test.ordered');
    expect(
      [
        { order_id: 'b', critical_untold: false },
        { order_id: 'a', critical_untold: false },
        { order_id: 'a', critical_untold: true },
      ].map((order) => actOfOrder(order, given)),
    ).toEqual(['book', null, 'tell']);
  });

  it.each([
    ['received', 'completed.walk_in_test.completed'],
    ['received', 'completed.walk_in_test.corrected'],
    ['gone', 'cancelled.testkit.do_not_process'],
    ['failed', 'failed.testkit.lost'],
    ['failed', 'failed.testkit.failure_to_deliver_to_lab'],
    ['empty', 'collecting_sample.walk_in_test.redraw_available'],
    ['waiting', 'received.testkit.ordered'],
    ['unknown', null],
  ])('draws as %s: %s', (state, status) => {
    expect(stateOfOrder(status)).toBe(state);
  });
});
