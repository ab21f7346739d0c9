import type { FastifyInstance } from 'fastify';
import { truthOf } from '../data/truth.js';
import { countCalls } from '../engine/call-log.js';
import { formatTime } from '../engine/times.js';
import { eventName } from '../facts/catalogue.js';
import { lastStatus } from '../labs/orders.js';
import type { World } from '../world.js';
import { refusal, userOrRefusal } from './control-error.js';

function installCallControl(app: FastifyInstance, world: World): void {
  app.get('/control/calls', (request) => {
    const calls = world.calls.find(request.query as { path?: string; method?: string });
    return { calls, counts: countCalls(calls) };
  });
  app.delete('/control/calls', () => {
    world.calls.clear();
    return { calls: [], counts: {} };
  });
}

function truthOrders({ orders }: World): Record<string, unknown>[] {
  return orders.list().map((order) => ({
    id: order.id,
    order_transaction_id: order.transactionId,
    transaction_status: orders.transactionStatus(order.transactionId),
    origin: order.origin,
    parent_id: order.parentId,
    status: lastStatus(order),
    created_at: formatTime(order.createdAt),
    user_id: order.userId,
  }));
}

function truthStreams({ data, streams }: World, userId: string): Record<string, unknown>[] {
  return data.summaries
    .visible(userId, 'workouts')
    .map(({ object: { id }, at }) => ({ workout_id: id, ...streams.of(id, at).columns }))
    .sort((a, b) => (a.workout_id < b.workout_id ? -1 : 1));
}

/** The log of calls and upstream's true state. */
export function installInspectControl(app: FastifyInstance, world: World): void {
  installCallControl(app, world);
  app.get('/control/truth', (request) => {
    const { user_id: id = '', resource = '' } = request.query as { user_id?: string; resource?: string };
    if (resource === 'workout_stream') return { rows: truthStreams(world, userOrRefusal(world, id).user_id) };
    if (eventName(resource) === null) throw refusal(400, 'no such resource');
    return { rows: truthOf(world.data, userOrRefusal(world, id).user_id, resource) };
  });
  app.get('/control/truth/users', () => ({
    users: world.users.live().map(({ user_id, client_user_id, connections }) => ({
      user_id,
      client_user_id,
      providers: [...connections.keys()],
    })),
  }));
  app.get('/control/truth/orders', () => ({ orders: truthOrders(world) }));
}
