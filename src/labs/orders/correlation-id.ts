import type { WireOrder } from '../../upstream/client/wire-orders.js';

/*
 * If the caller gives no `passthrough`, the order gets our correlation id there, which upstream echoes
 * (docs/upstream/orders.md#the-order-object). It identifies an order that arrives by webhook or list after the response
 * to its call was lost. It is a random UUID without other meaning.
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
 * The placement of an order, from its correlation id. Null for a redraw or recreation, which may have the correlation
 * id of the order it was derived from.
 */
export function placementOf(order: WireOrder): string | null {
  if (!isInitial(order)) return null;
  return correlationPattern.exec(order.passthrough ?? '')?.[1] ?? null;
}

/** True if an order has the `passthrough` of a claim: our correlation id or the caller's own value. */
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
