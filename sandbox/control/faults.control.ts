import type { FastifyInstance } from 'fastify';
import type { FaultRule } from '../engine/faults.js';
import type { World } from '../world.js';
import { bodies } from './control-schemas.js';

export function installFaultControl(app: FastifyInstance, world: World): void {
  app.post('/control/faults', { schema: { body: bodies.fault } }, (request) => {
    world.faults.add(request.body as FaultRule);
    return { faults: world.faults.list() };
  });
  app.get('/control/faults', () => ({ faults: world.faults.list() }));
  app.delete('/control/faults', () => {
    world.faults.clear();
    return { faults: [] };
  });
}
