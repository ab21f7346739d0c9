import { Injectable } from '@nestjs/common';
import type { Unreadable } from '../../platform/platform/json-reader.js';
import type { CallOptions } from '../transport/call.js';
import { routes } from '../transport/routes.js';
import { Transport } from '../transport/transport.js';
import type { WireOrder } from './wire-orders.js';
import * as wire from './wire-unmatched-results.js';
import { assertSame } from './wire-users.js';

/**
 * Results that upstream could not attach to an order (docs/upstream/unmatched-results.md). A team without a review
 * queue is refused with 400. A decision is made once: it is never repeated here.
 */
@Injectable()
export class UnmatchedResultsClient {
  constructor(private readonly transport: Transport) {}

  /** Results that the customer can act on, and escalated ones; `limit` at most 50. */
  async list(page: { limit: number; cursor: string | null }, o: CallOptions): Promise<wire.WireUnmatchedResultPage> {
    const query = { limit: page.limit, next_cursor: page.cursor };
    return this.transport.request({ route: routes.unmatchedResults, query, read: wire.readUnmatchedResultPage }, o);
  }

  /** Null if upstream has no such item, or no longer shows it. */
  async find(id: string, o: CallOptions): Promise<wire.WireUnmatchedResult | null> {
    const read = (body: unknown, bad: Unreadable): wire.WireUnmatchedResult => {
      const item = wire.readUnmatchedResult(body, bad);
      assertSame(item.id.toLowerCase(), id.toLowerCase(), 'id');
      return item;
    };
    const recover = (refusal: { isNotFound: boolean }): null | undefined => (refusal.isNotFound ? null : undefined);
    return this.transport.request<wire.WireUnmatchedResult | null>(
      { route: routes.unmatchedResult, path: { id }, read, recover },
      o,
    );
  }

  /**
   * The order that the result was attached to: the candidate, a replacement, or an order of another person
   * (docs/upstream/unmatched-results.md#accept).
   */
  async accept(id: string, body: wire.WireAcceptance, o: CallOptions): Promise<WireOrder> {
    return this.transport.request(
      { route: routes.acceptUnmatchedResult, path: { id }, body, read: wire.readAcceptedOrder },
      o,
    );
  }

  /** The shape of the answer is not documented, so nothing of it is read. */
  async resolve(id: string, body: wire.WireResolution, o: CallOptions): Promise<void> {
    const read = (): undefined => undefined;
    await this.transport.request({ route: routes.resolveUnmatchedResult, path: { id }, body, read }, o);
  }
}
