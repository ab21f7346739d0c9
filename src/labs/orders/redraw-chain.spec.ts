import { type Chain, type ChainLink, inOrderOfCreation, redrawChain } from './redraw-chain.js';

const walkIn = (top: string, low: string): string => `${top}.walk_in_test.${low}`;
const lacking = walkIn('collecting_sample', 'redraw_available');
const ordered = walkIn('received', 'ordered');
const done = walkIn('completed', 'completed');
const cancelled = walkIn('cancelled', 'cancelled');

function link(order_id: string, status: string | null, more: Partial<ChainLink> = {}): ChainLink {
  return { order_id, origin: 'initial', parent_id: null, status, created_at: 1, ...more };
}

const redraw = (status: string | null): ChainLink =>
  link('b', status, { origin: 'redraw', parent_id: 'a', created_at: 2 });
const recreation = (status: string | null): ChainLink =>
  link('c', status, { origin: 'recreation', parent_id: 'a', created_at: 3 });

type Outcome = Pick<Chain<ChainLink>, 'act_on' | 'needs' | 'needs_after' | 'flag' | 'results_from'>;

const nothing: Outcome = { act_on: null, needs: null, needs_after: null, flag: null, results_from: null };
const results: Outcome = { ...nothing, results_from: 'order_transaction' };
const contradiction: Outcome = { ...nothing, flag: 'inconsistent' };
const act = (id: string): Outcome => ({ ...nothing, act_on: id });
const tell = (id: string, needs_after: string | null = 'a'): Outcome => ({ ...act(id), needs: 'redraw', needs_after });
const failed = walkIn('failed', 'sample_error');

const cases: [fact: string, status: string | null, orders: ChainLink[], outcome: Outcome][] = [
  ['an open initial order is the one to act on', 'active', [link('a', ordered)], act('a')],
  ['an initial order of which only the id is known is the one to act on', null, [link('a', null)], act('a')],
  ['lost markers need a redraw before the redraw is seen', 'active', [link('a', lacking)], tell('a')],
  ['lost markers in a low-level status need one too', 'active', [link('a', 'redraw_available')], tell('a')],
  [
    'the redraw is the one to act on, and the patient must be informed, until it is drawn',
    'active',
    [link('a', lacking), redraw(ordered)],
    tell('b'),
  ],
  ['a redraw whose status is not known yet is still needed', 'active', [link('a', lacking), redraw(null)], tell('b')],
  [
    'a redraw with an appointment is still needed',
    'active',
    [link('a', lacking), redraw('appointment_scheduled')],
    tell('b'),
  ],
  [
    'a redraw with an unknown status is still needed',
    'active',
    [link('a', lacking), redraw('received.walk_in_test.new_word')],
    tell('b'),
  ],
  [
    'a redraw at the lab needs nothing more',
    'active',
    [link('a', lacking), redraw(walkIn('sample_with_lab', 'partial_results'))],
    act('b'),
  ],
  [
    'a redraw reported before redraw_available is the one to act on',
    'active',
    [link('a', ordered), redraw(ordered)],
    tell('b'),
  ],
  ['a completed redraw has combined results', 'completed', [link('a', lacking), redraw(done)], results],
  ['a completed order has results of the transaction', 'completed', [link('a', done)], results],
  ['corrected may follow completed', 'completed', [link('a', walkIn('completed', 'corrected'))], results],
  [
    'a sample error in a completed transaction needs a replacement, too, and is no contradiction',
    'completed',
    [link('a', failed)],
    { ...results, act_on: 'a', needs: 'replace' },
  ],
  [
    'a sample error that a later order made good needs nothing',
    'completed',
    [link('a', failed), recreation(done)],
    results,
  ],
  [
    'a sample error in an active transaction needs a replacement',
    'active',
    [link('a', failed)],
    { ...act('a'), needs: 'replace' },
  ],
  [
    'a kit that was lost needs a replacement',
    'active',
    [link('a', 'failed.testkit.lost')],
    { ...act('a'), needs: 'replace' },
  ],
  [
    'a sample error of the redraw needs a replacement',
    'active',
    [link('a', lacking), redraw(failed)],
    { ...act('b'), needs: 'replace' },
  ],
  ['a recreation after a sample error is a second draw', 'active', [link('a', failed), recreation(ordered)], tell('c')],
  [
    'a recreation of a kit that never reached the patient is the first draw',
    'active',
    [link('a', 'failed.testkit.failure_to_deliver_to_customer'), recreation('received.testkit.ordered')],
    act('c'),
  ],
  [
    'a blocked kit needs information',
    'active',
    [link('a', 'sample_with_lab.testkit.lab_processing_blocked')],
    { ...act('a'), needs: 'unblock' },
  ],
  ...['received.walk_in_test.on_hold', 'on_hold.walk_in_test.ordered', 'order_hold'].map(
    (word): (typeof cases)[number] => [
      `an order that is ${word} needs a release`,
      'active',
      [link('a', word)],
      { ...act('a'), needs: 'release' },
    ],
  ),
  [
    'a cancelled redraw has no stated outcome, and somebody must order again or close the case',
    'active',
    [link('a', lacking), redraw(cancelled)],
    { ...act('a'), needs: 'replace', flag: 'outcome_unstated' },
  ],
  [
    'a cancelled recreation of a cancelled redraw has none either',
    'active',
    [link('a', lacking), redraw(cancelled), recreation(cancelled)],
    { ...act('a'), needs: 'replace', flag: 'outcome_unstated' },
  ],
  [
    'lost markers whose only successor was a cancelled recreation owe a draw',
    'active',
    [link('a', lacking), recreation(cancelled)],
    tell('a', 'c'),
  ],
  [
    'the fourth order of a chain of a recreation and a redraw owes a draw',
    'active',
    [
      link('a', cancelled),
      link('b', lacking, { origin: 'recreation', parent_id: 'a', created_at: 2 }),
      link('c', cancelled, { origin: 'redraw', parent_id: 'b', created_at: 3 }),
      link('d', ordered, { origin: 'recreation', parent_id: 'c', created_at: 4 }),
    ],
    tell('d', 'c'),
  ],
  [
    'a redraw of a cancelled order is a draw that is owed',
    'active',
    [link('a', cancelled), redraw(ordered)],
    tell('b', 'a'),
  ],
  [
    'a second kit on its way to the lab needs nothing more',
    'active',
    [link('a', 'failed.testkit.lost'), recreation('collecting_sample.testkit.transit_lab')],
    act('c'),
  ],
  [
    'an amended redraw is completed',
    'completed',
    [link('a', lacking), redraw(walkIn('completed', 'amended'))],
    results,
  ],
  [
    'a completed transaction with a cancelled redraw is consistent',
    'completed',
    [link('a', lacking), redraw(cancelled)],
    results,
  ],
  [
    'a cancelled transaction with a cancelled redraw is consistent',
    'cancelled',
    [link('a', lacking), redraw(cancelled)],
    nothing,
  ],
  ['a recreation replaces its parent', 'active', [link('a', ordered), recreation(ordered)], act('c')],
  ['a recreation stays if its parent is cancelled', 'active', [link('a', cancelled), recreation(ordered)], act('c')],
  [
    'a completed recreation of a cancelled order has results',
    'completed',
    [link('a', cancelled), recreation(done)],
    results,
  ],
  ['a cancelled recreation replaces nothing', 'active', [link('a', ordered), recreation(cancelled)], act('a')],
  [
    'a recreation of a cancelled redraw is a draw of which the patient must be informed again',
    'active',
    [link('a', lacking), redraw(cancelled), recreation(ordered)],
    tell('c', 'b'),
  ],
  [
    'a recreation of a cancelled redraw that is at the lab needs nothing more',
    'active',
    [link('a', lacking), redraw(cancelled), recreation(walkIn('sample_with_lab', 'partial_results'))],
    act('c'),
  ],
  ['all orders cancelled needs nothing', 'cancelled', [link('a', cancelled), redraw(cancelled)], nothing],
  ['do_not_process is cancelled', 'cancelled', [link('a', 'cancelled.testkit.do_not_process')], nothing],
  ['a transaction of which only the id is known needs nothing', null, [], nothing],
  ['a transaction read without its orders needs nothing', 'active', [], nothing],
  ['a completed order in an unknown transaction needs nothing', null, [link('a', done)], nothing],
  ['an unknown transaction status proves nothing', 'paused', [link('a', ordered)], act('a')],
  [
    'completed with a draw that is owed is flagged, and the draw is owed',
    'completed',
    [link('a', lacking), redraw(ordered)],
    { ...tell('b'), flag: 'inconsistent' },
  ],
  ['completed with an open order is flagged', 'completed', [link('a', ordered)], contradiction],
  [
    'an order that went back to partial results does not contradict a completed transaction',
    'completed',
    [link('a', walkIn('sample_with_lab', 'partial_results'))],
    results,
  ],
  [
    'completed with an unseen redraw is flagged, and the draw is owed',
    'completed',
    [link('a', lacking)],
    { ...tell('a'), flag: 'inconsistent' },
  ],
  ['completed with everything cancelled is flagged', 'completed', [link('a', cancelled)], contradiction],
  ['active with the last order completed is flagged', 'active', [link('a', done)], contradiction],
  ['active with everything cancelled is flagged', 'active', [link('a', cancelled)], contradiction],
  ['cancelled with an open order is flagged', 'cancelled', [link('a', cancelled), recreation(ordered)], contradiction],
];

describe('the redraw chain', () => {
  it.each(cases)('%s [orders#cancelled-redraw] [orders#statuses]', (_, status, orders, outcome) => {
    const { orders: sorted, ...rest } = redrawChain(status, [...orders].reverse());
    expect(rest).toEqual(outcome);
    expect(sorted.map((order) => order.order_id)).toEqual(orders.map((order) => order.order_id));
  });

  it('puts a parent before its child if both were created at the same time', () => {
    const at = { created_at: 5 };
    const child = link('a', null, { ...at, parent_id: 'z' });
    const grandchild = link('b', null, { ...at, parent_id: 'a', origin: 'recreation' });
    expect(inOrderOfCreation([grandchild, child, link('z', null, at)]).map((order) => order.order_id)).toEqual([
      'z',
      'a',
      'b',
    ]);
  });

  it('terminates for orders that name each other as parents', () => {
    const loop = [link('a', null, { parent_id: 'b' }), link('b', null, { parent_id: 'a' })];
    expect(inOrderOfCreation(loop)).toHaveLength(2);
  });
});
