import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import type { RouteFacts } from '../server/route-facts.js';
import { Admission } from './admission.service.js';

/** Paths whose every route is for callers with credentials. */
const guarded = /^\/(?:admin\/)?v1\//;

/**
 * Runs the handler of every route with credentials in a slot of its kind, and releases the slot when the handler ends.
 */
@Injectable()
export class PlaceInterceptor implements NestInterceptor {
  constructor(private readonly admission: Admission) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const giveBack = await this.admission.place(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return next.handle().pipe(finalize(giveBack));
  }
}

/** Checks every request by its headers, before its body is read. A route without a kind of callers does not start. */
export function registerAdmission(app: NestFastifyApplication): void {
  const admission = app.get(Admission);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', ({ url, config }) => {
    const { caller }: RouteFacts = config ?? {};
    if (caller === undefined && guarded.test(url)) throw new TypeError(`${url} has neither @ForApp nor @ForOperators`);
  });
  fastify.addHook('onRequest', (request, reply) => admission.admit(request, reply));
  // Not earlier: later hooks run in the connection's context until the body was read.
  fastify.addHook('preValidation', (request, _reply, done) => admission.within(request, done));
}
