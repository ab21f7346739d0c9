import type { WireOrder } from '../../upstream/client/wire-orders.js';

/*
 * Where the caller gives no `passthrough`, an order carries our correlation id in it, which upstream echoes
 * (docs/upstream/orders.md#the-order-object). By it an order is recognised that arrives by webhook or list after the
 * answer to its call was lost. It is a random uuid and means nothing to anybody else.
 */

const prefix = 'pulsekeep:';
const correlationPattern = /^pulsekeep:([0-9a-f-]{36})$/;

/** The body sent to upstream. */
export function withCorrelationId<Body extends { readonly passthrough?: unknown }>(
  body: Body,
  placementId: string,
): Body {
  const given = body.passthrough ?? '';
  return given === '' ? { ...body, passthrough: prefix + placementId } : body;
}

/**
 * The placement that an order's correlation id names. Null for an order derived from another: a redraw or recreation
 * may carry the id of the order it follows.
 */
export function placementOf(order: WireOrder): string | null {
  if (!isInitial(order)) return null;
  return correlationPattern.exec(order.passthrough ?? '')?.[1] ?? null;
}

/** True if an order carries the `passthrough` of a claim: our correlation id, or the caller's own value. */
export function isCarriedBy(
  order: WireOrder,
  { body }: { readonly body: { readonly passthrough?: unknown } },
): boolean {
  return isInitial(order) && order.passthrough === body.passthrough;
}

function isInitial(order: WireOrder): boolean {
  const listed = order.order_transaction?.orders.find(({ id }) => id === order.id);
  const origin = order.origin ?? listed?.origin ?? 'initial';
  return origin === 'initial' && (listed?.parent_id ?? null) === null;
}
