import { type Type, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Cookies } from '../http/auth/cookies.js';
import { PlaceInterceptor, registerAdmission } from '../http/auth/place.interceptor.js';
import { PublicAddress } from '../http/auth/public-address.js';
import { BodyRoom, registerBodyRoom } from '../http/server/body-room.js';
import { registerCompression } from '../http/server/compression.js';
import { allowOrigins } from '../http/server/cors.js';
import { onlyWhatDocsLoads } from '../http/server/docs-page.js';
import { endKeptConnections } from '../http/server/drain.js';
import { registerEntityTags } from '../http/server/entity-tags.js';
import { registerExpectContinue } from '../http/server/expect-continue.js';
import { registerFormBody } from '../http/server/form-body.js';
import { registerHeadStreams } from '../http/server/head-streams.js';
import { registerJsonBody } from '../http/server/json-body.js';
import { ProblemFilter } from '../http/server/problem.filter.js';
import { registerRequestId } from '../http/server/request-id.js';
import { registerRequestMetrics } from '../http/server/request-metrics.js';
import { registerSecurityHeaders } from '../http/server/security-headers.js';
import { onlyProbes, registerStorableAddress, serverLimits, serverOptions } from '../http/server/server-options.js';
import { registerTrace } from '../http/server/trace.js';
import { MAX_FORM_ROOM_BYTES } from '../http/server/tuning.js';
import { UndeclaredInput } from '../http/server/undeclared-input.js';
import { validationOptions } from '../http/server/validation.js';
import { registerWrongMethod } from '../http/server/wrong-method.js';
import { registerWebhookRoute } from '../ingest/inbox/webhooks.route.js';
import { registerConsole } from '../operations/console/console-files.js';
import { PeopleSignIn } from '../operations/console/people-sign-in.service.js';
import type { Config } from '../platform/config/config.js';
import type { PlatformParts } from '../platform/platform.module.js';
import { AuditInterceptor } from '../privacy/access-log/audit.interceptor.js';
import { registerRecordedAnswers } from '../privacy/access-log/recorded-answers.js';
import type { Store } from '../storage/database/store.js';
import { WorkerRegistry } from '../storage/work/worker-registry.js';
import { AppModule } from './app.module.js';
import { setupOpenApi } from './openapi/openapi.js';

/**
 * Assembles the application with its HTTP server; does not listen yet. All hooks are registered before any route,
 * because some of them look at every route.
 */
export async function createHttpApplication(
  config: Config,
  parts: PlatformParts,
  store: Store,
  modules: readonly Type[],
): Promise<NestFastifyApplication> {
  const keptMs = config.http.keepAliveSeconds * 1_000;
  const adapter = new FastifyAdapter(serverOptions(config.http.trustedProxies, { ...serverLimits, keptMs }));
  const module = AppModule.register(config, parts, store, modules);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  beforeTheBody(app, config, parts);
  aroundTheHandler(app, parts);
  onTheWayOut(app, parts);
  if (!servesProbesOnly(config)) {
    registerWebhookRoute(app);
    await registerConsole(fastify, {
      people: app.get(PeopleSignIn, { strict: false }),
      cookies: app.get(Cookies),
      address: app.get(PublicAddress),
    });
  }
  setupOpenApi(app);
  await app.init();
  await fastify.ready();
  return app;
}

function servesProbesOnly({ role }: Config): boolean {
  return role.role === 'worker';
}

/**
 * What a request passes before its body is parsed, in this order: what every response needs, refusals by the path
 * alone, refusals by the headers (credentials, limits, length), and last the room for its body.
 */
function beforeTheBody(app: NestFastifyApplication, config: Config, { metrics }: PlatformParts): void {
  const fastify = app.getHttpAdapter().getInstance();
  const workers = app.get(WorkerRegistry);
  registerRequestId(fastify);
  endKeptConnections(fastify, () => workers.stopping);
  registerTrace(fastify);
  registerStorableAddress(fastify);
  registerSecurityHeaders(fastify);
  allowOrigins(app, config.http.corsOrigins);
  if (servesProbesOnly(config)) onlyProbes(fastify);
  registerWrongMethod(fastify);
  onlyWhatDocsLoads(fastify);
  registerAdmission(app);
  registerJsonBody(fastify);
  registerFormBody(fastify);
  registerExpectContinue(fastify);
  registerBodyRoom(fastify, new BodyRoom(metrics), new BodyRoom(metrics, MAX_FORM_ROOM_BYTES, 'form'));
}

/** After the guards: undeclared input is refused before a place is taken, an action recorded once it has its place. */
function aroundTheHandler(app: NestFastifyApplication, { log, metrics }: PlatformParts): void {
  app.useGlobalPipes(new ValidationPipe(validationOptions));
  app.useGlobalInterceptors(new UndeclaredInput(), app.get(PlaceInterceptor), app.get(AuditInterceptor));
  app.useGlobalFilters(new ProblemFilter(log, metrics));
}

/** Each sees what the one before it left of the response: a 304 is recorded as one; what is sent is compressed. */
function onTheWayOut(app: NestFastifyApplication, { metrics }: PlatformParts): void {
  const fastify = app.getHttpAdapter().getInstance();
  registerEntityTags(fastify);
  registerRecordedAnswers(app);
  registerHeadStreams(fastify);
  registerCompression(fastify);
  registerRequestMetrics(fastify, metrics);
}
