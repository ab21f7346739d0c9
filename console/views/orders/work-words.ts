import type { LabWorkDto } from '../../lib/api.js';

type Item = Pick<LabWorkDto, 'reason' | 'order_id' | 'order_transaction_id' | 'unmatched_result_id'>;

/** What a person does about an item, and why, by its reason (docs/meaning.md#what-a-clinic-has-to-do). */
export const workWords: Readonly<Record<LabWorkDto['reason'], { readonly act: string; readonly why: string }>> = {
  critical: {
    act: 'Notify patient',
    why: 'Critical result; no record that the patient was informed.',
  },
  redraw: { act: 'Notify patient', why: 'New sample needed; no record that the patient was informed.' },
  draw: { act: 'Book appointment', why: 'New sample needed; the patient was informed, and no appointment is booked.' },
  critical_unmatched: { act: 'Decide', why: 'A critical result that upstream could not attach to an order.' },
  unmatched: { act: 'Decide', why: 'A result that upstream could not attach to an order.' },
  unblock: { act: 'Supply what is missing', why: 'The lab has blocked the kit.' },
  replace: { act: 'Order again', why: 'The sample or kit was lost or failed.' },
  release: { act: 'Release or cancel', why: 'The order is on hold.' },
  given_up: { act: 'Ask again', why: 'An announced result could not be fetched.' },
  unread: { act: 'Ask again', why: 'The order could not be read from upstream.' },
  inconsistent: { act: 'Read again', why: 'The status of the transaction contradicts its orders.' },
  withdrawn: { act: 'Ask the lab', why: 'Upstream no longer has the result, and nothing has replaced it.' },
};

/** Address of the order of an item; an unmatched result may have none, and is itself opened. */
export function placeOf({ unmatched_result_id: item, order_id, order_transaction_id }: Item): string {
  if (item !== null) return `/orders?list=review&item=${encodeURIComponent(item)}`;
  return `/orders/${order_id ?? order_transaction_id ?? ''}`;
}

/** Address at which an item is worked on. */
export function workplaceOf(item: Item): string {
  return item.reason === 'replace' ? '/orders?list=place' : placeOf(item);
}
