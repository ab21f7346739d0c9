import type { OpenAPIObject } from '@nestjs/swagger';
import { getSchemaPath } from '@nestjs/swagger';
import { ProblemDto } from '../http/openapi.js';

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
        'Stored before it is acknowledged; the same id again is acknowledged and has no effect. The headers may be named webhook-* instead. A verified message is never refused for its content.',
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
        503: { description: 'storage_unavailable, shutting_down; to be sent again', content: problem },
      },
    },
  },
} as unknown as OpenAPIObject['paths'];
