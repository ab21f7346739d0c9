import type { Connection } from '../../accounts/connections/connections.service.js';
import type { Resource } from '../../health/catalogue/catalogue.js';
import { isFields } from '../../platform/platform/json-reader.js';

/** Upstream's report on whether a source delivers a resource (docs/upstream/connections.md#resource-availability). */
export interface Availability {
  readonly available: boolean;
  /** Number of required permissions that the person denied. */
  readonly denied: number;
}

/** Null if upstream does not report it. Upstream's map may name the resource by its path or its event. */
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
