import type { FastifyInstance } from 'fastify';
import { type FaultRule, isDeliveryFault } from '../engine/faults.js';
import type { World } from '../world.js';
import { refusal } from './control-error.js';
import { bodies } from './control-schemas.js';

/** Faults of calls, pages and deliveries, by name. */
export function installFaultControl(app: FastifyInstance, world: World): void {
  app.post('/control/faults', { schema: { body: bodies.fault } }, (request) => {
    const rule = request.body as FaultRule;
    const strikesDeliveries = isDeliveryFault(rule.kind);
    if (!strikesDeliveries && rule.path === undefined) throw refusal(400, `${rule.kind} needs a path`);
    if (strikesDeliveries && rule.path !== undefined) throw refusal(400, `${rule.kind} strikes no path`);
    world.faults.add(rule);
    return { faults: world.faults.list() };
  });
  app.get('/control/faults', () => ({ faults: world.faults.list() }));
  app.delete('/control/faults', (request) => {
    world.faults.clear((request.query as { kind?: string }).kind);
    return { faults: world.faults.list() };
  });
}
