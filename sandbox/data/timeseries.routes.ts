import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseBound } from '../engine/times.js';
import { findSeriesByPath, type SeriesResource } from '../facts/catalogue.js';
import { invalid } from '../http/answers.js';
import { isStruckBy, nextCursor } from '../http/fault-hooks.js';
import { object, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import type { Position, StoredPoint } from './points.js';
import { wireGroups } from './wire-points.js';

export interface WindowQuery {
  start_date: string;
  end_date?: string;
  provider?: string;
}

interface SeriesQuery extends WindowQuery {
  next_cursor?: string;
  cursor?: string;
}

type PageAnswer = Record<string, unknown>;

export interface Window {
  start: number;
  end: number;
}

/** The query window, including both ends; open if there is no end. */
export function readWindow(query: WindowQuery): Window {
  const start = parseBound(query.start_date, 'start');
  if (start === null) throw invalid(['query', 'start_date'], 'Input should be a date or date-time', 'datetime_parsing');
  if (query.end_date === undefined || query.end_date === '') return { start, end: Infinity };
  const end = parseBound(query.end_date, 'end');
  if (end === null) throw invalid(['query', 'end_date'], 'Input should be a date or date-time', 'datetime_parsing');
  return { start, end };
}

function isPosition(value: unknown): value is Position {
  return typeof value === 'object' && value !== null && 'start' in value && 'seq' in value;
}

function readPosition(world: World, bound: readonly unknown[], query: SeriesQuery, start: number): Position {
  const cursor = query.next_cursor ?? query.cursor ?? '';
  if (cursor === '') return { start: start - 1, seq: Number.MAX_SAFE_INTEGER };
  const position = world.cursors.decode(bound, cursor);
  const name = query.next_cursor === undefined ? 'cursor' : 'next_cursor';
  if (!isPosition(position)) throw invalid(['query', name], 'Cursor does not belong to this query');
  return position;
}

const badGroup = { source: { provider: 'fitbit', type: 'watch' }, data: null };

/** Changes a sample after a response showed it. */
function changeOne(world: World, userId: string, resource: SeriesResource, rows: readonly StoredPoint[]): void {
  if (rows.length === 0) return;
  const { seq, hidden, ...point } = world.ids.rng('between', world.ids.integer('between')).pick(rows);
  const value = world.generator.otherValue(resource, point.value, `between-${seq}-${world.ids.integer('edit')}`);
  world.data.writePoints(world.users.get(userId), resource, [{ ...point, value }], { hidden, notify: true });
}

function readPage(world: World, request: FastifyRequest, userId: string, resource: SeriesResource): PageAnswer {
  const query = request.query as SeriesQuery;
  const { start, end } = readWindow(query);
  const provider = query.provider ?? '';
  const bound = [userId, resource.name, start, end, provider];
  const after = readPosition(world, bound, query, start);
  const limit = world.settings.page_size;
  // The cursor skips the page that should come next.
  const reach = isStruckBy(request, 'skip_cursor') ? 2 * limit : limit;
  const rows = world.data.points.page({ userId, resource: resource.name, after, end, provider, limit: reach + 1 });
  const last = rows.slice(0, reach).at(-1);
  const more = rows.length > reach && last !== undefined;
  const cursor = more ? world.cursors.encode(bound, { start: last.start, seq: last.seq }) : null;
  const next = nextCursor(world, request, cursor, () => world.cursors.encode(bound, after));
  const { sparse_points: sparse, next_only: nextOnly } = world.settings;
  const groups = wireGroups(resource, rows.slice(0, limit), { ids: world.ids, sparse });
  if (isStruckBy(request, 'change_between')) changeOne(world, userId, resource, rows.slice(0, limit));
  if (isStruckBy(request, 'bad_group')) Object.assign(groups, { fitbit: [...(groups['fitbit'] ?? []), badGroup] });
  return { groups, ...(nextOnly ? { next } : { next, next_cursor: next }) };
}

/** Grouped timeseries of all resources: docs/upstream/timeseries.md */
export function installTimeseries(app: FastifyInstance, world: World): void {
  const schema = {
    params: object({ user_id: uuid, resource: text }, ['user_id', 'resource']),
    querystring: object({ start_date: text, end_date: text, provider: text, next_cursor: text, cursor: text }, [
      'start_date',
    ]),
  };
  app.get('/v2/timeseries/:user_id/:resource/grouped', { schema }, (request, reply) => {
    const { user_id: id, resource: name } = request.params as { user_id: string; resource: string };
    const resource = findSeriesByPath(name);
    if (resource === undefined) return reply.code(404).send({ detail: 'Not Found' });
    const user = world.users.get(id);
    return readPage(world, request, user.user_id, resource);
  });
}
