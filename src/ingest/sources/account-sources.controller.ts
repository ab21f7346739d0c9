import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { DisconnectionDto, SourcePath, toDisconnectionDto } from './disconnecting.dto.js';
import { Disconnecting } from './disconnecting.service.js';
import { ReplacedSources } from './replaced-sources.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/sources')
export class AccountSourcesController {
  constructor(
    private readonly disconnecting: Disconnecting,
    private readonly replaced: ReplacedSources,
  ) {}

  @Delete(':provider')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Disconnect a source of an account; repeatable, stored records stay',
    description: 'Recorded with the name of the key. `afterwards` says whether upstream may reconnect the source.',
  })
  @ApiOkResponse({ type: DisconnectionDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'upstream_invalid_request', ...upstreamFailures)
  async disconnectSource(
    @Param() { account_id, provider }: SourcePath,
    @Actor() actor: Operator,
  ): Promise<DisconnectionDto> {
    return toDisconnectionDto(await this.disconnecting.disconnectFor(account_id, provider, actor.name));
  }

  @Post(':provider/disconnect')
  @HttpCode(200)
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({
    summary: 'Disconnect a source of a retired provider once its successor has taken over',
    description:
      '409 `conflict` if the provider is not retired, or evidence for its successor is missing ' +
      '(`retirement.evidence` in the list of sources). The period in which both were connected is stored with the ' +
      'account. DELETE disconnects regardless.',
  })
  @ApiOkResponse({ type: DisconnectionDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', 'account_erased', 'upstream_invalid_request')
  @ApiProblem(...upstreamFailures)
  async disconnectReplacedSource(
    @Param() { account_id, provider }: SourcePath,
    @Actor() actor: Operator,
  ): Promise<DisconnectionDto> {
    return toDisconnectionDto(await this.replaced.disconnect(account_id, provider, actor.name));
  }
}
