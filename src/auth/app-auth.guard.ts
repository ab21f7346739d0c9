import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblem } from '../http/openapi.js';
import { AppTokenVerifier } from './app-token.verifier.js';
import { bearerOf, identify } from './caller.js';
import { Refusals } from './refusals.js';

/** Name of the customer's access token among the security schemes of the OpenAPI document. */
export const appScheme = 'app';

/** Lets nobody in without a valid access token; the account it names is the caller, for `@OwnAccountId()`. */
@Injectable()
export class AppAuthGuard implements CanActivate {
  constructor(
    private readonly verifier: AppTokenVerifier,
    private readonly refusals: Refusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const accountId = await this.refusals.counted('app', () => this.verifier.verify(bearerOf(request)));
    identify(request, { accountId });
    return true;
  }
}

/** A controller for the customer's app: guard, bearer scheme, problems of the guard and of the access log. */
export function ForApp(): ClassDecorator {
  return applyDecorators(
    UseGuards(AppAuthGuard),
    ApiBearerAuth(appScheme),
    ApiProblem('unauthorized', 'verification_unavailable', 'storage_unavailable'),
  );
}
