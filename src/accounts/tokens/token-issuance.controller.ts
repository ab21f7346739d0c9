import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor } from '../../http/auth/caller.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { isoOrNull } from '../../platform/platform/time.js';
import { TokenIssuance } from './token-issuance.service.js';
import type { IssuanceState } from './tokens.repository.js';

class TokenIssuanceSetting {
  @ApiProperty({ description: 'false stops issuing sign-in and link tokens.' })
  @IsBoolean()
  open: boolean;
}

class TokenIssuanceDto {
  @ApiProperty() open: boolean;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) closed_at: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ops',
    description: 'Name of the operator key; null while open.',
  })
  closed_by: string | null;
}

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/token-issuance')
export class TokenIssuanceController {
  constructor(private readonly issuance: TokenIssuance) {}

  @Get()
  @Role('viewer')
  @ApiOperation({ summary: 'Get the state of token issuance' })
  @ApiOkResponse({ type: TokenIssuanceDto })
  async getTokenIssuance(): Promise<TokenIssuanceDto> {
    return toDto(await this.issuance.state());
  }

  @Put()
  @Role('operator')
  @ApiOperation({ summary: 'Enable or disable token issuance globally; in effect everywhere when the call returns' })
  @ApiOkResponse({ type: TokenIssuanceDto })
  @ApiProblem('invalid_request')
  async setTokenIssuance(@Actor() actor: Actor, @Body() { open }: TokenIssuanceSetting): Promise<TokenIssuanceDto> {
    return toDto(await this.issuance.set(open, actor.name));
  }
}

function toDto({ closed_at, closed_by }: IssuanceState): TokenIssuanceDto {
  return { open: closed_at === null, closed_at: isoOrNull(closed_at), closed_by };
}
