import type { FastifyInstance } from 'fastify';
import { isDateOnly, startOfDay } from '../engine/times.js';
import { findSummary, type SummaryResource } from '../facts/catalogue.js';
import { invalid } from '../http/answers.js';
import { object, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import { readWindow, type Window, type WindowQuery } from './timeseries.routes.js';

/** Date fields match full days: a window that touches the day includes it. */
function summaryWindow(resource: SummaryResource, query: WindowQuery): Window {
  for (const name of ['start_date', 'end_date'] as const) {
    const value = query[name] ?? '';
    if (resource.parameters === 'date' && value !== '' && !isDateOnly(value)) {
      throw invalid(['query', name], 'Input should be a valid date', 'date_parsing');
    }
  }
  const window = readWindow(query);
  const isDate = resource.timeField === 'calendar_date' || resource.timeField === 'period_start';
  return isDate ? { start: startOfDay(window.start), end: window.end } : window;
}

function installWindowed(app: FastifyInstance, world: World): void {
  const schema = {
    params: object({ resource: text, user_id: uuid }, ['resource', 'user_id']),
    querystring: object({ start_date: text, end_date: text, provider: text }, ['start_date']),
  };
  app.get('/v2/summary/:resource/:user_id', { schema }, (request, reply) => {
    const { resource: name, user_id: id } = request.params as { resource: string; user_id: string };
    const resource = findSummary(name);
    if (resource === undefined || resource.responseKey === null) return reply.code(404).send({ detail: 'Not Found' });
    const user = world.users.get(id);
    const query = request.query as WindowQuery;
    const { start, end } = summaryWindow(resource, query);
    const rows = world.data.summaries
      .visible(user.user_id, resource.name)
      .filter((row) => row.at >= start && row.at <= end)
      .filter((row) => (query.provider ?? '') === '' || row.provider === query.provider);
    return { [resource.responseKey]: rows.map((row) => row.object) };
  });
}

function installProfile(app: FastifyInstance, world: World): void {
  const schema = { params: object({ user_id: uuid }, ['user_id']), querystring: object({ provider: text }) };
  app.get('/v2/summary/profile/:user_id', { schema }, (request) => {
    const user = world.users.get((request.params as { user_id: string }).user_id);
    const { provider = '' } = request.query as { provider?: string };
    const rows = world.data.summaries.visible(user.user_id, 'profile');
    const row = rows.filter((each) => provider === '' || each.provider === provider).at(-1);
    if (row === undefined) throw world.wording.plain(404, 'profile');
    return row.object;
  });
}

function installStream(app: FastifyInstance, world: World): void {
  const schema = { params: object({ workout_id: uuid }, ['workout_id']), querystring: object({}) };
  app.get('/v2/timeseries/workouts/:workout_id/stream', { schema }, (request) => {
    const { workout_id: id } = request.params as { workout_id: string };
    const workout = world.users
      .live()
      .map((user) => world.data.summaries.find(user.user_id, 'workouts', id))
      .find((row) => row !== undefined && !row.hidden);
    if (workout === undefined) throw world.wording.plain(404, 'workout');
    return world.streams.of(id, workout.at).columns;
  });
}

/** Summaries and the workout stream: docs/upstream/summaries.md. Not paginated. */
export function installSummaries(app: FastifyInstance, world: World): void {
  installProfile(app, world);
  installWindowed(app, world);
  installStream(app, world);
}
