import {
  Controller,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor } from '../../http/auth/caller.js';
import { Cookies } from '../../http/auth/cookies.js';
import { endOf, Sessions } from '../../http/auth/sessions.service.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import type { RankedRole } from '../../platform/config/admin-roles.js';
import { AccessLogConfig, UpstreamConfig } from '../../platform/config/config.js';
import { version } from '../../platform/config/versions.js';
import { AppError } from '../../platform/platform/errors.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { toIso } from '../../platform/platform/time.js';
import { CurrentSessionDto, SessionDto, SessionPath, toSessionDto } from './sessions.dto.js';

/** The request of a route that declares no query and no body; `@Req()` would declare both. */
const Incoming = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<FastifyRequest>(),
);

/** Console sessions. A key is exchanged once for a session. */
@ApiTags('console')
@ForOperators()
@Controller('admin/v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookies: Cookies,
    private readonly upstream: UpstreamConfig,
    private readonly accessLog: AccessLogConfig,
  ) {}

  @Post()
  @Role('monitor')
  @ApiOperation({ summary: 'Sign in to the console with the key of this request; sets the session cookie' })
  @ApiCreatedResponse({ type: SessionDto })
  async createSession(
    @Actor() actor: Actor,
    @Incoming() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionDto> {
    if (actor.session ?? actor.kind) throw new AppError('forbidden', 'Only a key can create a session.');
    const { session, token } = await this.sessions.openWithKey(actor.name);
    this.cookies.setSession(request, reply, token);
    return toSessionDto(session, session.session_id);
  }

  @Get('current')
  @Role('monitor')
  @ApiOperation({ summary: 'Get the caller of this request, by key or session, and the service' })
  @ApiOkResponse({ type: CurrentSessionDto })
  getCurrentSession(@Actor() { name, role, kind = 'key', session }: Actor): CurrentSessionDto {
    const { region, environment } = this.upstream;
    return {
      session_id: session?.session_id ?? null,
      kind,
      name,
      role: role as RankedRole,
      expires_at: session ? toIso(endOf(session)) : null,
      service: { version, region, environment, reasons: this.accessLog.reasons },
    };
  }

  @Get()
  @Role('monitor')
  @ApiOperation({ summary: "Console sessions, newest first; only the caller's own without the role operator" })
  @ApiPage(SessionDto)
  @ApiProblem('invalid_request')
  async listSessions(@Actor() actor: Actor, @Query() { cursor, limit }: PageQuery): Promise<Page<SessionDto>> {
    const owner = actor.role === 'operator' ? undefined : { kind: actor.kind ?? 'key', name: actor.name };
    const page = await this.sessions.list(owner, cursor, limit);
    return mapPage(page, (session) => toSessionDto(session, actor.session?.session_id));
  }

  @Delete(':session_id')
  @HttpCode(204)
  @Role('monitor')
  @ApiOperation({ summary: "End a session; only the caller's own without the role operator" })
  @ApiNoContentResponse()
  @ApiProblem('not_found')
  async endSession(
    @Actor() actor: Actor,
    @Param() { session_id }: SessionPath,
    @Incoming() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const session = await this.sessions.byId(session_id);
    if (session === null || !mayEnd(actor, session)) {
      throw new AppError('not_found', 'There is no such session.');
    }
    await this.sessions.end(session_id);
    if (session_id === actor.session?.session_id) this.cookies.clearSession(request, reply);
  }
}

function mayEnd(actor: Actor, { kind, name }: Pick<SessionDto, 'kind' | 'name'>): boolean {
  return actor.role === 'operator' || (name === actor.name && kind === (actor.kind ?? 'key'));
}
