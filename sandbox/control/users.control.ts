import type { FastifyInstance } from 'fastify';
import type { PullPlan } from '../data/pulls.js';
import { eventName } from '../facts/catalogue.js';
import { choiceOf } from '../users/link-page.routes.js';
import type { LinkOptions } from '../users/linking.js';
import type { User } from '../users/user.js';
import type { World } from '../world.js';
import { refusal, userOrRefusal } from './control-error.js';
import { bodies } from './control-schemas.js';

interface Place {
  user_id: string;
  provider: string;
}

/** Users with ids from `prefix-00001` on, or one with the given id. */
export function makeUsers(world: World, body: { client_user_id?: string; count?: number; prefix?: string }): User[] {
  if (body.client_user_id !== undefined) return [world.users.create({ client_user_id: body.client_user_id })];
  return Array.from({ length: body.count ?? 1 }, () => {
    const number = String(world.ids.integer(`prefix ${body.prefix ?? 'user'}`)).padStart(5, '0');
    return world.users.create({ client_user_id: `${body.prefix ?? 'user'}-${number}` });
  });
}

function pullAgain(world: World, body: Place & { resources?: string[]; plan?: PullPlan }): Record<string, unknown> {
  const user = userOrRefusal(world, body.user_id);
  const connection = user.connections.get(body.provider);
  if (connection === undefined) throw refusal(404, 'no such connection');
  const resources = body.resources?.map((name) => eventName(name) ?? name) ?? connection.resources;
  connection.resources = [...new Set([...connection.resources, ...resources])];
  for (const resource of resources) world.pulls.schedule(user, body.provider, resource, body.plan ?? {});
  return { resources };
}

function installConnectionControl(app: FastifyInstance, world: World): void {
  app.post('/control/connections', { schema: { body: bodies.connections } }, (request) => {
    const { user_id, provider, ...options } = request.body as Place & LinkOptions;
    const { connection, pulls } = world.linking.connect(userOrRefusal(world, user_id), provider, options);
    return { connection: world.connections.toWire(connection), resources: pulls.map(({ resource }) => resource) };
  });
  app.post('/control/link', { schema: { body: bodies.link } }, (request) => {
    const body = request.body as LinkOptions & { link_token: string; provider?: string; outcome?: string };
    const { link_token, provider, outcome, ...options } = body;
    const chosen = { ...(provider === undefined ? {} : { provider }), ...(outcome === undefined ? {} : { outcome }) };
    return world.linking.withToken(link_token, { ...choiceOf(world), ...chosen }, options);
  });
  app.post('/control/connections/error', { schema: { body: bodies.breakConnection } }, (request) => {
    const body = request.body as Place & { error_type: string; message?: string };
    const user = userOrRefusal(world, body.user_id);
    const message = body.message ?? 'The provider refused the connection';
    world.connections.break(user, body.provider, { type: body.error_type, message });
    return { success: true };
  });
  app.post('/control/connections/sync', { schema: { body: bodies.phoneSync } }, (request) => {
    const { user_id, provider } = request.body as Place;
    const user = userOrRefusal(world, user_id);
    return { connected_again: world.settings.automatic_connection && world.connections.syncPhone(user, provider) };
  });
  app.post('/control/connections/pull', { schema: { body: bodies.pull } }, (request) =>
    pullAgain(world, request.body as Place),
  );
  app.post('/control/devices', { schema: { body: bodies.device } }, (request) => {
    const body = request.body as Place & { source_type: string; device_model?: string; notify?: boolean };
    const { provider, source_type, device_model: model, notify = true } = body;
    const options = { provider, source_type, notify, ...(model === undefined ? {} : { model }) };
    return world.connections.addDevice(userOrRefusal(world, body.user_id), options);
  });
  app.post('/control/devices/remove', { schema: { body: bodies.deviceRemoval } }, (request) => {
    const { user_id, device_id } = request.body as { user_id: string; device_id: string };
    if (!world.connections.removeDevice(user_id, device_id)) throw refusal(404, 'no such device');
    return { success: true };
  });
}

/** Users, connections, links and devices. */
export function installUserControl(app: FastifyInstance, world: World): void {
  app.post('/control/users', { schema: { body: bodies.users } }, (request) => ({
    users: makeUsers(world, request.body as { count?: number }).map((user) => world.users.toWire(user)),
  }));
  app.post('/control/users/:id/erase', (request) => {
    if (!world.users.erase((request.params as { id: string }).id)) throw refusal(404, 'no such user');
    return { success: true };
  });
  installConnectionControl(app, world);
}
