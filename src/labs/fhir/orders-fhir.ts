import type { TransactionRead } from '../orders/order-reads.service.js';
import type { Bundle } from './fhir-resources.js';
import { ordersBundle } from './result-bundle.js';

/** The orders of a transaction as a Bundle of FHIR R4; null if it belongs to no account. */
export function transactionBundle({ transaction, chain }: TransactionRead, now: number): Bundle | null {
  const account = transaction.external_id;
  if (account === null) return null;
  const orders = chain.orders.filter(({ external_id }) => external_id === account);
  return ordersBundle({ account, transactionId: transaction.order_transaction_id, orders, now });
}
