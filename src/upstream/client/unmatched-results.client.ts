import { Injectable } from '@nestjs/common';
import { withId } from '../../platform/platform/json-shape.js';
import { type CallOptions, nullIfAbsent } from '../transport/call.js';
import { routes } from '../transport/routes.js';
import { Transport } from '../transport/transport.js';
import type { WirePage } from './wire-data.js';
import type { WireOrder } from './wire-orders.js';
import * as wire from './wire-unmatched-results.js';

/**
 * Results that upstream could not attach to an order (docs/upstream/unmatched-results.md). For a team without a review
 * queue, upstream returns 400. Decisions are never retried here, because each can be made only once.
 */
@Injectable()
export class UnmatchedResultsClient {
  constructor(private readonly transport: Transport) {}

  /** Results that the customer can decide about, and escalated ones; `limit` at most 50. */
  async list(
    page: { limit: number; cursor: string | null },
    o: CallOptions,
  ): Promise<WirePage<wire.WireUnmatchedResult>> {
    const query = { limit: page.limit, next_cursor: page.cursor };
    return this.transport.request({ route: routes.unmatchedResults, query, read: wire.readUnmatchedResultPage }, o);
  }

  /** Null if upstream has no such item or no longer returns it. */
  async find(id: string, o: CallOptions): Promise<wire.WireUnmatchedResult | null> {
    const read = withId(wire.readUnmatchedResult, 'id', id);
    const call = { route: routes.unmatchedResult, path: { id }, read, recover: nullIfAbsent };
    return this.transport.request<wire.WireUnmatchedResult | null>(call, o);
  }

  /**
   * Returns the order that the result was attached to: the candidate, a replacement, or an order of another person
   * (docs/upstream/unmatched-results.md#accept).
   */
  async accept(id: string, body: wire.WireAcceptance, o: CallOptions): Promise<WireOrder> {
    const call = { route: routes.acceptUnmatchedResult, path: { id }, body, read: wire.readAcceptedOrder };
    return this.transport.request(call, o);
  }

  /** Ignores the response body, because its shape is not documented. */
  async resolve(id: string, body: wire.WireResolution, o: CallOptions): Promise<void> {
    const read = (): undefined => undefined;
    await this.transport.request({ route: routes.resolveUnmatchedResult, path: { id }, body, read }, o);
  }
}
