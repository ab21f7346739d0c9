import { awaitsDraw, isOnHold, lowLevel, phaseOf } from './order-status.js';

/*
 * The orders of one transaction as a chain, and what must be done now (docs/meaning.md#labs,
 * docs/upstream/orders.md#origin, docs/upstream/orders.md#redraw).
 *
 *   initial --redraw_available--> (redraw not seen yet) --> redraw --> completed: results of the transaction
 *   any order --recreation--> replacement, whose parent_id is the order it replaces
 *
 * The action comes from the state of the chain, not from the origin of its last order: a recreation of a cancelled
 * redraw is a second draw, too. Events arrive in any order, so every intermediate state occurs. If upstream's status of
 * the transaction contradicts its orders, the transaction is flagged, so that it is read again, and the orders decide:
 * a draw that is owed is never hidden by the transaction's word.
 */

/**
 * `redraw`: inform the patient that another sample is needed, and see that it is taken. `replace`: the sample or kit
 * came to nothing; order again or close the case. `unblock`: the lab waits for information and then discards the
 * sample. `release`: the order is on hold.
 */
export const needs = ['redraw', 'replace', 'unblock', 'release'] as const;
export type Need = (typeof needs)[number];

/**
 * `inconsistent`: the transaction's status contradicts its orders. `outcome_unstated`: the redraw was cancelled after
 * the initial order had lost markers; upstream documents the outcome only partly, so the clinic orders again or
 * closes the case.
 */
export const chainFlags = ['inconsistent', 'outcome_unstated'] as const;
export type ChainFlag = (typeof chainFlags)[number];

export interface ChainLink {
  readonly order_id: string;
  readonly origin: string | null;
  readonly parent_id: string | null;
  readonly status: string | null;
  /** When it got this status; null if unknown. */
  readonly status_at?: number | null;
  readonly created_at: number;
}

export interface Chain<T extends ChainLink> {
  /** Sorted by creation time. */
  orders: T[];
  /** The id of the order to act on now; null if there is none or it is ambiguous. */
  act_on: string | null;
  needs: Need | null;
  /**
   * The newest order that lost a sample or was cancelled before the owed draw; null if no redraw is needed. If it
   * changes, a patient who was informed of the draw before must be informed again.
   */
  needs_after: string | null;
  flag: ChainFlag | null;
  /** Where to read the final results; null if there are none. */
  results_from: 'order_transaction' | null;
}

/** The orders by creation time; of two created at the same time, the parent comes first. */
export function inOrderOfCreation<T extends ChainLink>(orders: readonly T[]): T[] {
  const byId = new Map(orders.map((order) => [order.order_id, order]));
  const depth = (order: T): number => {
    let steps = 0;
    let parent = byId.get(order.parent_id ?? '');
    while (parent && steps < orders.length) {
      steps += 1;
      parent = byId.get(parent.parent_id ?? '');
    }
    return steps;
  };
  const later = ({ origin }: T): number => (origin === 'initial' ? 0 : 1);
  return orders.toSorted(
    (a, b) =>
      a.created_at - b.created_at ||
      depth(a) - depth(b) ||
      later(a) - later(b) ||
      (a.order_id < b.order_id ? -1 : Number(a.order_id > b.order_id)),
  );
}

/**
 * `status` is that of the transaction; null and unknown values are ignored. `replaced`: the loss that a person recorded
 * as replaced ({@link lossOf}); it needs nothing more.
 */
export function redrawChain<T extends ChainLink>(
  status: string | null,
  links: readonly T[],
  replaced: string | null = null,
): Chain<T> {
  const chain = openChain(status, links);
  if (chain.needs !== 'replace' || replaced === null || !isSameLoss(replaced, lossOf(chain.orders))) return chain;
  return { ...chain, ...nothingToDo, flag: chain.flag === 'outcome_unstated' ? null : chain.flag };
}

/** The last order that came to nothing, its status and when it got that; '' if there is none. */
export function lossOf(orders: readonly ChainLink[]): string {
  const lost = inOrderOfCreation(orders).findLast(
    (order) => cameToNothing(order) || phaseOf(order.status) === 'failed',
  );
  return lost ? [lost.order_id, lowLevel(lost.status ?? ''), lost.status_at ?? ''].join(' ') : '';
}

/** A loss whose time becomes known is the same one. */
function isSameLoss(one: string, other: string): boolean {
  const [[order, word, at], [otherOrder, otherWord, otherAt]] = [one.split(' '), other.split(' ')];
  return order === otherOrder && word === otherWord && (at === otherAt || !at || !otherAt);
}

function openChain<T extends ChainLink>(status: string | null, links: readonly T[]): Chain<T> {
  const orders = inOrderOfCreation(links);
  const kept = orders.filter((order) => phaseOf(order.status) !== 'cancelled');
  const last = kept.at(-1);
  const chain = { orders, act_on: null, needs: null, needs_after: null, flag: null, results_from: null };
  const act = last ? actionOn(orders, last) : nothingToDo;
  if (contradicts(status, orders, kept)) return { ...chain, ...(act.needs ? act : nothingToDo), flag: 'inconsistent' };
  if (status === 'completed') {
    const isLost = last !== undefined && phaseOf(last.status) === 'failed';
    return { ...chain, ...(isLost ? act : nothingToDo), results_from: 'order_transaction' };
  }
  if (status === 'cancelled' || !last) return chain;
  return { ...chain, ...act, flag: endedWithoutRedraw(orders, last) ? 'outcome_unstated' : null };
}

type Action = Pick<Chain<ChainLink>, 'act_on' | 'needs' | 'needs_after'>;

const nothingToDo: Action = { act_on: null, needs: null, needs_after: null };

/** `last` is the last order that is not cancelled. */
function actionOn(orders: readonly ChainLink[], last: ChainLink): Action {
  if (phaseOf(last.status) === 'completed') return nothingToDo;
  const needed = needOf(orders, last);
  const needs_after = needed === 'redraw' ? (before(orders, last)?.order_id ?? null) : null;
  return { act_on: last.order_id, needs: needed, needs_after };
}

/** A redraw says that the order before it lost its sample, although that may not be known yet. */
function before(orders: readonly ChainLink[], last: ChainLink): ChainLink | undefined {
  return orders.findLast(cameToNothing) ?? orders[orders.indexOf(last) - 1];
}

function contradicts(status: string | null, orders: readonly ChainLink[], kept: readonly ChainLink[]): boolean {
  if (orders.length === 0) return false;
  const last = kept.at(-1);
  const phase = last ? phaseOf(last.status) : 'cancelled';
  if (status === 'active') return phase === 'completed' || phase === 'cancelled';
  if (status === 'cancelled') return last !== undefined && !endedWithoutRedraw(orders, last);
  if (status !== 'completed') return false;
  if (last && lowLevel(last.status ?? '') === 'partial_results') return false;
  return phase === 'open' || phase === 'cancelled' || (last !== undefined && redrawUnseen(orders, last));
}

function isRedraw(order: ChainLink): boolean {
  return order.origin === 'redraw';
}

function redrawUnseen(orders: readonly ChainLink[], last: ChainLink): boolean {
  return phaseOf(last.status) === 'redraw_available' && !orders.some(isRedraw);
}

/** If the last order that is not cancelled is an initial order with lost markers, its redraw was cancelled. */
function endedWithoutRedraw(orders: readonly ChainLink[], last: ChainLink): boolean {
  return phaseOf(last.status) === 'redraw_available' && orders.some(isRedraw);
}

function needOf(orders: readonly ChainLink[], last: ChainLink): Need | null {
  if (phaseOf(last.status) === 'failed' || endedWithoutRedraw(orders, last)) return 'replace';
  if (phaseOf(last.status) === 'redraw_available') return 'redraw';
  const word = lowLevel(last.status ?? '');
  if (word === 'lab_processing_blocked') return 'unblock';
  if (isOnHold(last.status)) return 'release';
  const isSecondDraw = isRedraw(last) || orders.some(hasLostSample);
  return isSecondDraw && awaitsDraw(last.status) ? 'redraw' : null;
}

/** Words of an order whose sample was taken and is of no use. */
const sampleLost: ReadonlySet<string> = new Set([
  'redraw_available',
  'sample_error',
  'failure_to_deliver_to_lab',
  'lost',
]);

function hasLostSample({ status }: ChainLink): boolean {
  return sampleLost.has(lowLevel(status ?? ''));
}

function cameToNothing(order: ChainLink): boolean {
  return hasLostSample(order) || phaseOf(order.status) === 'cancelled';
}
