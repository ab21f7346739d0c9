import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY } from '../engine/times.js';
import { invalid, UpstreamAnswer } from '../http/answers.js';
import { failureAfter } from '../http/fault-hooks.js';
import { noBody, object, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import { IdempotencyKeys, type Outcome } from './idempotency.js';
import type { Order } from './order.js';
import { type ListQuery, listOrders } from './order-list.js';
import { createOrderBody, listOrdersQuery, resendBody, simulateBody, simulateQuery } from './order-schemas.js';
import { isCancellable, lowLevel } from './order-statuses.js';
import { lastStatus } from './orders.js';
import { checkAnswers, chooseLabTest, detailsOf, type OrderRequest } from './placing.js';

const RESEND_WINDOW_MS = 60 * DAY;

const orderPath = { params: object({ order_id: uuid }, ['order_id']) };

/** The order of the path, or upstream's 404. */
export function orderOf(world: World, request: FastifyRequest): Order {
  const order = world.orders.find((request.params as { order_id: string }).order_id);
  if (order === undefined) throw world.wording.plain(404, 'order');
  return order;
}

function envelope(world: World, order: Order, message: string): Record<string, unknown> {
  return { order: world.orders.toWire(order), status: 'success', message };
}

/**
 * Runs an action once per idempotency key and always returns its first outcome. Other requests with the key get 409
 * until there is one. A fault that hides a success makes the outcome a failure.
 */
export async function once(
  keys: IdempotencyKeys,
  request: FastifyRequest,
  reply: FastifyReply,
  action: () => unknown,
): Promise<unknown> {
  const key = request.headers['x-idempotency-key'];
  const noCache = request.headers['x-idempotency-error'] === 'no-cache';
  if (typeof key === 'string') {
    keys.begin(key);
    for (const end of ['finish', 'close']) reply.raw.once(end, () => keys.end(key));
  }
  const stored = typeof key === 'string' ? keys.find(key) : null;
  const outcome = stored ?? run(action);
  const told = failureAfter(request) ?? outcome.status;
  if (stored === null && typeof key === 'string') keys.keep(key, { ...outcome, status: told }, noCache);
  return reply.code(outcome.status).send(outcome.body);
}

function run(action: () => unknown): Outcome {
  try {
    return { status: 200, body: action() };
  } catch (error) {
    if (error instanceof UpstreamAnswer) return { status: error.status, body: error.body };
    throw error;
  }
}

function place(world: World, body: OrderRequest): Record<string, unknown> {
  const user = world.users.get(body.user_id);
  const labTest = chooseLabTest(body, world.wording);
  checkAnswers(body, labTest, world.wording);
  const order = world.orders.create({ userId: user.user_id, labTest, details: detailsOf(body) });
  return envelope(world, order, 'order placed');
}

function cancel(world: World, order: Order): Record<string, unknown> {
  if (!isCancellable(lastStatus(order))) throw world.wording.refused('cancel');
  world.orders.step(order, 'cancelled');
  if (order.labTest.method === 'at_home_phlebotomy') world.appointments.cancelFor(order);
  return envelope(world, order, 'order cancelled');
}

interface Simulation {
  interpretation?: string;
  result_types?: string[] | null;
  has_missing_results?: boolean;
}

function simulate(world: World, order: Order, request: FastifyRequest): string {
  const { final_status: final, delay } = request.query as { final_status?: string; delay?: string };
  const wanted = (request.body as Simulation | null) ?? {};
  order.interpretation = wanted.interpretation ?? 'normal';
  order.missingResults = wanted.has_missing_results ?? false;
  order.simulation = { types: wanted.result_types ?? [], critical: wanted.interpretation === 'critical' };
  const target = final ?? 'completed';
  const known = final === undefined || final.split('.').length === 3;
  if (!known || !world.orders.walk(order, lowLevel(target), Number(delay ?? 0))) {
    throw invalid(['query', 'final_status'], 'Input is not a status of this order', 'enum');
  }
  return 'Success';
}

function resend(
  world: World,
  body: { order_ids?: string[] | null; start_at?: string | null; end_at?: string | null },
): string[] {
  const { order_ids: ids, start_at: start, end_at: end } = body;
  const byTime = typeof start === 'string' && typeof end === 'string';
  if (!byTime && !Array.isArray(ids)) throw invalid(['body'], 'Give order_ids, or start_at and end_at');
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  if (byTime && to - from > RESEND_WINDOW_MS) throw invalid(['body', 'end_at'], 'Window is longer than 60 days');
  const wanted = (order: Order): boolean =>
    Array.isArray(ids) ? ids.includes(order.id) : order.updatedAt >= from && order.updatedAt <= to;
  const orders = world.orders.list().filter(wanted);
  for (const order of orders) world.orders.resend(order);
  return orders.map(({ id }) => id);
}

function installPlacing(app: FastifyInstance, world: World): void {
  const keys = new IdempotencyKeys(world);
  app.post('/v3/order', { schema: { body: createOrderBody, querystring: object({}) } }, (request, reply) =>
    once(keys, request, reply, () => place(world, request.body as OrderRequest)),
  );
  app.post('/v3/order/:order_id/cancel', { schema: { ...orderPath, body: noBody } }, (request) =>
    cancel(world, orderOf(world, request)),
  );
  const testSchema = { ...orderPath, body: simulateBody, querystring: simulateQuery };
  app.post('/v3/order/:order_id/test', { schema: testSchema }, (request, reply) =>
    reply.type('application/json').send(JSON.stringify(simulate(world, orderOf(world, request), request))),
  );
  app.post('/v3/order/resend_events', { schema: { body: resendBody } }, (request) => ({
    order_ids: resend(world, request.body as Parameters<typeof resend>[1]),
  }));
}

/** Orders: docs/upstream/orders.md */
export function installOrders(app: FastifyInstance, world: World): void {
  installPlacing(app, world);
  app.get('/v3/orders', { schema: { querystring: listOrdersQuery } }, (request) => {
    const { rows, ...paging } = listOrders(world.orders.list(), request.query as ListQuery);
    return { orders: rows.map((order) => world.orders.toWire(order)), ...paging };
  });
  app.get('/v3/order/:order_id', { schema: { ...orderPath, querystring: object({}) } }, (request) =>
    world.orders.toWire(orderOf(world, request)),
  );
}
