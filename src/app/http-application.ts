import { type Type, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PlaceInterceptor, registerAdmission } from '../http/auth/place.interceptor.js';
import { BodyRoom, registerBodyRoom } from '../http/server/body-room.js';
import { registerCompression } from '../http/server/compression.js';
import { allowOrigins } from '../http/server/cors.js';
import { onlyWhatDocsLoads } from '../http/server/docs-page.js';
import { endKeptConnections } from '../http/server/drain.js';
import { registerEntityTags } from '../http/server/entity-tags.js';
import { registerExpectContinue } from '../http/server/expect-continue.js';
import { FORM_ROOM_BYTES, registerFormBody } from '../http/server/form-body.js';
import { registerHeadStreams } from '../http/server/head-streams.js';
import { registerJsonBody } from '../http/server/json-body.js';
import { ProblemFilter } from '../http/server/problem.filter.js';
import { registerRequestId } from '../http/server/request-id.js';
import { registerRequestMetrics } from '../http/server/request-metrics.js';
import { registerSecurityHeaders } from '../http/server/security-headers.js';
import { onlyProbes, registerStorableAddress, serverLimits, serverOptions } from '../http/server/server-options.js';
import { registerTrace } from '../http/server/trace.js';
import { UndeclaredInput } from '../http/server/undeclared-input.js';
import { validationOptions } from '../http/server/validation.js';
import { registerWrongMethod } from '../http/server/wrong-method.js';
import { Cookies } from '../http/sessions/cookies.js';
import { PublicAddress } from '../http/sessions/public-address.js';
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

/** Assembles the application with its HTTP server; does not listen yet. */
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
  registerRequestId(fastify);
  const workers = app.get(WorkerRegistry);
  endKeptConnections(fastify, () => workers.stopping);
  registerTrace(fastify);
  registerRequestMetrics(fastify, parts.metrics);
  registerStorableAddress(fastify);
  registerSecurityHeaders(fastify);
  allowOrigins(app, config.http.corsOrigins);
  registerJsonBody(fastify);
  registerFormBody(fastify);
  const servesProbesOnly = config.role.role === 'worker';
  if (servesProbesOnly) onlyProbes(fastify);
  registerWrongMethod(fastify);
  onlyWhatDocsLoads(fastify);
  registerAdmission(app);
  registerExpectContinue(fastify);
  registerBodyRoom(fastify, new BodyRoom(parts.metrics), new BodyRoom(parts.metrics, FORM_ROOM_BYTES, 'form'));
  app.useGlobalPipes(new ValidationPipe(validationOptions));
  app.useGlobalInterceptors(new UndeclaredInput(), app.get(PlaceInterceptor), app.get(AuditInterceptor));
  app.useGlobalFilters(new ProblemFilter(parts.log, parts.metrics));
  registerEntityTags(fastify);
  registerRecordedAnswers(app);
  registerHeadStreams(fastify);
  registerCompression(fastify);
  if (!servesProbesOnly) {
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
