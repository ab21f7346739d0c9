import { placeOf, workplaceOf } from './work-words.js';

const item = { reason: 'critical', order_id: 'o', order_transaction_id: 't', unmatched_result_id: null } as const;

describe('an item of the work of a clinic', () => {
  it.each([
    ['the order', item, '/orders/o', '/orders/o'],
    ['the transaction if there is no order', { ...item, order_id: null }, '/orders/t', '/orders/t'],
    ['the form for a new order', { ...item, reason: 'replace' } as const, '/orders/o', '/orders?list=place'],
    [
      'the unmatched result',
      { ...item, reason: 'unmatched', unmatched_result_id: 'u' } as const,
      '/orders?list=review&item=u',
      '/orders?list=review&item=u',
    ],
  ])('is worked on at the page of %s', (_, of, place, workplace) => {
    expect([placeOf(of), workplaceOf(of)]).toEqual([place, workplace]);
  });
});
