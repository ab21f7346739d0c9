import type { AppointmentDto, TransactionDto } from '../../lib/api.js';
import type { State } from '../../lib/states.js';

const ended = new Set(['cancelled', 'completed', 'no_show']);
const drawn = new Set(['draw_completed', 'partial_results', 'sample_with_lab', 'delivered_to_lab']);

/** Last part of a three-part status. */
const lowStatus = (status: string | null): string => (status ?? 'unknown').split('.').at(-1) ?? 'unknown';

const origins: Readonly<Record<string, string>> = { initial: 'original', recreation: 'replacement' };

/** What an order is in its transaction. */
export const originOf = (origin: string | null, absent = 'order'): string =>
  origin === null ? absent : (origins[origin] ?? origin.replaceAll('_', ' '));

export const statusWords = (status: string | null): string => lowStatus(status).replaceAll('_', ' ');

export const isCancelled = (status: string | null): boolean =>
  /(^|\.)(cancelled|do_not_process)$/.test(status ?? '') || (status ?? '').startsWith('cancelled');

/** The action that the current order needs. */
export type Act = 'tell' | 'book' | 'wait' | 'ask' | 'replace' | 'unblock' | 'release';

export const actWords: Readonly<Record<Act, string>> = {
  tell: 'Notify patient',
  book: 'Book appointment',
  wait: 'wait for the lab',
  ask: 'ask the lab for the outcome',
  replace: 'Order again',
  unblock: 'Supply what is missing',
  release: 'Release or cancel',
};

/** Null if no order of the transaction needs an action. */
export function actOf(
  transaction: Pick<TransactionDto, 'act_on' | 'needs' | 'flag' | 'redraw_told' | 'orders'>,
  appointments: readonly Pick<AppointmentDto, 'order_id' | 'is_active' | 'status'>[] = [],
): Act | null {
  const { act_on, needs, flag, redraw_told, orders } = transaction;
  if (act_on === null) return null;
  if (flag === 'outcome_unstated') return 'ask';
  if (needs === 'redraw' && redraw_told === null) return 'tell';
  if (needs !== null && needs !== 'redraw') return needs;
  const status = orders.find(({ order_id }) => order_id === act_on)?.status ?? null;
  const parts = (status ?? '').split('.');
  const awaitsDraw = !parts.some((part) => drawn.has(part));
  const booked = appointments.some(
    (one) => one.order_id === act_on && one.is_active && !ended.has((one.status ?? '').toLowerCase()),
  );
  return awaitsDraw && !booked && parts.at(-1) !== 'redraw_available' ? 'book' : 'wait';
}

/** The action that one order of a transaction needs; an unreported critical result comes first. */
export function actOfOrder(
  { order_id, critical_untold }: Pick<TransactionDto['orders'][number], 'order_id' | 'critical_untold'>,
  transaction: Parameters<typeof actOf>[0],
  appointments?: Parameters<typeof actOf>[1],
): Act | null {
  if (critical_untold) return 'tell';
  return transaction.act_on === order_id ? actOf(transaction, appointments) : null;
}

/** The shape that represents the status of an order. */
export function stateOfOrder(status: string | null): State {
  if (isCancelled(status)) return 'gone';
  const low = lowStatus(status);
  if (/^(completed|corrected)$/.test(low)) return 'received';
  if (/(^|\.)failed(\.|$)/.test(status ?? '') || /^(failure_|sample_error|lost)/.test(low)) return 'failed';
  if (low === 'redraw_available') return 'empty';
  return status === null ? 'unknown' : 'waiting';
}
