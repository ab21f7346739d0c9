import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type UnmatchedResult, WAITING } from '../labs/unmatched-results.js';
import type { World } from '../world.js';
import { refusal } from './control-error.js';
import { bodies } from './control-schemas.js';

interface CreateBody {
  order_ids?: string[];
  status?: string;
  decision_code?: string;
  attaches?: UnmatchedResult['attaches'];
  fields?: Record<string, unknown>;
  user_id?: string;
  notify?: boolean;
}

function create(world: World, body: CreateBody): unknown {
  const orders = (body.order_ids ?? []).map((id) => world.orders.find(id) ?? unknownOrder());
  const item = world.unmatchedResults.create({
    orders,
    status: body.status ?? WAITING,
    decisionCode: body.decision_code ?? 'multiple_demo_match',
    attaches: body.attaches ?? 'candidate',
    fields: body.fields ?? {},
    notify: body.notify ?? true,
    ...(body.user_id !== undefined && { userId: body.user_id }),
  });
  return { unmatched_result: world.unmatchedResults.toWire(item) };
}

function unknownOrder(): never {
  throw refusal(404, 'no such order');
}

/** Creates and changes, from outside the API, results that could not be attached to an order. */
export function installUnmatchedResultControl(app: FastifyInstance, world: World): void {
  app.post('/control/unmatched-results', { schema: { body: bodies.unmatchedResult } }, (request) =>
    create(world, request.body as CreateBody),
  );
  app.post('/control/unmatched-results/:id/hide', (request: FastifyRequest) => {
    const item = world.unmatchedResults.find((request.params as { id: string }).id);
    if (item === undefined) throw refusal(404, 'no such unmatched result');
    item.hidden = true;
    return { success: true };
  });
}
