import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { installAppointments } from './appointments/appointments.routes.js';
import { installPlaces } from './appointments/places.routes.js';
import { installDataControl } from './control/data.control.js';
import { installDevicesControl } from './control/devices.control.js';
import { installFaultControl } from './control/faults.control.js';
import { installInspectControl } from './control/inspect.control.js';
import { installOrderControl } from './control/orders.control.js';
import { installTimeControl } from './control/time.control.js';
import { installUnmatchedResultControl } from './control/unmatched-results.control.js';
import { installUserControl } from './control/users.control.js';
import { installWebhookControl } from './control/webhooks.control.js';
import { installIntrospection } from './data/introspection.routes.js';
import { installSummaries } from './data/summaries.routes.js';
import { installTimeseries } from './data/timeseries.routes.js';
import { formatTime } from './engine/times.js';
import { UpstreamAnswer } from './http/answers.js';
import { installFaults } from './http/fault-hooks.js';
import { validationItems } from './http/strict.js';
import { compilerOnDemand } from './http/validators.js';
import { installCompendium } from './labs/compendium.routes.js';
import { installLabTests } from './labs/lab-tests.routes.js';
import { installOrderDocuments } from './labs/order-documents.routes.js';
import { installOrders } from './labs/orders.routes.js';
import { installParsingJobs } from './labs/parsing-jobs.routes.js';
import { installResults } from './labs/results.routes.js';
import { installUnmatchedResults } from './labs/unmatched-results.routes.js';
import { installConnections } from './users/connections.routes.js';
import { installLinkPage } from './users/link-page.routes.js';
import { installUsers } from './users/users.routes.js';
import type { World } from './world.js';

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

function isControl(request: FastifyRequest): boolean {
  return request.url.startsWith('/control');
}

/** The hosted page is opened by a browser, which has a link token and no key. */
function isHostedPage(request: FastifyRequest): boolean {
  return request.url.startsWith('/link?') || request.url.startsWith('/link/end?');
}

/**
 * A malformed id of `GET /v2/user/{id}` gets a text instead of a list of errors
 * (docs/upstream/errors-and-limits.md#error-bodies).
 */
function sendInvalid(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isControl(request)) return reply.code(400).send({ error: error.message });
  const items = validationItems(error);
  const badUserPath = request.routeOptions.url === '/v2/user/:user_id' && items[0]?.loc[0] === 'path';
  return reply.code(422).send({ detail: badUserPath ? 'Malformed user id' : items });
}

function sendError(error: FastifyError | UpstreamAnswer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof UpstreamAnswer) {
    if (typeof error.body === 'string') void reply.type('text/plain');
    return reply.code(error.status).send(error.body);
  }
  if (error.validation !== undefined) return sendInvalid(error, request, reply);
  const status = error.statusCode ?? 500;
  if (status >= 500) return reply.code(500).type('text/plain').send('Internal Server Error');
  if (isControl(request)) return reply.code(400).send({ error: error.message });
  return reply.code(422).send({ detail: [{ loc: ['body'], msg: 'Body is not valid JSON', type: 'json_invalid' }] });
}

function installJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch {
      done(Object.assign(new Error('body is not JSON'), { statusCode: 400 }));
    }
  });
}

function installKeyCheck(app: FastifyInstance, world: World, key: { header: string; value: string }): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isControl(request) || isHostedPage(request) || request.headers[key.header] === key.value) return;
    await reply.code(401).send({ detail: world.wording.of('key') });
  });
}

function installCallLog(app: FastifyInstance, world: World): void {
  const log = (request: FastifyRequest, status: number | null): void => {
    if (isControl(request) || isHostedPage(request)) return;
    const urlPath = request.url.split('?')[0] ?? '';
    world.calls.add({
      method: request.method,
      path: request.routeOptions.url ?? urlPath,
      url_path: urlPath,
      status,
      at: formatTime(world.timeline.now()),
      query_keys: Object.keys(request.query as object),
    });
  };
  app.addHook('onRequest', async (request, reply) => {
    let logged = false;
    reply.raw.once('finish', () => {
      if (!logged) log(request, reply.raw.statusCode);
      logged = true;
    });
    reply.raw.once('close', () => {
      if (!logged) log(request, null);
      logged = true;
    });
  });
}

/** The HTTP interface of a sandbox: upstream's paths at the root, and the control API. */
export async function createApp(world: World, key: { header: string; value: string }): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500 },
  });
  app.setValidatorCompiler(await compilerOnDemand());
  installJson(app);
  installCallLog(app, world);
  installFaults(app, world);
  installKeyCheck(app, world, key);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  for (const install of [installUsers, installConnections, installTimeseries, installSummaries, installIntrospection]) {
    install(app, world);
  }
  for (const install of [
    installOrders,
    installResults,
    installOrderDocuments,
    installUnmatchedResults,
    installAppointments,
  ])
    install(app, world);
  for (const install of [installCompendium, installLabTests, installParsingJobs, installPlaces]) install(app, world);
  installLinkPage(app, world);
  for (const install of [installTimeControl, installUserControl, installFaultControl]) install(app, world);
  for (const install of [installDataControl, installDevicesControl, installUnmatchedResultControl]) install(app, world);
  for (const install of [installWebhookControl, installOrderControl, installInspectControl]) install(app, world);
  return app;
}
