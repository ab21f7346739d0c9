import type { FastifyInstance } from 'fastify';
import type { SummaryWrite, Written } from '../data/health-data.js';
import type { Point, PointValue, StoredPoint } from '../data/points.js';
import type { SummaryObject } from '../data/summary-makers.js';
import { MINUTE, startOfDay } from '../engine/times.js';
import { findSeries, findSummary, type SeriesResource, type SummaryResource } from '../facts/catalogue.js';
import { sourceTypesOf } from '../facts/providers.js';
import type { User } from '../users/user.js';
import type { World } from '../world.js';
import { refusal, userOrRefusal } from './control-error.js';
import { bodies } from './control-schemas.js';

interface GenerateBody {
  user_id: string;
  provider: string;
  resource: string;
  days: number;
  per_day?: number;
  end?: string;
  notify?: boolean;
}

interface GivenPoint {
  start?: string;
  timestamp?: string;
  end?: string;
  value?: number | string;
  systolic?: number;
  diastolic?: number;
  type?: string;
  timezone_offset?: number | null;
  /** The rarer fields. */
  [extra: string]: unknown;
}

interface PutBody {
  user_id: string;
  provider: string;
  resource: string;
  source_type?: string;
  device_id?: string | null;
  workout_id?: string | null;
  sport?: string | null;
  points?: GivenPoint[];
  summaries?: SummaryObject[];
  notify?: boolean;
}

interface EditBody {
  user_id: string;
  resource: string;
  provider?: string;
  count?: number;
  notify?: boolean;
}

const DEFAULT_INTERVAL_MS = 10 * MINUTE;

function valueOf(given: GivenPoint): PointValue {
  if (given.systolic !== undefined && given.diastolic !== undefined) {
    return { systolic: given.systolic, diastolic: given.diastolic };
  }
  if (given.value === undefined) throw refusal(400, 'a point needs a value, or systolic and diastolic');
  return given.value;
}

const PLACED: readonly string[] = [
  'start',
  'timestamp',
  'end',
  'value',
  'systolic',
  'diastolic',
  'type',
  'timezone_offset',
];

function extrasOf(given: GivenPoint): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !PLACED.includes(name)));
}

function toPoint(resource: SeriesResource, body: PutBody, given: GivenPoint): Point {
  const start = Date.parse(given.start ?? given.timestamp ?? '');
  if (Number.isNaN(start)) throw refusal(400, 'a point needs start or timestamp');
  const interval = resource.family === 'interval' || resource.family === 'text';
  const end = given.end === undefined ? start + DEFAULT_INTERVAL_MS : Date.parse(given.end);
  return {
    provider: body.provider,
    sourceType: body.source_type ?? sourceTypesOf(body.provider)[0] ?? 'unknown',
    deviceId: body.device_id ?? null,
    workoutId: body.workout_id ?? null,
    sport: body.sport ?? null,
    type: given.type ?? resource.types[0] ?? null,
    start,
    end: interval ? end : null,
    offset: given.timezone_offset ?? null,
    value: valueOf(given),
    extras: extrasOf(given),
  };
}

function toSummary(
  world: World,
  user: User,
  resource: SummaryResource,
  body: PutBody,
  given: SummaryObject,
): SummaryWrite {
  const { id } = given;
  const known = typeof id === 'string' ? world.data.summaries.find(user.user_id, resource.name, id) : undefined;
  const day = startOfDay(world.timeline.now());
  const index = world.ids.integer(`summary ${user.client_user_id} ${resource.name}`);
  const made = world.generator.summary(user, resource, { provider: body.provider }, { day, index: 1000 + index });
  return {
    ...made,
    id: typeof id === 'string' ? id : made.id,
    sourceType: body.source_type ?? made.sourceType,
    deviceId: body.device_id ?? made.deviceId,
    fields: known === undefined ? { ...made.fields, ...given } : given,
  };
}

function put(world: World, body: PutBody): Written {
  const user = userOrRefusal(world, body.user_id);
  const mode = { hidden: false, notify: body.notify ?? true };
  const series = findSeries(body.resource);
  if (series !== undefined) {
    const points = (body.points ?? []).map((given) => toPoint(series, body, given));
    return world.data.writePoints(user, series, points, mode);
  }
  const summary = findSummary(body.resource);
  if (summary === undefined) throw refusal(400, 'no such resource');
  const writes = (body.summaries ?? [{}]).map((given) => toSummary(world, user, summary, body, given));
  return world.data.writeSummaries(user, summary, writes, mode);
}

function editPoints(world: World, user: User, series: SeriesResource, body: EditBody): Written {
  const rows = world.data.points
    .visible(user.user_id, series.name)
    .filter((row) => body.provider === undefined || row.provider === body.provider)
    .slice(-(body.count ?? 1));
  const points = rows.map((row): Point => {
    const salt = `${row.seq}-${world.ids.integer('edit')}`;
    return {
      provider: row.provider,
      sourceType: row.sourceType,
      deviceId: row.deviceId,
      workoutId: row.workoutId,
      sport: row.sport,
      type: row.type,
      start: row.start,
      end: row.end,
      offset: row.offset,
      extras: row.extras,
      value: world.generator.otherValue(series, row.value, salt),
    };
  });
  return world.data.writePoints(user, series, points, { hidden: false, notify: body.notify ?? true });
}

/** Changes that apply to any summary of a kind. */
function changed(object: SummaryObject): SummaryObject {
  const field = ['score', 'steps', 'weight', 'heart_rate_mean', 'height', 'calories'].find((name) => name in object);
  if (field === undefined) return { ...object, edited: Number(object.edited ?? 0) + 1 };
  return { ...object, [field]: Number(object[field] ?? 40) + 1 };
}

function editSummaries(world: World, user: User, resource: SummaryResource, body: EditBody): Written {
  const rows = world.data.summaries
    .visible(user.user_id, resource.name)
    .filter((row) => body.provider === undefined || row.provider === body.provider)
    .slice(-(body.count ?? 1));
  const writes = rows.map(
    (row): SummaryWrite => ({
      id: row.object.id,
      provider: row.provider,
      sourceType: 'unknown',
      deviceId: null,
      fields: changed(row.object),
    }),
  );
  return world.data.writeSummaries(user, resource, writes, { hidden: false, notify: body.notify ?? true });
}

function edit(world: World, body: EditBody): Written {
  const user = userOrRefusal(world, body.user_id);
  const series = findSeries(body.resource);
  if (series !== undefined) return editPoints(world, user, series, body);
  const summary = findSummary(body.resource);
  if (summary === undefined) throw refusal(400, 'no such resource');
  return editSummaries(world, user, summary, body);
}

function generate(world: World, body: GenerateBody): Record<string, unknown> {
  const end = body.end === undefined ? world.timeline.now() : Date.parse(body.end);
  if (Number.isNaN(end)) throw refusal(400, 'end is not a time');
  const stretch = { provider: body.provider, days: body.days, perDay: body.per_day ?? 1, end };
  const written = world.linking.generate(
    userOrRefusal(world, body.user_id),
    body.resource,
    stretch,
    body.notify ?? false,
  );
  if (written === null) throw refusal(400, 'no such resource');
  return { written: written.created + written.updated, visible: written.visible, message_ids: written.message_ids };
}

interface SelectBody {
  user_id: string;
  resource: string;
  provider?: string;
  start?: string;
  end?: string;
}

interface ShiftBody extends SelectBody {
  seconds: number;
  notify?: boolean;
}

function timeOr(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refusal(400, 'start and end are times');
  return time;
}

/** Visible points of a series that start in a range. */
function selected(world: World, user: User, series: SeriesResource, body: SelectBody): StoredPoint[] {
  const [start, end] = [timeOr(body.start, Number.NEGATIVE_INFINITY), timeOr(body.end, Number.POSITIVE_INFINITY)];
  return world.data.points
    .visible(user.user_id, series.name)
    .filter((row) => body.provider === undefined || row.provider === body.provider)
    .filter((row) => row.start >= start && row.start < end);
}

/** Deletes rows without an event (docs/upstream/webhooks.md#no-delete-events). */
function remove(world: World, body: SelectBody & { summary_id?: string }): { removed: number } {
  const user = userOrRefusal(world, body.user_id);
  const series = findSeries(body.resource);
  if (series !== undefined) {
    const rows = selected(world, user, series, body);
    world.data.points.remove(user.user_id, series, rows);
    return { removed: rows.length };
  }
  const summary = findSummary(body.resource);
  if (summary === undefined) throw refusal(400, 'no such resource');
  const rows = world.data.summaries
    .visible(user.user_id, summary.name)
    .filter(({ object }) => body.summary_id === undefined || object.id === body.summary_id)
    .filter(({ provider }) => body.provider === undefined || provider === body.provider);
  for (const { object } of rows) world.data.summaries.remove(user.user_id, summary.name, object.id);
  return { removed: rows.length };
}

/** Moves the bounds of points: the old ones are deleted, and the new ones are reported as new data. */
function shift(world: World, body: ShiftBody): Written {
  const user = userOrRefusal(world, body.user_id);
  const series = findSeries(body.resource);
  if (series === undefined) throw refusal(400, 'no such timeseries');
  const rows = selected(world, user, series, body);
  const byMs = body.seconds * 1_000;
  const moved = rows.map(({ seq: _, hidden: __, ...point }): Point => {
    return { ...point, start: point.start + byMs, end: point.end === null ? null : point.end + byMs };
  });
  world.data.points.remove(user.user_id, series, rows);
  return world.data.writePoints(user, series, moved, { hidden: false, notify: body.notify ?? true });
}

interface StreamBody {
  user_id: string;
  workout_id?: string;
  points?: number;
  fields?: Record<string, unknown>;
  notify?: boolean;
}

/**
 * The shallow event of docs/upstream/webhooks.md#workout-stream-events about a workout, by default the newest;
 * changes its stream on request.
 */
function announceStream(world: World, body: StreamBody): Record<string, unknown> {
  const user = userOrRefusal(world, body.user_id);
  const workouts = world.data.summaries.visible(user.user_id, 'workouts');
  const workout = workouts
    .filter(({ object }) => body.workout_id === undefined || object.id === body.workout_id)
    .at(-1);
  if (workout === undefined) throw refusal(404, 'no such workout');
  const { id, provider_id, source, sport } = workout.object;
  const { points, fields: given = {} } = body;
  const changes = points !== undefined || body.fields !== undefined;
  if (changes) world.streams.change(id, workout.at, { points: points ?? 24, given });
  if (body.notify === false) return { workout_id: id, message_ids: [] };
  const stream = world.streams.of(id, workout.at);
  const what = stream.announced++ === 0 ? 'created' : 'updated';
  const data = { user_id: user.user_id, workout_id: id, provider_id, source, sport, message: 'shallow' };
  return { workout_id: id, message_ids: [world.events.emit(`daily.data.workout_stream.${what}`, user, data).id] };
}

/** Data at the providers: generated series, new samples and late edits. */
export function installDataControl(app: FastifyInstance, world: World): void {
  app.post('/control/data/generate', { schema: { body: bodies.generate } }, (request) =>
    generate(world, request.body as GenerateBody),
  );
  app.post('/control/data', { schema: { body: bodies.put } }, (request) => put(world, request.body as PutBody));
  app.post('/control/data/stream', { schema: { body: bodies.stream } }, (request) =>
    announceStream(world, request.body as StreamBody),
  );
  app.post('/control/data/remove', { schema: { body: bodies.remove } }, (request) =>
    remove(world, request.body as SelectBody),
  );
  app.post('/control/data/shift', { schema: { body: bodies.shift } }, (request) =>
    shift(world, request.body as ShiftBody),
  );
  app.post('/control/data/edit', { schema: { body: bodies.edit } }, (request) => edit(world, request.body as EditBody));
}
