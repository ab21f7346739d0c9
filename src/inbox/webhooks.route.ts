import type { IncomingHttpHeaders } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { WebhookConfig } from '../config/config.js';
import { LONG_BYTES } from '../events/event.js';
import { ProblemDto } from '../http/openapi.js';
import { toProblem } from '../http/problem.filter.js';
import { AppError } from '../platform/errors.js';
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
  const telemetry = app.get(InboxTelemetry);
  const { maxBytes } = app.get(WebhookConfig);
  const fastify = app.getHttpAdapter().getInstance();
  void fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = toProblem(error, request.id);
      telemetry.refused(body.code, request.id, error);
      return reply.code(status).headers(headers).send(body);
    });
    scope.addHook('onRequest', (request, reply, done) => {
      const length = lengthOf(request.headers, maxBytes);
      inbox.assertOpen(length);
      if (Number(request.headers['content-length']) > maxBytes) throw tooLarge();
      inbox.assertPlausible(request.headers, length);
      // What the sender calls the bytes is not ours to judge: the framework would refuse a type it cannot read.
      request.headers['content-type'] = anyType;
      if (length <= LONG_BYTES) return done();
      inbox.admitLong(length).then((giveBack) => {
        if (request.raw.destroyed) giveBack();
        else reply.raw.once('close', giveBack);
        done();
      }, done);
    });
    scope.post('/webhooks', { bodyLimit: maxBytes, helmet: false }, async (request, reply) => {
      await inbox.receive(request.headers, (request.body as Buffer | undefined) ?? noBytes);
      return reply.code(204).send();
    });
  });
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', 'The body is too large.');
}

/** As long as it may be, where the sender does not say; one said to be longer is refused before it is read. */
function lengthOf({ 'content-length': length }: IncomingHttpHeaders, maxBytes: number): number {
  return length === undefined ? maxBytes : Math.min(Number(length), maxBytes);
}

const problem = { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } };

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** `POST /webhooks` for the OpenAPI document: the route is Fastify's own, so Nest does not know it. */
export const webhookPaths = {
  '/webhooks': {
    post: {
      operationId: 'Webhooks_receive',
      tags: ['webhooks'],
      summary: 'Takes a signed message from upstream',
      description:
        'Stored before it is acknowledged; the same id again is acknowledged and has no effect. The headers may be ' +
        'named webhook-* instead. A verified message is never refused for its content.',
      parameters: [
        header('svix-id', 'Id of the message, the same on every retry and replay'),
        header('svix-timestamp', 'Time of this attempt in whole seconds since the epoch'),
        header('svix-signature', 'One or more items "v1,base64" separated by spaces; one must match'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        204: { description: 'Stored, now or before' },
        400: { description: 'malformed_webhook', content: problem },
        401: { description: 'bad_signature: no match, or sent too long ago or ahead', content: problem },
        413: { description: 'payload_too_large', content: problem },
        503: { description: 'storage_unavailable, inbox_behind, shutting_down; to be sent again', content: problem },
      },
    },
  },
} as unknown as OpenAPIObject['paths'];
