import type { WireOrder } from '../upstream/wire-orders.js';

/*
 * Where the caller gives no `passthrough`, an order carries a mark of ours in it, which upstream echoes (supplement 9.1).
 * So an order whose answer was lost is told by the webhook or the list, for certain and for ever. The mark is a random
 * uuid and means nothing to anybody else.
 */

const prefix = 'pulsekeep:';
const markPattern = /^pulsekeep:([0-9a-f-]{36})$/;

/** The body as upstream gets it. */
export function withCorrelationId<Body extends { readonly passthrough?: unknown }>(
  body: Body,
  placementId: string,
): Body {
  const given = body.passthrough ?? '';
  return given === '' ? { ...body, passthrough: prefix + placementId } : body;
}

/**
 * The placement an order came from, as its mark says. Null for an order derived from another: a redraw or recreation may
 * carry the mark of the order it follows.
 */
export function placementOf(order: WireOrder): string | null {
  const listed = order.order_transaction?.orders.find(({ id }) => id === order.id);
  const origin = order.origin ?? listed?.origin ?? 'initial';
  if (origin !== 'initial' || (listed?.parent_id ?? null) !== null) return null;
  return markPattern.exec(order.passthrough ?? '')?.[1] ?? null;
}
