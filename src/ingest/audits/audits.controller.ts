import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  AuditDto,
  AuditListQuery,
  AuditPath,
  AuditRequest,
  DayProofDto,
  ProofListQuery,
  toAuditDto,
  toDayProofDto,
} from './audits.dto.js';
import { Audits } from './audits.service.js';

@ApiTags('audit')
@ForOperators()
@Controller('admin/v1')
export class AuditsController {
  constructor(private readonly audits: Audits) {}

  @Post('audits')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({
    summary: 'Compare stored days of an account with upstream, and repair what differs',
    description: 'Returns the open audit if an identical one exists. Its calls run at the lowest priority.',
  })
  @ApiAcceptedResponse({ type: AuditDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', 'account_erased')
  async startAudit(@Body() request: AuditRequest): Promise<AuditDto> {
    return toAuditDto(await this.audits.start(request));
  }

  @Get('audits')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Audits, newest first' })
  @ApiPage(AuditDto)
  @ApiProblem('invalid_request', 'not_found')
  @Columns(
    'audit_id',
    'state',
    'account_id',
    'resource',
    'first_day',
    'last_day',
    'proven',
    'repaired',
    'held',
    'different',
  )
  async listAudits(@Query() query: AuditListQuery): Promise<Page<AuditDto>> {
    return mapPage(await this.audits.list(query), toAuditDto);
  }

  @Get('audits/:audit_id')
  @Role('viewer')
  @ApiOperation({ summary: 'Get an audit with its progress' })
  @ApiParam({ name: 'audit_id', type: 'integer' })
  @ApiOkResponse({ type: AuditDto })
  @ApiProblem('invalid_request', 'not_found')
  async getAudit(@Param() { audit_id }: AuditPath): Promise<AuditDto> {
    return toAuditDto(await this.audits.get(audit_id));
  }

  @Post('audits/:audit_id/cancel')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Cancel an audit; no effect once it has ended' })
  @ApiParam({ name: 'audit_id', type: 'integer' })
  @ApiOkResponse({ type: AuditDto })
  @ApiProblem('invalid_request', 'not_found')
  async cancelAudit(@Param() { audit_id }: AuditPath): Promise<AuditDto> {
    return toAuditDto(await this.audits.cancel(audit_id));
  }

  @Get('accounts/:account_id/proofs')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Compared days of an account, by resource, source and day',
    description: 'The last comparison of each UTC day. Contains no values.',
  })
  @ApiPage(DayProofDto)
  @ApiProblem('invalid_request', 'not_found')
  @Columns('resource', 'provider', 'day', 'state', 'objects', 'cause', 'fields', 'looked_at', 'proven_at')
  async listProofs(@Param() { account_id }: AccountPath, @Query() query: ProofListQuery): Promise<Page<DayProofDto>> {
    return mapPage(await this.audits.proofs(account_id, query), toDayProofDto);
  }
}
