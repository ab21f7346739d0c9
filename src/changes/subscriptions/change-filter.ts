import type { Change } from '../../storage/change-log/change.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/** The lists of a subscription, as texts of JSON in its row. */
type Filters = Pick<SubscriptionRow, 'kinds' | 'resources' | 'origins'>;

/**
 * True for the changes that a subscription wants. `resources` narrows changes of records and leaves those of other
 * kinds alone; the account is filtered by the log.
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
