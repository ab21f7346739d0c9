import type { OpenFields } from '../../http/server/open-body.js';
import { AppError, type FieldError } from '../../platform/platform/errors.js';
import { isGiven } from '../../platform/platform/json-reader.js';

/** The person of an order, by the customer's id or upstream's. */
export type OrderFor = { readonly accountId: string } | { readonly userId: string };

export interface OrderRequest {
  readonly for: OrderFor;
  /** The rest of the body, passed to upstream unchanged except for nulls that upstream refuses. */
  readonly order: OpenFields;
}

/** Splits the validated body. Throws `invalid_request` if fields contradict each other. */
export function readOrderRequest({ account_id, user_id, ...order }: OpenFields): OrderRequest {
  const fields = [...ownerFaults({ account_id, user_id }), ...selectionFaults(order)];
  if (fields.length > 0) throw new AppError('invalid_request', 'Some fields contradict each other.', { fields });
  return {
    for: isGiven(account_id) ? { accountId: account_id as string } : { userId: user_id as string },
    order: withoutRefusedNulls(order),
  };
}

/** Upstream returns 422 for null in these fields, although null and omitted mean the same. */
const notNullable: ReadonlySet<string> = new Set(['consents', 'priority']);

function withoutRefusedNulls(order: OpenFields): OpenFields {
  return Object.fromEntries(Object.entries(order).filter(([name, value]) => value !== null || !notNullable.has(name)));
}

function ownerFaults({ account_id, user_id }: OpenFields): FieldError[] {
  if (isGiven(account_id) !== isGiven(user_id)) return [];
  return [{ field: 'account_id', message: 'exactly one of account_id and user_id is required' }];
}

/** Faults by the rules that do not depend on the tests (docs/upstream/orders.md#choice-of-tests). */
function selectionFaults({ order_set, lab_test_id, collection_method }: OpenFields): FieldError[] {
  const faults: FieldError[] = [];
  if (!isGiven(order_set) && !isGiven(lab_test_id)) {
    faults.push({ field: 'order_set', message: 'order_set or lab_test_id is required' });
  }
  const addOn = (order_set as OpenFields | null | undefined)?.['add_on'] as OpenFields | null | undefined;
  if (!isGiven(addOn)) return faults;
  if (!isGiven(collection_method)) {
    faults.push({ field: 'collection_method', message: 'collection_method is required with order_set.add_on' });
  }
  if (isGiven(addOn?.['marker_ids']) && isGiven(addOn?.['provider_ids'])) {
    faults.push({ field: 'order_set.add_on', message: 'marker_ids and provider_ids cannot be combined' });
  }
  return faults;
}
