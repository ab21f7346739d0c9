import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROVIDERS } from '../facts/enums.js';
import { invalid, UpstreamAnswer } from '../http/answers.js';
import { date, filledText, listOf, noBody, nullable, object, oneOf, queryInteger, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';
import type { UserFields } from './users.js';

const MAX_LIMIT = 500;

const userFields = {
  client_user_id: filledText,
  fallback_time_zone: nullable(text),
  fallback_birth_date: nullable(date),
  ingestion_start: nullable(date),
  ingestion_end: nullable(date),
};

const userPath = { params: object({ user_id: uuid }, ['user_id']) };

interface UserPath {
  user_id: string;
}

function listUsers(world: World, query: { offset?: string; limit?: string }): Record<string, unknown> {
  const offset = Number(query.offset ?? 0);
  const limit = Number(query.limit ?? 100);
  if (offset < 0 || limit < 1 || limit > MAX_LIMIT) throw new UpstreamAnswer(500, 'Internal Server Error');
  const all = world.users.live();
  const users = all.slice(offset, offset + limit).map((user) => world.users.toWire(user));
  return { users, total: all.length, offset, limit };
}

function metrics(world: World): Record<string, number> {
  const connections = world.users.live().flatMap((user) => [...user.connections.values()]);
  return {
    number_of_users: world.users.live().length,
    number_of_connected_sources: connections.length,
    number_of_errored_connected_sources: connections.filter(({ status }) => status === 'error').length,
    number_of_ordered_tests: world.orders.list().length,
  };
}

const USERS = ['/v2/user', '/v2/user/'] as const;

/** Redirects (307) to the other form of the path if only that one is served (docs/upstream/users.md#create). */
function redirected(world: World, path: (typeof USERS)[number]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { user_slash: slash } = world.settings;
    if (slash === 'both' || (slash === 'with') === path.endsWith('/')) return;
    const query = request.url.slice(path.length);
    await reply
      .code(307)
      .header('location', `/v2/user${slash === 'with' ? '/' : ''}${query}`)
      .send();
  };
}

function installReads(app: FastifyInstance, world: World): void {
  const { users } = world;
  const listSchema = { querystring: object({ offset: queryInteger, limit: queryInteger }) };
  for (const path of USERS) {
    const options = { schema: listSchema, onRequest: redirected(world, path) };
    app.get(path, options, (request) => listUsers(world, request.query as { offset?: string }));
  }
  app.get('/v2/user/metrics', { schema: { querystring: object({}) } }, () => metrics(world));
  app.get('/v2/user/resolve/:client_user_id', { schema: { querystring: object({}) } }, (request) => {
    const user = users.findByClientId((request.params as { client_user_id: string }).client_user_id);
    if (user === undefined) throw world.wording.plain(404, 'user');
    return users.toWire(user);
  });
  app.get('/v2/user/:user_id', { schema: { ...userPath, querystring: object({}) } }, (request) =>
    users.toWire(users.get((request.params as UserPath).user_id)),
  );
  const searchSchema = { querystring: object({ query_id: { ...text, minLength: 2 } }, ['query_id']) };
  app.get('/v2/team/users/search', { schema: searchSchema }, (request) => {
    const { query_id: wanted } = request.query as { query_id: string };
    const found = users.live().filter((user) => user.user_id.includes(wanted) || user.client_user_id.includes(wanted));
    return found.map((user) => users.toWire(user));
  });
}

function installWrites(app: FastifyInstance, world: World): void {
  const { users } = world;
  const createSchema = { body: object(userFields, ['client_user_id']), querystring: object({}) };
  for (const path of USERS) {
    const options = { schema: createSchema, onRequest: redirected(world, path) };
    app.post(path, options, (request) => users.toWire(users.create(request.body as UserFields)));
  }
  app.patch('/v2/user/:user_id', { schema: { ...userPath, body: object(userFields) } }, (request, reply) => {
    users.update((request.params as UserPath).user_id, request.body as Partial<UserFields>);
    return reply.code(204).send();
  });
  app.delete('/v2/user/:user_id', { schema: { ...userPath, body: noBody } }, (request) => {
    users.delete((request.params as UserPath).user_id);
    return { success: true };
  });
  const undoSchema = { querystring: object({ user_id: uuid, client_user_id: filledText }), body: noBody };
  app.post('/v2/user/undo_delete', { schema: undoSchema }, (request) => {
    const by = request.query as { user_id?: string; client_user_id?: string };
    if (Object.keys(by).length !== 1) throw invalid(['query'], 'Exactly one of user_id and client_user_id is required');
    users.undoDelete(by);
    return { success: true };
  });
}

function installTokens(app: FastifyInstance, world: World): void {
  app.post('/v2/user/:user_id/sign_in_token', { schema: { ...userPath, body: noBody } }, (request) => {
    const { user_id } = world.users.get((request.params as UserPath).user_id);
    return { user_id, sign_in_token: world.ids.token('sign in') };
  });
  const redirect = nullable(oneOf(['redirect']));
  const linkSchema = {
    body: object(
      {
        user_id: uuid,
        provider: nullable(oneOf(PROVIDERS)),
        redirect_url: nullable(text),
        filter_on_providers: nullable(listOf(oneOf(PROVIDERS), { minItems: 1 })),
        on_error: redirect,
        on_close: redirect,
      },
      ['user_id'],
    ),
  };
  app.post('/v2/link/token', { schema: linkSchema }, (request) => {
    const body = request.body as Parameters<World['linkTokens']['create']>[0];
    world.users.get(body.user_id);
    if (typeof body.redirect_url === 'string' && !URL.canParse(body.redirect_url)) {
      throw invalid(['body', 'redirect_url'], 'Input should be a valid URL', 'url_parsing');
    }
    const { token } = world.linkTokens.create(body);
    const query = new URLSearchParams({ token, env: 'sandbox', region: 'us' });
    return { link_token: token, link_web_url: `http://${request.host}/link?${query.toString()}` };
  });
}

/** User management and tokens: docs/upstream/users.md, docs/upstream/linking-and-tokens.md */
export function installUsers(app: FastifyInstance, world: World): void {
  installReads(app, world);
  installWrites(app, world);
  installTokens(app, world);
}
