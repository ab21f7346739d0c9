import type { FastifyInstance } from 'fastify';
import { HOUR } from '../engine/times.js';
import { DEMO_PROVIDERS, PROVIDERS } from '../facts/enums.js';
import { authTypeOf, isProvider, providerFace, sourceTypesOf } from '../facts/providers.js';
import { invalid, UpstreamAnswer } from '../http/answers.js';
import { listOf, noBody, object, oneOf, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import type { User } from './user.js';

const REFRESHES_AN_HOUR = 8;
const DEMO_DAYS = 30;

const userPath = { params: object({ user_id: uuid }, ['user_id']) };

function userOf(world: World, params: unknown): User {
  return world.users.get((params as { user_id: string }).user_id);
}

function refresh(world: World, user: User): { status: number; body: Record<string, unknown> } {
  const now = world.timeline.now();
  user.refreshes = user.refreshes.filter((at) => at > now - HOUR);
  if (user.refreshes.length >= REFRESHES_AN_HOUR) throw world.wording.plain(429, 'refresh_rate');
  user.refreshes.push(now);
  if (user.connections.size === 0) {
    const body = {
      success: false,
      user_id: user.user_id,
      error: world.wording.of('no_connection'),
      failed_sources: [],
    };
    throw new UpstreamAnswer(400, body);
  }
  const sources = (keep: (status: string, resource: string, provider: string) => boolean): string[] =>
    [...user.connections.values()].flatMap(({ provider, resources, status }) =>
      resources.filter((resource) => keep(status, resource, provider)).map((resource) => `${provider}/${resource}`),
    );
  const isOpen = (resource: string, provider: string): boolean => {
    const status = world.pulls.find(user.user_id, provider, resource)?.status;
    return status !== undefined && status !== 'success' && status !== 'failure';
  };
  const in_progress_sources = sources(
    (status, resource, provider) => status === 'connected' && isOpen(resource, provider),
  );
  const body = {
    success: true,
    user_id: user.user_id,
    refreshed_sources: sources((status, resource, provider) => status === 'connected' && !isOpen(resource, provider)),
    in_progress_sources,
    failed_sources: sources((status) => status === 'error'),
  };
  return { status: in_progress_sources.length > 0 ? 202 : 200, body };
}

function connectDemo(world: World, body: { user_id: string; provider: string }): Record<string, unknown> {
  const user = world.users.get(body.user_id);
  if ([...user.connections.values()].some((connection) => !connection.demo)) {
    throw world.wording.typed(400, 'demo', { error_type: 'INVALID_USER_ID' });
  }
  world.linking.connect(user, body.provider, { demo: true, history: { days: DEMO_DAYS, per_day: 4 } });
  return { success: true, detail: 'Demo connection created' };
}

function installRefresh(app: FastifyInstance, world: World): void {
  const schema = { ...userPath, querystring: object({ timeout: text }), body: noBody };
  app.post('/v2/user/refresh/:user_id', { schema }, (request, reply) => {
    const seconds = Number((request.query as { timeout?: string }).timeout ?? 10);
    if (!(seconds >= 5 && seconds <= 60)) throw invalid(['query', 'timeout'], 'Input should be between 5 and 60');
    const { status, body } = refresh(world, userOf(world, request.params));
    return reply.code(status).send(body);
  });
}

function installDevices(app: FastifyInstance, world: World): void {
  app.get('/v2/user/:user_id/device', { schema: userPath }, (request) =>
    world.connections.devicesOf(userOf(world, request.params).user_id),
  );
  const devicePath = { params: object({ user_id: uuid, device_id: uuid }, ['user_id', 'device_id']) };
  app.get('/v2/user/:user_id/device/:device_id', { schema: devicePath }, (request) => {
    const { device_id: wanted } = request.params as { device_id: string };
    const device = world.connections.devicesOf(userOf(world, request.params).user_id).find(({ id }) => id === wanted);
    if (device === undefined) throw world.wording.plain(404, 'device');
    return device;
  });
}

/** No form is documented, so objects are stored and returned unchanged: connections.md#source-priorities. */
function installPriorities(app: FastifyInstance, { settings }: World): void {
  const path = '/v2/team/source/priorities';
  const querystring = object({ data_type: text });
  app.get(path, { schema: { querystring } }, (request) => {
    const { data_type: wanted } = request.query as { data_type?: string };
    const lists = settings.source_priorities;
    return wanted === undefined ? Object.values(lists).flat() : (lists[wanted] ?? []);
  });
  app.patch(path, { schema: { querystring, body: listOf({ type: 'object' }) } }, (request) => {
    const { data_type: changed = 'timeseries' } = request.query as { data_type?: string };
    settings.source_priorities[changed] = request.body as unknown[];
    return request.body;
  });
}

/**
 * Connections, devices, refresh, priorities and demo: docs/upstream/connections.md,
 * docs/upstream/linking-and-tokens.md#link-token, docs/upstream/environments.md#demo-connections
 */
export function installConnections(app: FastifyInstance, world: World): void {
  app.get('/v2/user/providers/:user_id', { schema: { ...userPath, querystring: object({}) } }, (request) => {
    const user = userOf(world, request.params);
    return { providers: world.connections.list(user) };
  });
  const oneConnection = { params: object({ user_id: uuid, provider: text }, ['user_id', 'provider']), body: noBody };
  app.delete('/v2/user/:user_id/:provider', { schema: oneConnection }, (request) => {
    const user = userOf(world, request.params);
    const { provider } = request.params as { provider: string };
    if (!isProvider(provider)) throw invalid(['path', 'provider'], 'Input should be a provider slug', 'enum');
    world.connections.deregister(user, provider);
    return { success: true };
  });
  const demoBody = object({ user_id: uuid, provider: oneOf(DEMO_PROVIDERS) }, ['user_id', 'provider']);
  app.post('/v2/link/connect/demo', { schema: { body: demoBody } }, (request) =>
    connectDemo(world, request.body as { user_id: string; provider: string }),
  );
  app.get('/v2/providers', { schema: { querystring: object({ source_type: text }) } }, (request) => {
    const { source_type: wanted } = request.query as { source_type?: string };
    const listed = PROVIDERS.filter((slug) => wanted === undefined || sourceTypesOf(slug).includes(wanted));
    return listed.map((slug) => {
      const face = providerFace(slug);
      return { ...face, description: `${face.name} account`, auth_type: authTypeOf(slug), supported_resources: [] };
    });
  });
  installRefresh(app, world);
  installDevices(app, world);
  installPriorities(app, world);
}
