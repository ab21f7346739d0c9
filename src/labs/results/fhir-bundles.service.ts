import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import type { Bundle } from '../fhir/fhir-resources.js';
import { transactionBundle } from '../fhir/orders-fhir.js';
import { ordersBundle } from '../fhir/result-bundle.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import type { OwnedOrder } from '../orders/orders.reader.js';
import { toFhir } from './result-fhir.js';
import { ResultsService } from './results.service.js';

/** Kinds of changes whose subject can be shown as FHIR. */
export const fhirKinds = ['result', 'order', 'order_transaction'] as const;
export type FhirKind = (typeof fhirKinds)[number];

/**
 * What changed as a Bundle of FHIR R4, as GET gives it, but from the store alone: the result with its orders, or the
 * orders of the transaction. Without entries if nothing is stored that may be shown.
 */
@Injectable()
export class FhirBundles {
  constructor(
    private readonly orders: OrderReadsService,
    private readonly results: ResultsService,
    private readonly clock: Clock,
  ) {}

  /** `subject`: as in the change. */
  async of(kind: FhirKind, subject: string): Promise<Bundle | Omit<Bundle, 'entry'>> {
    const found = await (kind === 'result'
      ? this.ofResult(subject)
      : kind === 'order'
        ? this.ofOrder(subject)
        : this.ofTransaction(subject));
    return found ?? { resourceType: 'Bundle', type: 'collection', timestamp: toIso(this.clock.now()) };
  }

  private async ofTransaction(id: string): Promise<Bundle | null> {
    const read = await this.orders.findTransaction(id);
    return read && transactionBundle(read, this.clock.now());
  }

  private async ofOrder(id: string): Promise<Bundle | null> {
    const order = await this.order(id);
    if (!order) return null;
    const { order_transaction_id: transaction, external_id: account } = order;
    if (transaction !== null) return this.ofTransaction(transaction);
    return account === null
      ? null
      : ordersBundle({ account, transactionId: null, orders: [order], now: this.clock.now() });
  }

  /** `subject`: `order/ID/json` or the like. */
  private async ofResult(subject: string): Promise<Bundle | null> {
    const [, scope, id = ''] = /^(order|transaction)\/(.+)\/\w+$/s.exec(subject) ?? [];
    if (scope !== 'order' && scope !== 'transaction') return null;
    const read = await this.results.findStored({ scope, id });
    if (!read) return null;
    const order = scope === 'order' ? await this.order(id) : null;
    const orders = scope === 'order' ? (order ? [order] : []) : (read.transaction?.chain.orders ?? []);
    return toFhir({ scope, id }, read, orders, this.clock.now());
  }

  private async order(id: string): Promise<OwnedOrder | null> {
    return (await this.orders.find(id))?.order ?? null;
  }
}
