import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  type Access,
  adminRoles,
  admits,
  type BesideRole,
  isAlwaysRecorded,
  type RankedRole,
} from '../../platform/config/admin-roles.js';
import { AccessLogConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { ApiProblem } from '../server/openapi.js';
import { accessReasonOf, reasonRequired } from './access-reason.js';
import { type Actor, callerOf, identify } from './caller.js';
import { Credentials } from './credentials.js';
import { Refusals } from './refusals.js';

/** Name of the security scheme for operator keys in the OpenAPI document. */
export const adminScheme = 'admin';

const accessKey = 'pulsekeep:access';

/**
 * The lowest ranked role that may call a route of `@ForOperators()`, and optionally a role outside the ranking. Every
 * such route must have one; the OpenAPI document shows it.
 */
export function Role(needed: RankedRole, beside: BesideRole | null = null): MethodDecorator {
  const access: Access = { needed, beside };
  return applyDecorators(
    SetMetadata(accessKey, access),
    ApiExtension('x-role', needed),
    ApiExtension(
      'x-roles',
      adminRoles.filter((role) => admits(access, role)),
    ),
  );
}

/** A route that the access log never records: it names no person, and is called every few seconds. */
export const neverRecorded = '/v1/consumers/:name/position';

const recordedKey = 'pulsekeep:always-recorded';

/**
 * A route for viewers whose responses the access log records for every caller, because they show more about a person
 * than that they are a customer.
 */
export function AlwaysRecorded(): MethodDecorator {
  return SetMetadata(recordedKey, true);
}

function accessOf(handler: object): Access | undefined {
  return Reflect.getMetadata(accessKey, handler) as Access | undefined;
}

/**
 * 401 without a known key, 403 if the role is not permitted. The owner of the key becomes the caller, for `@Actor()`.
 */
@Injectable()
export class AdminAuthGuard implements CanActivate {
  constructor(
    private readonly credentials: Credentials,
    private readonly refusals: Refusals,
    private readonly config: AccessLogConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const actor = await this.credentials.actorOf(request);
    const access = accessOf(context.getHandler());
    await this.refusals.counted('admin', () => this.admit(request, actor, access));
    const readsValues = Reflect.getMetadata(recordedKey, context.getHandler()) === true;
    identify(request, { ...callerOf(request), readsValues });
    const reason = accessReasonOf(request.headers);
    const lacksReason = reason === undefined && this.config.reasons === 'required';
    identify(request, { ...callerOf(request), reason, lacksReason });
    const isRecorded = readsValues || isAlwaysRecorded(access?.needed);
    if (lacksReason && isRecorded && request.routeOptions.url !== neverRecorded) throw reasonRequired();
    return true;
  }

  /** Identifies the caller before refusing it, so that the refusal is attributed to its key. */
  private admit(request: FastifyRequest, actor: Actor, access: Access | undefined): void {
    identify(request, { actor, needed: access?.needed });
    if (access === undefined || !admits(access, actor.role)) {
      throw new AppError('forbidden', 'The role of this key does not allow this request.');
    }
  }
}

/** Fails when the class is defined, so that the service cannot start with a route without a role. */
const everyRouteHasARole: ClassDecorator = (controller) => {
  const prototype = controller.prototype as object;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const value: unknown = descriptor.value;
    const isRoute = typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value);
    if (isRoute && accessOf(value) === undefined) {
      throw new TypeError(`${controller.name}.${name} has no @Role`);
    }
  }
};

/**
 * A controller for operators: guard, role on every route, bearer scheme, and problems of the guard and the access log.
 */
export function ForOperators(): ClassDecorator {
  return applyDecorators(
    everyRouteHasARole,
    UseGuards(AdminAuthGuard),
    ApiBearerAuth(adminScheme),
    ApiProblem('unauthorized', 'forbidden', 'storage_unavailable', 'busy', 'rate_limited'),
  );
}
