import type { WireFields } from '../../platform/platform/json-reader.js';
import type { Bundle } from '../fhir/fhir-resources.js';
import { resultBundle } from '../fhir/result-bundle.js';
import type { OwnedOrder } from '../orders/orders.reader.js';
import type { ResultSubject } from '../orders/result-subject.js';
import type { ResultRead } from './results.service.js';

/** A result as a Bundle of FHIR R4, with the order or orders that it is of. */
export function toFhir(subject: ResultSubject, read: ResultRead, orders: readonly OwnedOrder[], now: number): Bundle {
  const { shown, earlierFinal, pdfVersions, transaction, account } = read;
  const [pdf = null] = pdfVersions.filter(({ withdrawn_at }) => withdrawn_at === null);
  return resultBundle({
    account,
    subject,
    now,
    transactionId: transaction?.transaction.order_transaction_id ?? null,
    orders,
    version: shown.version,
    status: shown.withdrawn_at === null ? (shown.status ?? 'partial') : 'withdrawn',
    earlier: earlierFinal === null ? null : (JSON.parse(earlierFinal) as WireFields),
    firstSeenAt: shown.first_seen_at,
    content: JSON.parse(read.content) as WireFields,
    pdf: pdf && { checksum: pdf.checksum, bytes: pdf.bytes, seenAt: pdf.first_seen_at },
  });
}
