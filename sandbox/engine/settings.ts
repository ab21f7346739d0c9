/** Settings that `/control/settings` can change while the sandbox runs. */
export interface Settings {
  /** Points on one timeseries page. */
  page_size: number;
  /** Live users of the sandbox environment; null lifts the limit. */
  user_limit: number | null;
  link_token_minutes: number;
  /** Points in one data event at most. */
  points_per_event: number;
  pull_start_seconds: number;
  pull_duration_seconds: number;
  pull_retry_seconds: number;
  /** Connected sources carry only the deprecated `source`, as the published example does. */
  source_only: boolean;
  /** Which form of `/v2/user` is served; the other one is redirected there. */
  user_slash: 'both' | 'with' | 'without';
  /** Appointments can be scheduled; without it availability is 503. */
  scheduling: boolean;
  /** Where availability reads its inputs; what is in the other place is not looked at. */
  availability_input: 'query' | 'body';
  /** Availability and compendium leave out or null all they may, and name a lab and a relation of no list. */
  lean_labs: boolean;
  /** Pages of lab tests end with an item that cannot be read. */
  malformed_items: boolean;
  /** Points leave out what published examples leave out: `timestamp` beside `start`, `id`, `type`, unknown offsets. */
  sparse_points: boolean;
  /** Pages of timeseries and introspection carry the deprecated `next` alone. */
  next_only: boolean;
  /** The team refuses a credential that another of its users holds. */
  duplicate_check: boolean;
  /** The SDK on the phone connects its providers by itself at each sync, also after they were deregistered. */
  automatic_connection: boolean;
  /** The team decides about results that cannot be attached to an order; without it those calls are 400. */
  review_queue: boolean;
  /** By data type the team's order of sources, in any shape, because none is documented. */
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
