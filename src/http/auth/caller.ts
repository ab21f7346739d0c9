import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AdminRole, admits, type RankedRole, seesValues } from '../../platform/config/admin-roles.js';
import { AppError } from '../../platform/platform/errors.js';
import type { ExternalAccountId } from '../../platform/platform/ids.js';
import { noCredentials } from '../server/problem.filter.js';
import { reasonRequired } from './access-reason.js';

/** The operator behind a request. */
export interface Actor {
  readonly name: string;
  readonly role: AdminRole;
}

export interface Caller {
  readonly accountId?: ExternalAccountId;
  /** Who holds the key; the role of the key may still be too low for the route. */
  readonly actor?: Actor;
  /** The least role the route asks of an operator. */
  readonly needed?: RankedRole | undefined;
  /** Why an operator reads or acts, as the request says. */
  readonly reason?: string | undefined;
  /** A reason is required, and there is none. */
  readonly lacksReason?: boolean;
  /** The route shows this caller what is recorded, though its role alone is not. */
  readonly readsValues?: boolean;
}

const callers = new WeakMap<FastifyRequest, Caller>();

const bearerPattern = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/** The credentials of `Authorization: Bearer ...`; throws `unauthorized` when there are none in that form. */
export function bearerOf(request: Pick<FastifyRequest, 'headers'>): string {
  const { authorization } = request.headers;
  const credentials = bearerPattern.exec(authorization ?? '')?.[1];
  if (credentials === undefined) {
    const reason = authorization === undefined ? noCredentials : 'malformed';
    throw new AppError('unauthorized', 'The request has no usable bearer credentials.', { reason });
  }
  return credentials;
}

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
export const OwnAccountId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.accountId),
);

/**
 * Parameter of a `@ForOperators()` route: whether this key may see health values. For routes that show more to readers
 * than to viewers; asking is what makes the answer an access to values, so there is no other way to ask.
 */
export const MayReadValues = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const may = admits(seesValues, fromRequest(context, (caller) => caller.actor).role);
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (may && callerOf(request).lacksReason) throw reasonRequired();
  if (may) identify(request, { ...callerOf(request), readsValues: true });
  return may;
});

/** Parameter of a `@ForOperators()` route: `{name, role}` of the key used. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.actor),
);
