import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
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
import { factsOf, handlersOf, RoutesAre } from '../server/route-facts.js';
import { accessReasonOf, reasonRequired } from './access-reason.js';
import { type Actor, identify } from './caller.js';
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
    const { recorded } = factsOf(request);
    identify(request, { readsValues: recorded === true });
    const reason = accessReasonOf(request.headers);
    const lacksReason = reason === undefined && this.config.reasons === 'required';
    identify(request, { reason, lacksReason });
    if (lacksReason && (recorded ?? isAlwaysRecorded(access?.needed))) throw reasonRequired();
    return true;
  }

  /** Identifies the caller before refusing it, so that the refusal is attributed to its key. */
  private admit(request: FastifyRequest, actor: Actor, access: Access | undefined): void {
    identify(request, { actor, needed: access?.needed });
    if (access !== undefined && admits(access, actor.role)) return;
    const roles = access === undefined ? [] : adminRoles.filter((role) => admits(access, role));
    throw new AppError('forbidden', `The key has the role ${actor.role}; this route takes ${roles.join(', ')}.`);
  }
}

/** Fails when the class is defined, so that the service cannot start with a route without a role. */
const everyRouteHasARole: ClassDecorator = (controller) => {
  for (const handler of handlersOf(controller)) {
    if (accessOf(handler) === undefined) throw new TypeError(`${controller.name}.${handler.name} has no @Role`);
  }
};

/**
 * A controller for operators: guard, role on every route, bearer scheme, and problems of the guard and the access log.
 */
export function ForOperators(): ClassDecorator {
  return applyDecorators(
    everyRouteHasARole,
    RoutesAre({ caller: 'key' }),
    UseGuards(AdminAuthGuard),
    ApiBearerAuth(adminScheme),
    ApiProblem('unauthorized', 'forbidden', 'storage_unavailable', 'busy', 'rate_limited'),
  );
}
