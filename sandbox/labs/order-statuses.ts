/**
 * The life cycle of an order (docs/upstream/orders.md#statuses). Event status = `top.method.low`.
 *
 * received.ordered -> requisition_created -> ... -> completed (-> corrected); or cancelled, failed.
 * `redraw_available` is final for its order though its top level is collecting_sample.
 * The top level is not monotone: kits and appointments move back and forth.
 */
import { ORDER_EVENT_STATUSES } from '../facts/enums.js';

/** Success path of each collection method, low-level statuses after `ordered`. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  walk_in_test: ['requisition_created', 'partial_results', 'completed'],
  at_home_phlebotomy: [
    'requisition_created',
    'appointment_pending',
    'appointment_scheduled',
    'draw_completed',
    'partial_results',
    'completed',
  ],
  testkit: [
    'requisition_created',
    'transit_customer',
    'out_for_delivery',
    'with_customer',
    'transit_lab',
    'delivered_to_lab',
    'completed',
  ],
  on_site_collection: ['requisition_created', 'draw_completed', 'partial_results', 'completed'],
};

const CANCELLABLE: readonly string[] = [
  'ordered',
  'requisition_created',
  'requisition_bypassed',
  'awaiting_registration',
  'registered',
  'appointment_pending',
  'appointment_scheduled',
  'appointment_cancelled',
  'draw_completed',
];

const ENDED: readonly string[] = [
  'completed',
  'corrected',
  'cancelled',
  'do_not_process',
  'sample_error',
  'lost',
  'failure_to_deliver_to_lab',
  'failure_to_deliver_to_customer',
];

export function lowLevel(status: string): string {
  return status.split('.')[2] ?? status;
}

/** The three-part status for a low-level or three-part one; null if the method does not have it. */
export function fullStatus(method: string, status: string): string | null {
  const low = lowLevel(status);
  return ORDER_EVENT_STATUSES.find((known) => known.endsWith(`.${method}.${low}`)) ?? null;
}

/**
 * Low-level statuses from an order's current one to the target. A target off the success path is reached from the
 * last status of that path before the results.
 */
export function pathTo(method: string, from: string, to: string): string[] {
  const path = PATHS[method] ?? [];
  const position = path.indexOf(from);
  const target = path.indexOf(to);
  if (target >= 0) return path.slice(position + 1, target + 1);
  const beforeResults = path.filter((low) => low !== 'partial_results' && low !== 'completed');
  const needsCompletion = to === 'corrected' ? path : beforeResults;
  return [...needsCompletion.slice(Math.min(position + 1, needsCompletion.length)), to];
}

export function isCancellable(low: string): boolean {
  return CANCELLABLE.includes(low);
}

/** Final statuses: an order in one of them does not change again. */
export function hasEnded(low: string): boolean {
  return ENDED.includes(low);
}

export function isCancelled(low: string): boolean {
  return low === 'cancelled' || low === 'do_not_process';
}

export function hasResults(low: string): boolean {
  return ['partial_results', 'completed', 'corrected', 'redraw_available'].includes(low);
}
