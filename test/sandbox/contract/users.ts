import {
  anyObject,
  day,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  orNull,
  text,
  texts,
  time,
  uuid,
} from './shapes.js';

const face = object({ name: text, slug: text, logo: text });
const origin = { source_slug: text, updated_at: time };

/** docs/upstream/users.md#the-user-object */
export const user = object(
  {
    user_id: uuid,
    team_id: uuid,
    client_user_id: text,
    created_on: time,
    connected_sources: listOf(object({ provider: face, created_on: time, source: face })),
    fallback_time_zone: orNull(object({ id: text, ...origin })),
  },
  {
    fallback_birth_date: orNull(object({ value: day, ...origin })),
    ingestion_start: orNull(day),
    ingestion_end: orNull(day),
  },
);

export const userPage = object({ users: listOf(user), total: integer, offset: integer, limit: integer });
export const success = object({ success: flag });
export const signInToken = object({ user_id: uuid, sign_in_token: text });
export const linkToken = object({ link_token: text, link_web_url: { type: 'string', format: 'uri' } });
export const demo = object({ success: flag, detail: text });

/** docs/upstream/users.md#metrics */
export const metrics = object({ team_id: uuid });

const scopes = object({ required: texts, optional: texts });
const availability = object(
  { status: text },
  { scope_requirements: orNull(object({ user_granted: scopes, user_denied: scopes })) },
);

/** docs/upstream/connections.md#list-of-connections */
export const connections = mapOf(
  listOf(
    object(
      {
        name: text,
        slug: text,
        logo: text,
        created_on: time,
        status: text,
        resource_availability: mapOf(availability),
      },
      {
        external_user_id: orNull(text),
        error_details: orNull(object({ error_type: text, error_message: text, errored_at: time })),
      },
    ),
  ),
);

export const refresh = object({
  success: { const: true },
  user_id: uuid,
  refreshed_sources: texts,
  in_progress_sources: texts,
  failed_sources: texts,
});

const maybe = orNull(text);

/** docs/upstream/connections.md#devices */
export const device = object(
  { id: uuid, user_id: uuid, provider: text, source_type: text },
  { app_id: maybe, device_manufacturer: maybe, device_model: maybe, device_version: maybe, device_id: maybe },
);

export const providers = listOf(
  object({ name: text, slug: text, description: text, logo: maybe }, { auth_type: maybe, supported_resources: texts }),
);

/** docs/upstream/webhooks.md#connection-events */
export const connectionCreated = object({
  user_id: uuid,
  provider: face,
  source: face,
  external_user_id: maybe,
  resource_availability: mapOf(availability),
});

export const connectionError = object({
  user_id: uuid,
  provider: text,
  error_type: text,
  message: text,
  error_details: text,
});

const statistics = object(
  {
    status: { enum: ['scheduled', 'in_progress', 'retrying', 'success', 'failure'] },
    timeline: object({ scheduled_at: time }, { started_at: orNull(time), ended_at: orNull(time) }),
    release: text,
  },
  {
    range_start: orNull(time),
    range_end: orNull(time),
    days_with_data: integer,
    trace_id: maybe,
    error_details: maybe,
  },
);

const page = { next: maybe, next_cursor: maybe };

/** docs/upstream/introspection.md */
export const historicalPulls = object({
  data: listOf(object({ user_id: uuid, provider: mapOf(object({ pulled: mapOf(statistics), not_pulled: texts })) })),
  ...page,
});

const resourceState = object(
  {},
  {
    last_attempt: orNull(object({ timestamp: time, status: { enum: ['success', 'failure'] } })),
    oldest_data: orNull(time),
    newest_data: orNull(time),
    sent_count: orNull(number),
  },
);

export const resourceStates = object({
  data: listOf(object({ user_id: uuid, provider: mapOf(mapOf(resourceState)) })),
  ...page,
});

export const anything = anyObject;
