import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { AppError } from '../../platform/platform/errors.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import { shownName, undeclared } from './validation.js';

interface Declared {
  readonly query: boolean;
  readonly body: boolean;
}

/**
 * Refuses undeclared fields that validation misses: names that every object inherits, and any query or body of a route
 * that takes none.
 */
export class UndeclaredInput implements NestInterceptor {
  private readonly routes = new OnceFor<object, Declared>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const declared = this.routes.get(context.getHandler(), () => declaredBy(context));
    refuse(namesOf(query).filter((name) => !declared.query || isInherited(name)));
    refuse(namesOf(body).filter((name) => !declared.body || isInherited(name)));
    return next.handle();
  }
}

function declaredBy(context: ExecutionContext): Declared {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  const kinds = Object.keys(metadata ?? {}).map(kindOf);
  const isWhole = kinds.includes(RouteParamtypes.REQUEST);
  return {
    query: isWhole || kinds.includes(RouteParamtypes.QUERY),
    body: isWhole || kinds.includes(RouteParamtypes.BODY),
  };
}

/** Parses `kind:index`. Our own decorators have a random prefix that may begin with a digit. */
function kindOf(key: string): number {
  return /^\d+:/.test(key) ? Number.parseInt(key, 10) : Number.NaN;
}

/** Every object inherits these names, so validation considers them declared. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

function namesOf(input: unknown): string[] {
  return typeof input === 'object' && input !== null ? Object.keys(input) : [];
}

function refuse(names: readonly string[]): void {
  const fields = names.slice(0, 50).map((name) => ({ field: shownName(name), message: undeclared }));
  if (fields.length > 0) throw new AppError('invalid_request', 'The request has unknown fields.', { fields });
}
