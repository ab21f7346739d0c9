import { parseUtcInstant } from '../../platform/platform/time.js';
import { readOrder, readOrderTransaction } from '../../upstream/client/wire-orders.js';
import { factsOfOrder, factsOfTransaction } from './order-facts.js';

const at = (minute: number): string => `2026-11-20T12:${String(minute).padStart(2, '0')}:00+00:00`;
const ms = (minute: number): number => new Date(at(minute)).getTime();
const observed = { account: 7, observedAt: ms(59) };

const listed = { id: 'a', origin: 'initial', parent_id: null, created_at: at(1), updated_at: at(5) };
const listedRedraw = { id: 'b', origin: 'redraw', parent_id: 'a', created_at: at(4), updated_at: at(6) };
const embedded = {
  id: 't',
  status: 'active',
  orders: [
    { ...listed, low_level_status: 'redraw_available', low_level_status_created_at: at(5) },
    { ...listedRedraw, low_level_status: 'ordered', low_level_status_created_at: at(4) },
  ],
};
const own = {
  id: 't',
  team_id: 'team',
  status: 'active',
  orders: [
    { ...listed, last_status: 'redraw_available', last_status_created_at: at(5) },
    { ...listedRedraw, last_status: 'ordered', last_status_created_at: at(4) },
  ],
};

describe('what is stored of an order', () => {
  const order = {
    id: 'b',
    user_id: 'u',
    origin: 'redraw',
    created_at: at(4),
    updated_at: at(6),
    events: [{ id: 11, created_at: at(4), status: 'received.walk_in_test.ordered' }],
    last_event: { id: 12, created_at: at(6), status: 'received.walk_in_test.requisition_created', status_detail: 'x' },
    status: 'received',
    order_transaction: embedded,
    lab_test: { id: 'test', name: 'Lipid Panel', lab: { id: 6, name: 'Quest', city: 'Tampa' } },
    details: { type: 'walk_in_test', data: { id: 'd' } },
    sample_id: 's1',
    expected_result_by_date: '2026-11-23',
    worst_case_result_by_date: '2026-11-29T00:00:00+00:00',
    activate_by: 'soon',
  };

  it('is its transaction, its version and its events, including the last one [orders#the-order-object]', () => {
    const [fact] = factsOfOrder(readOrder(order), observed).orders;
    expect(fact).toEqual({
      order_id: 'b',
      order_transaction_id: 't',
      origin: 'redraw',
      parent_id: 'a',
      name: {
        lab_test_name: 'Lipid Panel',
        lab_name: 'Quest',
        collection_method: 'walk_in_test',
        sample_id: 's1',
        expected_result_by_date: '2026-11-23',
        worst_case_result_by_date: '2026-11-29',
        activate_by: null,
      },
      account_id: 7,
      created_at: ms(4),
      version: ms(6),
      reported: {
        event_id: 12,
        status: 'received.walk_in_test.requisition_created',
        status_at: ms(6),
        status_detail: 'x',
      },
      events: [
        { event_id: 11, created_at: ms(4), status: 'received.walk_in_test.ordered', status_detail: null },
        { event_id: 12, created_at: ms(6), status: 'received.walk_in_test.requisition_created', status_detail: 'x' },
      ],
    });
  });

  it('contains nothing about the patient, the address, the physician, the notes or the markers [orders#the-order-object]', () => {
    const marked = {
      ...order,
      patient_details: { first_name: 'MARKED', dob: 'MARKED' },
      patient_address: { first_line: 'MARKED' },
      physician: { last_name: 'MARKED' },
      notes: 'MARKED',
      clinical_notes: 'MARKED',
      passthrough: 'MARKED',
      interpretation: 'MARKED',
      lab_test: {
        ...order.lab_test,
        markers: [{ name: 'MARKED' }],
        lab: { name: 'Quest', first_line_address: 'MARKED' },
      },
      details: { type: 'walk_in_test', data: { id: 'MARKED', shipment: 'MARKED' } },
      icd_codes: ['MARKED'],
      events: [{ ...order.events[0], data: 'MARKED' }],
      order_transaction: { ...embedded, note: 'MARKED', orders: [{ ...embedded.orders[0], note: 'MARKED' }] },
    };
    expect(JSON.stringify(factsOfOrder(readOrder(marked), observed))).not.toContain('MARKED');
  });

  it('is the same from an embedded transaction and from a separate call [orders#two-shapes]', () => {
    const fromOwn = factsOfTransaction(readOrderTransaction(own), observed);
    expect(factsOfTransaction(readOrderTransaction(embedded), observed)).toEqual(fromOwn);
    expect(fromOwn.transaction).toEqual({
      order_transaction_id: 't',
      account_id: 7,
      status: 'active',
      created_at: ms(1),
      version: ms(6),
    });
  });

  it('has no account for a listed order, because the list does not contain it', () => {
    const [, other] = factsOfOrder(readOrder(order), observed).orders;
    expect(other).toMatchObject({ order_id: 'a', account_id: null, reported: { status: 'redraw_available' } });
  });

  it('is the deprecated status if there are no events [orders#order-events]', () => {
    const bare = { id: 'b', user_id: 'u', status: 'received' };
    const { orders, transaction } = factsOfOrder(readOrder(bare), observed);
    expect(transaction).toBeNull();
    expect(orders).toMatchObject([
      { created_at: observed.observedAt, version: 0, reported: { status: 'received', status_at: null }, events: [] },
    ]);
  });

  it('is a reported status, not an event, if the event has no id', () => {
    const nameless = { id: 'b', user_id: 'u', events: [], last_event: { created_at: at(3), status: 'a.b.c' } };
    expect(factsOfOrder(readOrder(nameless), observed).orders).toMatchObject([
      { reported: { status: 'a.b.c', status_at: ms(3) }, events: [] },
    ]);
  });
});

describe('a time', () => {
  it.each([
    ['2026-11-20T12:00:00+00:00', ms(0)],
    ['2026-11-20T14:00:00+02:00', ms(0)],
    ['2026-11-20T12:00:00', ms(0)],
    ['2026-11-20T12:00:00.123456', ms(0) + 123],
    ['soon', null],
    [null, null],
  ])('%s is read as %s', (text, expected) => {
    expect(parseUtcInstant(text)).toBe(expected);
  });
});
