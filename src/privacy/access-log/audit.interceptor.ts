import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isWrite, started } from './audit-policy.js';
import { RequestRecorder } from './request-recorder.js';

/**
 * Records an action before it is performed, so that it cannot go unrecorded: if the process dies during the action, the
 * entry shows that it began. The response gets its own entry, like every response.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly recorder: RequestRecorder) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isWrite(request.method) && this.recorder.concerns(request)) await this.recorder.recordAnswer(request, started);
    return next.handle();
  }
}
