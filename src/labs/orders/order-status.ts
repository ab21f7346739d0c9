/**
 * Phase of an order with any collection method. `redraw_available` is final for the order
 * (docs/upstream/orders.md#statuses).
 */
export type Phase = 'open' | 'redraw_available' | 'completed' | 'failed' | 'cancelled';

const phaseOfTop: ReadonlyMap<string, Phase> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
]);

const phaseOfLow: ReadonlyMap<string, Phase> = new Map([
  ['completed', 'completed'],
  ['corrected', 'completed'],
  ['amended', 'completed'],
  ['redraw_available', 'redraw_available'],
  ['failure_to_deliver_to_customer', 'failed'],
  ['failure_to_deliver_to_lab', 'failed'],
  ['sample_error', 'failed'],
  ['lost', 'failed'],
  ['cancelled', 'cancelled'],
  ['do_not_process', 'cancelled'],
]);

const drawn: ReadonlySet<string> = new Set([
  'draw_completed',
  'partial_results',
  'transit_lab',
  'problem_in_transit_lab',
]);

/** The last part of a status, or the status itself if it has one part. */
export function lowLevel(status: string): string {
  return status.slice(status.lastIndexOf('.') + 1);
}

function topLevel(status: string): string {
  const dot = status.indexOf('.');
  return dot < 0 ? status : status.slice(0, dot);
}

/** The phase by the last part of the status, then by the first. An unknown status counts as open. */
export function phaseOf(status: string | null): Phase {
  if (status === null) return 'open';
  return phaseOfLow.get(lowLevel(status)) ?? phaseOfTop.get(topLevel(status)) ?? 'open';
}

/** True if a part of the status says that the order is on hold. Upstream documents no such word. */
export function isOnHold(status: string | null): boolean {
  return (status ?? '').split('.').some((part) => /(^|_)(on)?_?hold(_|$)/.test(part));
}

/** True while the status shows that the sample has not been taken. */
export function awaitsDraw(status: string | null): boolean {
  if (phaseOf(status) !== 'open') return false;
  return status === null || (!drawn.has(lowLevel(status)) && topLevel(status) !== 'sample_with_lab');
}
