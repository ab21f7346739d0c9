import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AdminRole } from '../config/config.js';
import { AppError } from '../platform/errors.js';
import { covers } from './roles.js';

/** The operator behind a request. */
export interface Actor {
  readonly name: string;
  readonly role: AdminRole;
}

export interface Caller {
  readonly accountId?: string;
  /** Who holds the key; the role of the key may still be too low for the route. */
  readonly actor?: Actor;
  /** The least role the route asks of an operator. */
  readonly needed?: AdminRole | undefined;
  /** The route was told to show values that its role alone does not let see. */
  readonly readsValues?: boolean;
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Only the guards call this. */
export function identify(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Who a guard found behind the request; empty before a guard has run and on open routes. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request) ?? {};
}

function fromRequest<T>(context: ExecutionContext, pick: (caller: Caller) => T | undefined): T {
  const found = pick(callerOf(context.switchToHttp().getRequest<FastifyRequest>()));
  if (found === undefined) throw new AppError('internal', 'The route asks for a caller but has no guard.');
  return found;
}

/** Parameter of a `@ForApp()` route: the account id of the access token. */
export const AccountId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.accountId),
);

/**
 * Parameter of a `@ForOperators()` route: whether this key may see health values. For routes that show more to readers
 * than to viewers; asking is what makes the answer an access to values, so there is no other way to ask.
 */
export const MayReadValues = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const may = covers(fromRequest(context, (caller) => caller.actor).role, 'reader');
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (may) identify(request, { ...callerOf(request), readsValues: true });
  return may;
});

/** Parameter of a `@ForOperators()` route: `{name, role}` of the key used. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.actor),
);
