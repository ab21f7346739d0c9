import { type Type, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuditInterceptor } from './access-log/audit.interceptor.js';
import { registerRecordedAnswers } from './access-log/recorded-answers.js';
import { registerAdmission } from './admission/early-admission.js';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import type { Store } from './database/store.js';
import { allowOrigins } from './http/cors.js';
import { endKeptConnections } from './http/drain.js';
import { registerJsonBody } from './http/json-body.js';
import { ProblemFilter } from './http/problem.filter.js';
import { registerRequestId } from './http/request-id.js';
import { registerSecurityHeaders } from './http/security-headers.js';
import { UndeclaredInput } from './http/undeclared-input.js';
import { validationOptions } from './http/validation.js';
import { registerWebhookRoute } from './inbox/webhooks.route.js';
import { setupOpenApi } from './openapi.js';
import type { Parts } from './parts.js';
import { BodyRoom, registerBodyRoom } from './server/body-room.js';
import { registerCompression } from './server/compression.js';
import { limitConnections } from './server/connection-limit.js';
import { onlyWhatDocsLoads } from './server/docs-page.js';
import { registerExpectContinue } from './server/expect-continue.js';
import { registerRequestMetrics } from './server/request-metrics.js';
import { onlyProbes, registerStorableAddress, serverOptions } from './server/server-options.js';
import { registerTrace } from './server/trace.js';
import { registerWrongMethod } from './server/wrong-method.js';
import { WorkerRegistry } from './work/worker-registry.js';

/** The application with everything that is around its routes; it does not listen yet. */
export async function createHttpApplication(
  config: Config,
  parts: Parts,
  store: Store,
  modules: readonly Type[],
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter(serverOptions(config.http.trustedProxies));
  const module = AppModule.register(config, parts, store, modules);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  const { connectionsPerAddress: perAddress, trustedProxies } = config.http;
  limitConnections(fastify.server, { perAddress, trustedProxies }, parts.metrics);
  registerRequestId(fastify);
  const workers = app.get(WorkerRegistry);
  endKeptConnections(fastify, () => workers.stopping);
  registerTrace(fastify);
  registerRequestMetrics(fastify, parts.metrics);
  registerStorableAddress(fastify);
  await registerSecurityHeaders(fastify);
  allowOrigins(app, config.http.corsOrigins);
  registerJsonBody(fastify);
  const servesProbesOnly = config.role.role === 'worker';
  if (servesProbesOnly) onlyProbes(fastify);
  registerWrongMethod(fastify);
  onlyWhatDocsLoads(fastify);
  registerAdmission(app);
  registerExpectContinue(fastify);
  registerBodyRoom(fastify, new BodyRoom(parts.metrics));
  app.useGlobalPipes(new ValidationPipe(validationOptions));
  app.useGlobalInterceptors(new UndeclaredInput(), app.get(AuditInterceptor));
  app.useGlobalFilters(new ProblemFilter(parts.log, parts.metrics));
  registerRecordedAnswers(app);
  registerCompression(fastify);
  if (!servesProbesOnly) registerWebhookRoute(app);
  if (config.http.apiDocs) setupOpenApi(app);
  await app.init();
  await fastify.ready();
  return app;
}
