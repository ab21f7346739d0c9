import type { IncomingHttpHeaders } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { WebhookConfig } from '../config/config.js';
import { LONG_BYTES } from '../events/event.js';
import { ProblemDto } from '../http/openapi.js';
import { bodyTooLarge } from '../server/body-room.js';
import type { DirectRequest, DirectRoute } from '../server/direct-routes.js';
import { readHead } from '../upstream/signature.js';
import { InboxService } from './inbox.service.js';
import { InboxTelemetry } from './inbox.telemetry.js';

/** `POST /webhooks`: the one route whose exact bytes matter, since the signature covers them. */
export function webhookRoute(app: INestApplicationContext): DirectRoute {
  const inbox = app.get(InboxService);
  const telemetry = app.get(InboxTelemetry);
  const { maxBytes } = app.get(WebhookConfig);

  /** Judges the head before any of the body is read; what the sender calls the bytes does not matter. */
  async function handle(request: DirectRequest): Promise<void> {
    const { headers } = request;
    const length = lengthOf(headers, maxBytes);
    inbox.assertOpen(length);
    if (Number(headers['content-length']) > maxBytes) throw bodyTooLarge();
    const head = readHead(headers);
    inbox.assertPlausible(head, length);
    if (length > LONG_BYTES) request.whenEnded(await inbox.admitLong(length));
    await inbox.receive(head, await request.body(maxBytes));
  }

  return { path: '/webhooks', handle, refused: (...problem) => telemetry.refused(...problem) };
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

/** `POST /webhooks` for the OpenAPI document: Nest does not know it. */
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
