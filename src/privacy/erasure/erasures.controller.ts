import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { ErasureService } from './erasure.service.js';
import { ErasureDto, ErasurePath, FenceDto, toErasureDto, toFenceDto } from './erasures.dto.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1')
export class ErasuresController {
  constructor(private readonly erasures: ErasureService) {}

  @Delete('accounts/:account_id')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({
    summary: 'Erase a person: all data here and the upstream user; repeated requests return the same erasure',
  })
  @ApiAcceptedResponse({ type: ErasureDto })
  @ApiProblem('invalid_request', 'not_found')
  async eraseAccount(@Param() { account_id }: AccountPath, @Actor() actor: Operator): Promise<ErasureDto> {
    return toErasureDto(await this.erasures.request(account_id, actor.name));
  }

  @Get('erasures')
  @Role('operator')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Erasures, newest first' })
  @ApiPage(ErasureDto)
  @ApiProblem('invalid_request')
  @Columns('requested_at', 'erasure_id', 'state', 'requested_by', 'upstream_at', 'verified_at', 'error_code')
  async listErasures(@Query() query: PageQuery): Promise<Page<ErasureDto>> {
    return mapPage(await this.erasures.list(query), toErasureDto);
  }

  @Get('erasures/:erasure_id')
  @Role('operator')
  @ApiOperation({ summary: 'Get the receipt and progress of an erasure' })
  @ApiOkResponse({ type: ErasureDto })
  @ApiProblem('invalid_request', 'not_found')
  async getErasure(@Param() { erasure_id }: ErasurePath): Promise<ErasureDto> {
    return toErasureDto(await this.erasures.get(erasure_id));
  }

  @Delete('erasures/:erasure_id/fence')
  @Role('operator')
  @ApiOperation({ summary: 'Allow a new account with the account id of an erased person' })
  @ApiOkResponse({ type: ErasureDto })
  @ApiProblem('invalid_request', 'not_found')
  async openErasureFence(@Param() { erasure_id }: ErasurePath): Promise<ErasureDto> {
    return toErasureDto(await this.erasures.openFence(erasure_id));
  }

  @Get('erasure-fences/:account_id')
  @Role('operator')
  @ApiOperation({ summary: 'Get the fence of an account id; 404 if it belonged to no erased person' })
  @ApiOkResponse({ type: FenceDto })
  @ApiProblem('invalid_request', 'not_found')
  async getErasureFence(@Param() { account_id }: AccountPath): Promise<FenceDto> {
    return toFenceDto(await this.erasures.fenceOf(account_id));
  }
}
