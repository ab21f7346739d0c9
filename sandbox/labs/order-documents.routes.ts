import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findLabTest } from '../facts/lab-tests.js';
import { object, queryInteger, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import type { Order } from './order.js';
import { lowLevel } from './order-statuses.js';
import { orderOf } from './orders.routes.js';

const nothing = object({});
const orderPath = { params: object({ order_id: uuid }, ['order_id']) };
const testPath = { params: object({ lab_test_id: uuid }, ['lab_test_id']) };
const labelsQuery = object({ number_of_labels: queryInteger, collection_date: text });

function hasRequisition({ events }: Order): boolean {
  return events.some(({ status }) => lowLevel(status) === 'requisition_created');
}

/** Documents of orders and lab tests: docs/upstream/orders.md#documents */
export function installOrderDocuments(app: FastifyInstance, world: World): void {
  const send = (reply: FastifyReply, order: Order): FastifyReply =>
    reply.type('application/pdf').send(world.resultPdfs.of(order.id, order.document));
  const offer = (path: string, has: (order: Order) => boolean, querystring = nothing): void => {
    app.get(`/v3/order/:order_id/${path}`, { schema: { ...orderPath, querystring } }, (request, reply) => {
      const order = orderOf(world, request);
      if (!has(order)) throw world.wording.plain(404, 'document');
      return send(reply, order);
    });
  };
  offer('requisition/pdf', hasRequisition);
  offer('labels/pdf', hasRequisition, labelsQuery);
  offer('abn_pdf', ({ hasAbn }) => hasAbn);
  offer('collection_instruction_pdf', () => true);
  const schema = { ...testPath, querystring: nothing };
  app.get('/v3/lab_test/:lab_test_id/collection_instruction_pdf', { schema }, (request: FastifyRequest, reply) => {
    const { lab_test_id: id } = request.params as { lab_test_id: string };
    if (findLabTest(id) === undefined) throw world.wording.plain(404, 'lab_test');
    return reply.type('application/pdf').send(world.resultPdfs.of(id, {}));
  });
}
