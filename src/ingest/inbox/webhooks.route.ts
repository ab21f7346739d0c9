import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyTooLarge } from '../../http/server/body-room.js';
import { problemResponse } from '../../http/server/openapi.js';
import { toProblem } from '../../http/server/problem.filter.js';
import { WebhookConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { readHead } from '../../upstream/client/signature.js';
import { InboxService } from './inbox.service.js';
import { InboxTelemetry } from './inbox.telemetry.js';

/** Registers `POST /webhooks`, the only route that gets the exact bytes of its body: the signature covers them. */
export function registerWebhookRoute(app: NestFastifyApplication): void {
  const inbox = app.get(InboxService);
  const telemetry = app.get(InboxTelemetry);
  const { maxBytes } = app.get(WebhookConfig);

  /** Checks the headers before the body is read. A body of unknown length counts as short. */
  async function judgeHead({ headers }: FastifyRequest): Promise<void> {
    const length = Number(headers['content-length'] ?? 0);
    inbox.assertOpen(length);
    if (length > maxBytes) throw bodyTooLarge(maxBytes);
    inbox.assertPlausible(readHead(headers), length);
    // Accepts any content type, even an invalid one, which Fastify would refuse.
    delete headers['content-type'];
  }

  async function receive({ headers, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await inbox.receive(readHead(headers), Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    return reply.code(204).send();
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasLeft = raw.destroyed && !raw.complete;
    const refusal = hasLeft ? new AppError('caller_left', 'The client closed the request.') : error;
    const { status, headers, body } = toProblem(refusal, request.id);
    if (!hasLeft) telemetry.refused(body.code, request.id, error);
    void reply.code(status).headers(headers).send(body);
  }

  /** Notes deliveries to other paths, because a wrong URL in upstream's settings would otherwise go unnoticed. */
  function noteMisaddressed({ is404, method, headers, id }: FastifyRequest): void {
    if (is404 && method === 'POST' && readHead(headers) !== null) telemetry.misaddressed(id);
  }

  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, _reply, done) => {
      noteMisaddressed(request);
      done();
    });
  void app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(refuse);
    scope.addHook('onRequest', judgeHead);
    scope.post('/webhooks', { bodyLimit: maxBytes }, receive);
  });
}

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** `POST /webhooks` for the OpenAPI document, because Nest generates only routes of controllers. */
export const webhookPaths = {
  '/webhooks': {
    post: {
      operationId: 'Webhooks_receiveWebhook',
      tags: ['webhooks'],
      summary: 'Receive a signed message from upstream',
      description:
        'The message is stored before it is acknowledged; a repeated id is acknowledged without effect. The headers ' +
        'may also be named webhook-*. A verified message is never refused because of its content.',
      parameters: [
        header('svix-id', 'Message id, the same on every retry and replay'),
        header('svix-timestamp', 'Time of this attempt in seconds since the epoch'),
        header('svix-signature', 'One or more items "v1,base64" separated by spaces; one must match'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        204: { description: 'Stored, now or earlier' },
        400: problemResponse('malformed_webhook'),
        401: problemResponse('bad_signature'),
        413: problemResponse('payload_too_large'),
        415: problemResponse('unsupported_media_type'),
        503: problemResponse('storage_unavailable', 'inbox_behind', 'shutting_down'),
      },
    },
  },
} as unknown as OpenAPIObject['paths'];
