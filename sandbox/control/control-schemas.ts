import { FAULT_KINDS } from '../engine/faults.js';
import { CONNECTION_ERROR_TYPES, PROVIDERS } from '../facts/enums.js';
import {
  anyValue,
  filledText,
  flag,
  integer,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  text,
  uuid,
} from '../http/strict.js';

const count = { type: 'integer', minimum: 1, maximum: 100_000 };
const offset = { type: 'integer', minimum: -50_400, maximum: 50_400 };
const wait = { type: 'number', minimum: 0 };
const rate = { type: 'number', minimum: 0, maximum: 1 };

const plan = object({ outcome: oneOf(['success', 'failure']), retries: integer, error: text, empty: flag });

const linkOptions = {
  resources: listOf(text),
  not_pulled: listOf(text),
  denied: listOf(text),
  history: object({ days: count, per_day: count, so_far: flag, utc_offset: offset }, ['days', 'per_day']),
  devices: flag,
  external_user_id: text,
  pulls: { type: 'object', additionalProperties: plan },
  notify: flag,
};

const place = { user_id: uuid, provider: oneOf(PROVIDERS) };
const placeRequired = ['user_id', 'provider'];

/** Settings of a generated PDF. */
const pdf = {
  pdf_bytes: nullable({ type: 'integer', minimum: 1, maximum: 1_073_741_824 }),
  pdf_break_after: nullable({ type: 'integer', minimum: 0 }),
};

export const bodies = {
  time: object({ now: text, advance_seconds: wait }),
  settle: nullable(object({ within_seconds: wait, timeout_seconds: wait })),
  settings: object({
    page_size: count,
    user_limit: nullable(count),
    link_token_minutes: number,
    points_per_event: count,
    pull_start_seconds: wait,
    pull_duration_seconds: wait,
    pull_retry_seconds: wait,
    source_only: flag,
    user_slash: oneOf(['both', 'with', 'without']),
    scheduling: flag,
    availability_input: oneOf(['query', 'body']),
    lean_labs: flag,
    malformed_items: flag,
    sparse_points: flag,
    next_only: flag,
    duplicate_check: flag,
    automatic_connection: flag,
    review_queue: flag,
    source_priorities: { type: 'object', additionalProperties: listOf(anyValue) },
  }),
  users: object({ client_user_id: filledText, count, prefix: text }),
  connections: object({ ...place, ...linkOptions }, placeRequired),
  link: object({ link_token: text, provider: oneOf(PROVIDERS), outcome: text, ...linkOptions }, ['link_token']),
  breakConnection: object({ ...place, error_type: oneOf(CONNECTION_ERROR_TYPES), message: text }, [
    ...placeRequired,
    'error_type',
  ]),
  phoneSync: object(place, placeRequired),
  pull: object({ ...place, resources: listOf(text), plan }, placeRequired),
  deviceRemoval: object({ user_id: uuid, device_id: uuid }, ['user_id', 'device_id']),
  device: object({ ...place, source_type: text, device_model: text, notify: flag }, [...placeRequired, 'source_type']),
  generate: object(
    { user_id: uuid, provider: text, resource: text, days: count, per_day: count, end: text, notify: flag },
    [...placeRequired, 'resource', 'days'],
  ),
  put: object(
    {
      user_id: uuid,
      provider: text,
      resource: text,
      source_type: text,
      device_id: nullable(uuid),
      workout_id: nullable(uuid),
      sport: nullable(text),
      points: listOf({ type: 'object' }),
      summaries: listOf({ type: 'object' }),
      notify: flag,
    },
    [...placeRequired, 'resource'],
  ),
  edit: object({ user_id: uuid, resource: text, provider: text, count, notify: flag }, ['user_id', 'resource']),
  remove: object({ user_id: uuid, resource: text, provider: text, start: text, end: text, summary_id: uuid }, [
    'user_id',
    'resource',
  ]),
  shift: object(
    { user_id: uuid, resource: text, provider: text, start: text, end: text, seconds: integer, notify: flag },
    ['user_id', 'resource', 'seconds'],
  ),
  sampleDevices: object(
    {
      user_id: uuid,
      provider: text,
      resource: text,
      device_ids: listOf(nullable(uuid), { minItems: 1 }),
      count,
      notify: flag,
    },
    [...placeRequired, 'resource', 'device_ids'],
  ),
  stream: object({ user_id: uuid, workout_id: uuid, points: count, fields: { type: 'object' }, notify: flag }, [
    'user_id',
  ]),
  webhooks: object({
    url: nullable(text),
    secrets: listOf(text, { minItems: 1 }),
    paused: flag,
    header_family: oneOf(['svix', 'webhook']),
    timestamp_source: oneOf(['sandbox', 'real']),
    filter_types: nullable(listOf(text)),
    timeout_ms: count,
    concurrency: count,
    exhausted_notice: flag,
    disabled: flag,
  }),
  rotate: nullable(object({ secret: text })),
  replay: object({ message_id: text, since: text }),
  send: object({ event_type: text, user_id: nullable(uuid), data: anyValue, envelope: flag, raw: text }),
  fault: object(
    {
      kind: oneOf(FAULT_KINDS),
      path: filledText,
      method: text,
      status: integer,
      body: text,
      content_type: text,
      retry_after: number,
      delay_ms: number,
      bytes: { type: 'integer', minimum: 1, maximum: 104_857_600 },
      event_type: text,
      rate,
      seed: text,
      burst: count,
      times: count,
      seconds: count,
      skip: integer,
    },
    ['kind'],
  ),
  order: object({ user_id: uuid, collection_method: text, lab: text, passthrough: text, notify: flag }, ['user_id']),
  orderStatus: object({ status: text, status_detail: text, notify: flag }, ['status']),
  orderWalk: nullable(object({ to: text, step_seconds: wait })),
  orderRedraw: nullable(object({ redraw_first: flag, notify: flag })),
  orderResult: object({
    results: anyValue,
    metadata: { type: 'object' },
    fields: { type: 'object' },
    missing: flag,
    withdrawn: flag,
    ...pdf,
  }),
  orderDocuments: object({ has_abn: flag, ...pdf }),
  orderCritical: nullable(object({ status: oneOf(['final', 'partial']) })),
  appointment: object({ status: text }, ['status']),
  unmatchedResult: object({
    order_ids: listOf(uuid),
    status: text,
    decision_code: text,
    attaches: oneOf(['candidate', 'recreation']),
    fields: { type: 'object' },
    user_id: uuid,
    notify: flag,
  }),
};
