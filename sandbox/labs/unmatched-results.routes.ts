import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../http/answers.js';
import { nullable, object, oneOf, queryInteger, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import { type UnmatchedResult, WAITING } from './unmatched-results.js';

interface ListQuery {
  limit?: string;
  next_cursor?: string;
  status?: string;
  decision_code?: string;
  lab_slug?: string;
}

const DEFAULT_LIMIT = 50;
const itemPath = { params: object({ id: uuid }, ['id']) };
const listQuery = object({
  limit: queryInteger,
  next_cursor: text,
  status: text,
  decision_code: text,
  lab_slug: text,
  created_at_start: text,
  created_at_end: text,
});
const acceptBody = nullable(object({ user_id: nullable(uuid), order_id: nullable(uuid), note: nullable(text) }));
const resolveBody = object({ action: oneOf(['reject', 'unsure']), note: nullable(text) }, ['action']);

/** 400 if the team has no review queue. */
function assertQueue(world: World): void {
  if (!world.settings.review_queue) throw world.wording.plain(400, 'review_queue');
}

function itemOf(world: World, request: FastifyRequest): UnmatchedResult {
  assertQueue(world);
  const item = world.unmatchedResults.find((request.params as { id: string }).id);
  if (item === undefined) throw world.wording.plain(404, 'unmatched_result');
  return item;
}

/** An item that waits for the customer; others cannot be reviewed. */
function reviewable(world: World, request: FastifyRequest): UnmatchedResult {
  const item = itemOf(world, request);
  if (item.status !== WAITING) throw world.wording.plain(404, 'unmatched_result');
  return item;
}

function list(
  world: World,
  { limit, next_cursor, status, decision_code, lab_slug }: ListQuery,
): Record<string, unknown> {
  assertQueue(world);
  const query = [status, decision_code, lab_slug];
  const from = next_cursor === undefined ? 0 : world.cursors.decode(query, next_cursor);
  if (typeof from !== 'number') throw invalid(['query', 'next_cursor'], 'Cursor is not valid');
  const size = Math.min(Number(limit ?? DEFAULT_LIMIT), DEFAULT_LIMIT);
  const all = world.unmatchedResults
    .list(status)
    .map((item) => world.unmatchedResults.toWire(item))
    .filter((item) => decision_code === undefined || item.decision_code === decision_code)
    .filter((item) => lab_slug === undefined || (item.lab as { slug: string }).slug === lab_slug);
  const next = from + size < all.length ? world.cursors.encode(query, from + size) : null;
  return { data: all.slice(from, from + size), next_cursor: next, total: all.length };
}

function given(body: unknown): { user_id?: string; order_id?: string } {
  const filled = Object.entries((body as Record<string, unknown> | null) ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(filled);
}

/** Unmatched results: docs/upstream/unmatched-results.md */
export function installUnmatchedResults(app: FastifyInstance, world: World): void {
  app.get('/v3/unmatched_result', { schema: { querystring: listQuery } }, (request) =>
    list(world, request.query as ListQuery),
  );
  app.get('/v3/unmatched_result/:id', { schema: itemPath }, (request) =>
    world.unmatchedResults.toWire(itemOf(world, request)),
  );
  app.post('/v3/unmatched_result/:id/accept', { schema: { ...itemPath, body: acceptBody } }, (request) => {
    const order = world.unmatchedResults.accept(reviewable(world, request), given(request.body));
    if (order === null) throw invalid(['body', 'order_id'], 'The result cannot be attached to this order');
    return world.orders.toWire(order);
  });
  app.post('/v3/unmatched_result/:id/resolve', { schema: { ...itemPath, body: resolveBody } }, (request) => {
    const item = reviewable(world, request);
    world.unmatchedResults.resolve(item, (request.body as { action: string }).action);
    return world.unmatchedResults.toWire(item);
  });
}
