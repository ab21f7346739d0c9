import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { WebhookConfig } from '../config/config.js';
import { toProblem } from '../http/problem.filter.js';
import { InboxService } from './inbox.service.js';
import { InboxTelemetry } from './inbox.telemetry.js';

/*
 * The one route whose exact bytes matter: the signature covers them. It lives in a scope of its own on Nest's Fastify
 * instance, where every body stays a Buffer and none of Nest's pipeline runs (docs/decisions/0001-fastify.md).
 */

const noBytes = Buffer.alloc(0);
const anyType = 'application/octet-stream';

/** Adds `POST /webhooks`. Call it once the application is made and before it listens. */
export function registerWebhookRoute(app: NestFastifyApplication): void {
  const inbox = app.get(InboxService);
  const events = app.get(InboxTelemetry);
  const { maxBytes } = app.get(WebhookConfig);
  const fastify = app.getHttpAdapter().getInstance();
  void fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = toProblem(error, request.id);
      events.refused(body.code, request.id, error);
      return reply.code(status).headers(headers).send(body);
    });
    scope.addHook('onRequest', (request, _reply, done) => {
      inbox.assertOpen();
      // What the sender calls the bytes is not ours to judge: the framework would refuse a type it cannot read.
      request.headers['content-type'] = anyType;
      done();
    });
    scope.post('/webhooks', { bodyLimit: maxBytes, helmet: false }, async (request, reply) => {
      await inbox.receive(request.headers, (request.body as Buffer | undefined) ?? noBytes);
      return reply.code(204).send();
    });
  });
}
