import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { toIso } from '../../platform/platform/time.js';
import type { FrequentInstallation } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

class FrequentInstallationDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the app sent none.' })
  installation_id: string | null;
  @ApiProperty({ type: 'integer', description: 'Sign-in tokens issued within a day.' }) tokens: number;
  @ApiProperty({ format: 'date-time' }) last_issued_at: string;
}

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/frequent-sign-ins')
export class FrequentSignInsController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'App installations that received too many sign-in tokens in the last 24 hours' })
  @ApiPage(FrequentInstallationDto)
  @ApiProblem('invalid_request')
  async listFrequentSignIns(@Query() query: PageQuery): Promise<Page<FrequentInstallationDto>> {
    return mapPage(await this.tokens.frequent(query), toDto);
  }
}

function toDto({ account_id, installation, tokens, last_issued_at }: FrequentInstallation): FrequentInstallationDto {
  const installation_id = installation === '' ? null : installation;
  return { account_id, installation_id, tokens, last_issued_at: toIso(last_issued_at) };
}
