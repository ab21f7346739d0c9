import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AdminRole, admits, type RankedRole, seesValues } from '../../platform/config/admin-roles.js';
import type { FeedScope } from '../../platform/config/feed-scope.js';
import { AppError } from '../../platform/platform/errors.js';
import type { ExternalAccountId } from '../../platform/platform/ids.js';
import { noCredentials } from '../server/problem.filter.js';
import type { LimitName } from '../server/route-facts.js';
import { reasonRequired } from './access-reason.js';
import type { SessionKind } from './session.entity.js';
import type { Session } from './sessions.service.js';

/** The operator behind a request. */
export interface Actor {
  readonly name: string;
  readonly role: AdminRole;
  /** Kind of the credentials; default: a key. */
  readonly kind?: SessionKind;
  /** The console session of the request. */
  readonly session?: Session;
  /** Part of the change feed that the operator may read; default: all of it without values. */
  readonly feed?: FeedScope;
}

/** What admission and guard learned of the caller of a request. */
export interface Caller {
  /** The places that its handler takes one of, and who takes it. */
  readonly admitted?: { readonly caller: string; readonly limit: LimitName };
  readonly accountId?: ExternalAccountId;
  /** Name and role of the key; the role may be too low for the route. */
  readonly actor?: Actor;
  readonly needed?: RankedRole | undefined;
  readonly reason?: string | undefined;
  readonly lacksReason?: boolean;
  /** The route shows recorded values to this key, although its role alone does not require recording. */
  readonly readsValues?: boolean;
}

const callers = new WeakMap<FastifyRequest, Caller>();

const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The credentials of `Authorization: Bearer ...`. Throws `unauthorized`, naming what is `needed`, if there are none.
 */
export function bearerOf(request: Pick<FastifyRequest, 'headers'>, needed: string): string {
  const { authorization } = request.headers;
  const credentials = bearerPattern.exec(authorization ?? '')?.[1];
  if (credentials === undefined) {
    const reason = authorization === undefined ? noCredentials : 'malformed';
    throw new AppError('unauthorized', `Send ${needed} in the header "Authorization: Bearer ...".`, { reason });
  }
  return credentials;
}

/** True for what has the form of a JWT. A key may have it, too. */
export function looksLikeToken(credentials: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credentials);
}

/** Adds to what is known of the caller. Only admission and guards may call this. */
export function identify(request: FastifyRequest, caller: Caller): void {
  callers.set(request, { ...callerOf(request), ...caller });
}

/** Empty on open routes; without an account and an actor before the guard has run. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request) ?? {};
}

function fromRequest<T>(context: ExecutionContext, pick: (caller: Caller) => T | undefined): T {
  const found = pick(callerOf(context.switchToHttp().getRequest<FastifyRequest>()));
  if (found === undefined) throw new AppError('internal', 'The route needs a caller but has no guard.');
  return found;
}

/** Parameter of a `@ForApp()` route: account id of the access token. */
export const OwnAccountId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.accountId),
);

/**
 * Parameter of a `@ForOperators()` route that shows more to readers than to viewers: true if this key may see health
 * values. Reading it marks the response as an access to values, so there is no other way to get it. `unless`: name of a
 * query parameter that declines values with `false`.
 */
export const MayReadValues = createParamDecorator((unless: string | undefined, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  if (unless !== undefined && (request.query as Record<string, unknown>)[unless] === 'false') return false;
  const may = admits(seesValues, fromRequest(context, (caller) => caller.actor).role);
  if (may && callerOf(request).lacksReason) throw reasonRequired();
  if (may) identify(request, { readsValues: true });
  return may;
});

/** Parameter of a `@ForOperators()` route: `{name, role}` of the key used. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  fromRequest(context, (caller) => caller.actor),
);
