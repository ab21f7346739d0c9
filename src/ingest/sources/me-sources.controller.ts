import { Controller, Delete, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { DisconnectionDto, OwnSourcePath, toDisconnectionDto } from './disconnecting.dto.js';
import { Disconnecting } from './disconnecting.service.js';

@ApiTags('me')
@ForApp()
@Controller('v1/me/sources')
export class MeSourcesController {
  constructor(private readonly disconnecting: Disconnecting) {}

  @Delete(':provider')
  @RouteIs({ limit: 'link' })
  @ApiOperation({
    summary: 'Disconnect a source of the signed-in person; repeatable, stored records stay',
    description: 'Also allowed for a blocked account. `afterwards` says whether upstream may reconnect the source.',
  })
  @ApiOkResponse({ type: DisconnectionDto })
  @ApiProblem('invalid_request', 'not_found', 'account_erased', 'upstream_invalid_request', ...upstreamFailures)
  async disconnectMySource(
    @OwnAccountId() accountId: string,
    @Param() { provider }: OwnSourcePath,
  ): Promise<DisconnectionDto> {
    return toDisconnectionDto(await this.disconnecting.disconnectOwn(accountId, provider));
  }
}
