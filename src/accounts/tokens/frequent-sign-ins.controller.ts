import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { toIso } from '../../platform/platform/time.js';
import { FrequentSignIns } from './frequent-sign-ins.service.js';
import type { FrequentInstallation } from './tokens.repository.js';

class FrequentInstallationDto {
  @ApiProperty() account_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null when the app names none.' })
  installation_id: string | null;
  @ApiProperty({ type: 'integer', description: 'Sign-in tokens it got within a day.' }) tokens: number;
  @ApiProperty({ format: 'date-time' }) last_issued_at: string;
}

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/frequent-sign-ins')
export class FrequentSignInsController {
  constructor(private readonly signIns: FrequentSignIns) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Installations of the app that got too many sign-in tokens in the last 24 hours' })
  @ApiPage(FrequentInstallationDto)
  @ApiProblem('invalid_request')
  async list(@Query() query: PageQuery): Promise<Page<FrequentInstallationDto>> {
    return mapPage(await this.signIns.list(query), toDto);
  }
}

function toDto({ account_id, installation, tokens, last_issued_at }: FrequentInstallation): FrequentInstallationDto {
  const installation_id = installation === '' ? null : installation;
  return { account_id, installation_id, tokens, last_issued_at: toIso(last_issued_at) };
}
