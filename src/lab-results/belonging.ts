import { textOrNull } from '../platform/json-reader.js';
import type { WireResult } from '../upstream/wire-orders.js';
import type { OwnedSubject } from './result-subjects.js';

/**
 * False when the answer itself says that it is about another order, transaction or user than was asked for. A result
 * need not name any of them (supplement 9.7).
 */
export function belongsTo(wire: WireResult, subject: OwnedSubject): boolean {
  const user = 'user_id' in wire ? textOrNull(wire.user_id) : null;
  return agrees(user, subject.upstreamUserId) && isOfTransaction(wire, subject);
}

function isOfTransaction({ order_transaction: told }: WireResult, { scope, id, transactionId }: OwnedSubject): boolean {
  if (!told) return true;
  if (!agrees(told.id, transactionId)) return false;
  return scope === 'transaction' || told.orders.length === 0 || told.orders.some((order) => agrees(order.id, id));
}

function agrees(said: string | null, known: string | null): boolean {
  return said === null || known === null || said.toLowerCase() === known.toLowerCase();
}
