import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { DisconnectionDto, SourcePath, toDisconnectionDto } from './disconnecting.dto.js';
import { Disconnecting } from './disconnecting.service.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts/:account_id/sources')
export class AccountSourcesController {
  constructor(private readonly disconnecting: Disconnecting) {}

  @Delete(':provider')
  @Role('operator', 'backend')
  @ApiOperation({
    summary: 'Disconnect a source of an account; can be repeated, and stored records stay',
    description: 'Kept with the name of the key. `afterwards` says whether upstream may connect the source again.',
  })
  @ApiOkResponse({ type: DisconnectionDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'upstream_invalid_request', ...upstreamFailures)
  async disconnect(@Param() { account_id, provider }: SourcePath, @Actor() actor: Operator): Promise<DisconnectionDto> {
    return toDisconnectionDto(await this.disconnecting.disconnectFor(account_id, provider, actor.name));
  }

  @Post(':provider/disconnect')
  @HttpCode(200)
  @Role('operator', 'backend')
  @ApiOperation({
    summary: 'Disconnect a source of a retired provider once its successor has taken over',
    description:
      'conflict: the provider is not retired, or evidence of its successor is missing (`retirement.evidence` in the list ' +
      'of sources). The time in which both were connected is kept with the account. DELETE disconnects regardless.',
  })
  @ApiOkResponse({ type: DisconnectionDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', 'account_erased', 'upstream_invalid_request')
  @ApiProblem(...upstreamFailures)
  async disconnectReplaced(
    @Param() { account_id, provider }: SourcePath,
    @Actor() actor: Operator,
  ): Promise<DisconnectionDto> {
    return toDisconnectionDto(await this.disconnecting.disconnectReplaced(account_id, provider, actor.name));
  }
}
