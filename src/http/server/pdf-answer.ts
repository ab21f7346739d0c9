import type { Readable } from 'node:stream';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { leftSignal } from './caller-left.js';

/** Documents a 200 with a PDF from `answerPdf`. */
export function ApiPdf(): MethodDecorator {
  return ApiOkResponse({
    description: 'Streamed; if the connection drops, the file is incomplete.',
    content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
  });
}

/**
 * Streams a PDF as a file of this name. An error before the first byte is a normal error response; a later one cuts the
 * connection, so a partial file is recognised as incomplete. The stream ends when the caller leaves.
 */
export async function answerPdf(
  reply: FastifyReply,
  name: string,
  open: (gone: AbortSignal) => Promise<Readable>,
): Promise<void> {
  const pdf = await open(leftSignal(reply.request.raw, reply.raw));
  void reply
    .type('application/pdf')
    .headers({ 'content-disposition': `attachment; filename="${fileName(name)}.pdf"` })
    .send(pdf);
}

/** Ids are normally UUIDs; other characters are replaced, so that none can end the quoted name. */
function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}
