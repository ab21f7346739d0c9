import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatTime } from '../engine/times.js';
import { findSeries } from '../facts/catalogue.js';
import { LABS, PROVIDERS } from '../facts/enums.js';
import { invalid } from '../http/answers.js';
import { nextCursor } from '../http/fault-hooks.js';
import { object, oneOf, queryInteger, text, uuid } from '../http/strict.js';
import type { User } from '../users/user.js';
import type { World } from '../world.js';

interface IntrospectionQuery {
  user_id?: string;
  provider?: string;
  user_limit?: string;
  next_cursor?: string;
  cursor?: string;
}

type ProviderPart = (user: User, provider: string) => Record<string, unknown> | null;

/** The published example ends with this text instead of null (docs/upstream/introspection.md#pages-of-pulls). */
const END_TEXT = 'None';
const DEFAULT_USER_LIMIT = 50;
/** Interval between reported polls of a provider. */
const ATTEMPTS_EVERY = 30 * 60_000;

function readStart(world: World, bound: readonly unknown[], query: IntrospectionQuery): number {
  const cursor = query.next_cursor ?? query.cursor ?? '';
  if (cursor === '') return 0;
  const position = world.cursors.decode(bound, cursor);
  if (typeof position !== 'number') throw invalid(['query', 'next_cursor'], 'Cursor does not belong to this query');
  return position;
}

function recordOf(user: User, providers: readonly string[], part: ProviderPart): Record<string, unknown> | null {
  const entries = providers.map((slug) => [slug, part(user, slug)] as const).filter(([, value]) => value !== null);
  if (entries.length === 0) return null;
  return { user_id: user.user_id, provider: Object.fromEntries(entries) };
}

function answer(world: World, kind: string, request: FastifyRequest, part: ProviderPart): Record<string, unknown> {
  const query = request.query as IntrospectionQuery;
  const limit = Number(query.user_limit ?? DEFAULT_USER_LIMIT);
  if (limit < 1) throw invalid(['query', 'user_limit'], 'Input should be greater than 0', 'greater_than');
  const bound = [kind, query.user_id, query.provider];
  const start = readStart(world, bound, query);
  const selected = world.users.live().filter((user) => query.user_id === undefined || user.user_id === query.user_id);
  const top = selected.slice(start, start + limit);
  const known = [...new Set<string>([...PROVIDERS, ...LABS])];
  const providers = query.provider === undefined ? known : [query.provider];
  const data = top.map((user) => recordOf(user, providers, part)).filter((record) => record !== null);
  const after = start + limit < selected.length ? world.cursors.encode(bound, start + limit) : null;
  const more = nextCursor(world, request, after, () => world.cursors.encode(bound, start));
  const next = more ?? END_TEXT;
  return world.settings.next_only ? { data, next } : { data, next, next_cursor: more };
}

function pullsOf(world: World): ProviderPart {
  return (user, provider) => {
    const pulls = world.pulls.of(user.user_id).filter((pull) => pull.provider === provider);
    const not_pulled = world.pulls.skipped(user.user_id, provider);
    if (pulls.length === 0 && not_pulled.length === 0) return null;
    return { pulled: Object.fromEntries(pulls.map((pull) => [pull.resource, world.pulls.toWire(pull)])), not_pulled };
  };
}

function timesOf(world: World, user: User, provider: string, resource: string): number[] {
  const series = findSeries(resource);
  if (series === undefined) {
    const rows = world.data.summaries.visible(user.user_id, resource);
    return rows.filter((row) => row.provider === provider).map((row) => row.at);
  }
  const rows = world.data.points.visible(user.user_id, series.name);
  return rows.filter((row) => row.provider === provider).map((row) => row.start);
}

function resourcesOf(world: World): ProviderPart {
  return (user, provider) => {
    const connection = user.connections.get(provider);
    if (connection === undefined) return null;
    const now = world.timeline.now();
    const lastAttempt = now - (now % ATTEMPTS_EVERY);
    const entries = connection.resources.map((resource) => {
      const times = timesOf(world, user, provider, resource);
      const [oldest] = times;
      const newest = times.at(-1);
      const status = connection.status === 'connected' ? 'success' : 'failure';
      return [
        resource,
        {
          last_attempt: { timestamp: formatTime(lastAttempt), status },
          oldest_data: oldest === undefined ? null : formatTime(oldest),
          newest_data: newest === undefined ? null : formatTime(newest),
          sent_count: times.length,
        },
      ];
    });
    return Object.fromEntries(entries) as Record<string, unknown>;
  };
}

/** Introspection: docs/upstream/introspection.md */
export function installIntrospection(app: FastifyInstance, world: World): void {
  const query = { user_id: uuid, user_limit: queryInteger, next_cursor: text, cursor: text };
  const pulls = {
    querystring: object({ ...query, provider: oneOf([...PROVIDERS, ...LABS.filter((l) => l !== 'manual')]) }),
  };
  app.get('/v2/introspect/historical_pull', { schema: pulls }, (request) =>
    answer(world, 'historical_pull', request, pullsOf(world)),
  );
  const resources = { querystring: object({ ...query, provider: oneOf(PROVIDERS) }) };
  app.get('/v2/introspect/resources', { schema: resources }, (request) =>
    answer(world, 'resources', request, resourcesOf(world)),
  );
}
