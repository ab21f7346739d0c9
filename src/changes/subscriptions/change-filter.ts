import type { Change } from '../../storage/change-log/change.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/** The lists of a subscription, as JSON texts. */
type Filters = Pick<SubscriptionRow, 'kinds' | 'resources' | 'origins'>;

/**
 * True for changes that match the subscription. `resources` applies only to changes that have a resource; the change
 * log filters by account.
 */
export function filterOf({ kinds, resources, origins }: Filters): (change: Change) => boolean {
  const [ofKind, ofResource, ofOrigin] = [kinds, resources, origins].map(setOf);
  return ({ kind, resource, origin }) =>
    (ofKind?.has(kind) ?? true) &&
    (resource === null || (ofResource?.has(resource) ?? true)) &&
    (ofOrigin?.has(origin) ?? true);
}

function setOf(json: string | null): ReadonlySet<string> | null {
  return json === null ? null : new Set(JSON.parse(json) as string[]);
}
