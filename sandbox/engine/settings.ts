/** Settings that `/control/settings` can change while the sandbox runs. */
export interface Settings {
  /** Points on one timeseries page. */
  page_size: number;
  /** Maximum number of live users of the sandbox environment; null for no limit. */
  user_limit: number | null;
  link_token_minutes: number;
  /** Maximum number of points in a data event. */
  points_per_event: number;
  pull_start_seconds: number;
  pull_duration_seconds: number;
  pull_retry_seconds: number;
  /** Connected sources carry only the deprecated `source`, as in the published example. */
  source_only: boolean;
  /** Form of `/v2/user` that is served; the other form redirects to it. */
  user_slash: 'both' | 'with' | 'without';
  /** Appointments can be scheduled; otherwise availability is 503. */
  scheduling: boolean;
  /** Place where availability reads its inputs; the other place is ignored. */
  availability_input: 'query' | 'body';
  /** Availability and compendium omit or null all optional fields, and use an unknown lab and relation. */
  lean_labs: boolean;
  /** Pages of lab tests end with an item that cannot be read. */
  malformed_items: boolean;
  /** Points omit what published examples omit: `timestamp` beside `start`, `id`, `type`, unknown offsets. */
  sparse_points: boolean;
  /** Pages of timeseries and introspection have only the deprecated `next`. */
  next_only: boolean;
  /** The team refuses a credential that another of its users already has. */
  duplicate_check: boolean;
  /** The SDK on the phone connects its providers automatically at each sync, even after they were deregistered. */
  automatic_connection: boolean;
  /** The team reviews results that cannot be attached to an order; otherwise those calls are 400. */
  review_queue: boolean;
  /** The team's order of sources by data type, in any form, because none is documented. */
  source_priorities: Record<string, unknown[]>;
}

export function defaultSettings(): Settings {
  return {
    page_size: 50,
    user_limit: 50,
    link_token_minutes: 10,
    points_per_event: 100,
    pull_start_seconds: 5,
    pull_duration_seconds: 30,
    pull_retry_seconds: 60,
    source_only: false,
    user_slash: 'both',
    scheduling: true,
    availability_input: 'query',
    lean_labs: false,
    malformed_items: false,
    sparse_points: false,
    next_only: false,
    duplicate_check: false,
    automatic_connection: true,
    review_queue: true,
    source_priorities: {},
  };
}
