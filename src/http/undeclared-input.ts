import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { AppError } from '../platform/errors.js';
import { shownName, undeclared } from './validation.js';

interface Declared {
  readonly query: boolean;
  readonly body: boolean;
}

/**
 * Refuses fields that a route does not declare. Where it declares some, validation does that; this is for routes that
 * take no query, or no body, at all: there nobody would look.
 */
export class UndeclaredInput implements NestInterceptor {
  private readonly routes = new WeakMap<object, Declared>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const declared = this.declaredBy(context);
    if (!declared.query) assertEmpty(query);
    if (!declared.body) assertEmpty(body);
    return next.handle();
  }

  private declaredBy(context: ExecutionContext): Declared {
    const handler = context.getHandler();
    const known = this.routes.get(handler);
    if (known) return known;
    const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name);
    const kinds = Object.keys(metadata ?? {}).map(kindOf);
    const isWhole = kinds.includes(RouteParamtypes.REQUEST);
    const declared = {
      query: isWhole || kinds.includes(RouteParamtypes.QUERY),
      body: isWhole || kinds.includes(RouteParamtypes.BODY),
    };
    this.routes.set(handler, declared);
    return declared;
  }
}

/** Of `kind:index`. A decorator of our own has a random name in front, which may well begin with a digit. */
function kindOf(key: string): number {
  return /^\d+:/.test(key) ? Number.parseInt(key, 10) : Number.NaN;
}

function assertEmpty(input: unknown): void {
  if (typeof input !== 'object' || input === null) return;
  const fields = Object.keys(input)
    .slice(0, 50)
    .map((name) => ({ field: shownName(name), message: undeclared }));
  if (fields.length > 0)
    throw new AppError('invalid_request', 'The request has fields that are not known.', { fields });
}
