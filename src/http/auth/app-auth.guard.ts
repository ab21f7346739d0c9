import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblem } from '../server/openapi.js';
import { RoutesAre } from '../server/route-facts.js';
import { identify } from './caller.js';
import { Credentials } from './credentials.js';

/** Name of the security scheme for the customer's access tokens in the OpenAPI document. */
export const appScheme = 'app';

/** Refuses requests without a valid access token. Its account becomes the caller, for `@OwnAccountId()`. */
@Injectable()
export class AppAuthGuard implements CanActivate {
  constructor(private readonly credentials: Credentials) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    identify(request, { accountId: await this.credentials.accountOf(request) });
    return true;
  }
}

/** A controller for the customer's app: guard, bearer scheme, and problems of the guard and the access log. */
export function ForApp(): ClassDecorator {
  return applyDecorators(
    RoutesAre({ caller: 'account' }),
    UseGuards(AppAuthGuard),
    ApiBearerAuth(appScheme),
    ApiProblem('unauthorized', 'verification_unavailable', 'storage_unavailable', 'busy', 'rate_limited'),
  );
}
