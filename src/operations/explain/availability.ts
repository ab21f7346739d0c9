import type { Connection } from '../../accounts/connections/connections.service.js';
import type { Resource } from '../../health/catalogue/catalogue.js';
import { isFields } from '../../platform/platform/json-reader.js';

/** Upstream's word on a source delivering a resource (docs/upstream/connections.md#resource-availability). */
export interface Availability {
  readonly available: boolean;
  /** Permissions that the person denied: how many the resource cannot do without. */
  readonly denied: number;
}

/**
 * Null when upstream does not say, for this resource or at all. Its map may name resources as paths or as events do.
 */
export function availabilityOf(connection: Connection | null, resource: Resource): Availability | null {
  const map: unknown = JSON.parse(connection?.resource_availability ?? 'null');
  if (!isFields(map)) return null;
  const word = map[resource.name] ?? map[resource.eventName ?? resource.name];
  if (!isFields(word) || (word['status'] !== 'available' && word['status'] !== 'unavailable')) return null;
  return { available: word['status'] === 'available', denied: deniedIn(word['scope_requirements']) };
}

function deniedIn(requirements: unknown): number {
  const denied = isFields(requirements) ? requirements['user_denied'] : null;
  const required = isFields(denied) ? denied['required'] : null;
  return Array.isArray(required) ? required.length : 0;
}
