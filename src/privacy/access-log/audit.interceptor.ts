import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isWrite, started } from './audit-policy.js';
import { RequestRecorder } from './request-recorder.js';

/**
 * Records an act before it is done, so that none can be done and stay unknown: if the process dies in it, the entry
 * says that it was begun. Its answer gets an entry of its own, as every answer does.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly recorder: RequestRecorder) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isWrite(request.method) && this.recorder.concerns(request)) await this.recorder.record(request, started);
    return next.handle();
  }
}
