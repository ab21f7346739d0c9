import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { object, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import type { Order } from './order.js';
import { embeddedTransaction, transactionWire } from './order-shapes.js';
import { orderOf } from './orders.routes.js';
import { hasAnyResult, resultMetadata, resultsWire } from './results.js';

const orderPath = { params: object({ order_id: uuid }, ['order_id']), querystring: object({}) };
const transactionPath = { params: object({ transaction_id: uuid }, ['transaction_id']), querystring: object({}) };

function embedded(world: World, id: string): Record<string, unknown> {
  return embeddedTransaction(world.orders.inTransaction(id), { id, status: world.orders.transactionStatus(id) });
}

function transactionOf(world: World, request: FastifyRequest): { id: string; orders: Order[] } {
  const id = (request.params as { transaction_id: string }).transaction_id.toLowerCase();
  const orders = world.orders.inTransaction(id);
  if (orders.length === 0) throw world.wording.plain(404, 'transaction');
  return { id, orders };
}

function results(world: World, orders: Order[], transactionId: string): Record<string, unknown> {
  const found = resultsWire(world.ids, orders, embedded(world, transactionId));
  if (found === null) throw world.wording.plain(404, 'result');
  return found;
}

function sendPdf(world: World, orders: Order[], reply: FastifyReply): FastifyReply {
  const newest = orders.filter(hasAnyResult).at(-1);
  if (newest === undefined) throw world.wording.plain(404, 'result');
  return reply.type('application/pdf').send(world.resultPdfs.of(newest.id, newest.result));
}

/** Results of orders and transactions: docs/upstream/results.md, docs/upstream/orders.md#two-shapes */
export function installResults(app: FastifyInstance, world: World): void {
  app.get('/v3/order/:order_id/result', { schema: orderPath }, (request) => {
    const order = orderOf(world, request);
    return results(world, [order], order.transactionId);
  });
  app.get('/v3/order/:order_id/result/metadata', { schema: orderPath }, (request) => {
    const order = orderOf(world, request);
    if (!hasAnyResult(order)) throw world.wording.plain(404, 'result');
    return resultMetadata(order);
  });
  app.get('/v3/order/:order_id/result/pdf', { schema: orderPath }, (request, reply) =>
    sendPdf(world, [orderOf(world, request)], reply),
  );
  app.get('/v3/order_transaction/:transaction_id', { schema: transactionPath }, (request) => {
    const { id, orders } = transactionOf(world, request);
    return transactionWire(orders, { id, status: world.orders.transactionStatus(id), teamId: world.teamId });
  });
  app.get('/v3/order_transaction/:transaction_id/result', { schema: transactionPath }, (request) => {
    const { id, orders } = transactionOf(world, request);
    return results(world, orders, id);
  });
  app.get('/v3/order_transaction/:transaction_id/result/pdf', { schema: transactionPath }, (request, reply) =>
    sendPdf(world, transactionOf(world, request).orders, reply),
  );
}
