import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toProblem } from '../../http/server/problem.filter.js';
import { AccessLogSearch } from './access-log-search.service.js';
import { RequestRecorder } from './request-recorder.js';

const aboutThePayload = ['content-length', 'content-disposition', 'content-encoding', 'content-range', 'etag'];

/**
 * Holds back every recorded response until its entry is durable, whether from a handler, a guard or a filter; a stream
 * is held back before its first byte. If the entry cannot be stored, the response is replaced by an error such as 503.
 */
export function registerRecordedAnswers(app: NestFastifyApplication): void {
  const recorder = app.get(RequestRecorder);
  const { actions } = app.get(AccessLogSearch);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) actions.add(`${each} ${url}`);
    })
    .addHook('onSend', (request, reply, payload, done) => {
      if (!recorder.concerns(request)) return done(null, payload);
      recorder.recordAnswer(request, reply.statusCode).then(
        () => done(null, payload),
        (error: unknown) => done(null, withheld(request, reply, payload, error)),
      );
    });
}

/** Replaces the response with a problem. Nothing of the original may remain. */
function withheld(request: FastifyRequest, reply: FastifyReply, payload: unknown, error: unknown): string {
  if (isStream(payload)) payload.destroy();
  const { status, headers, body } = toProblem(error, request.id);
  for (const name of aboutThePayload) reply.removeHeader(name);
  void reply.code(status).headers(headers).header('cache-control', 'no-store');
  return JSON.stringify(body);
}

function isStream(payload: unknown): payload is { destroy(): void } {
  return typeof payload === 'object' && payload !== null && 'destroy' in payload && !Buffer.isBuffer(payload);
}
