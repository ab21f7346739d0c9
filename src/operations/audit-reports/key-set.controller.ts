import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../../http/server/openapi.js';
import { AuditConfig } from '../../platform/config/config.js';
import { KeySetDto } from './audit-reports.dto.js';

/** Public, because anyone who holds a report may verify it. */
@ApiTags('audit')
@Controller('.well-known')
export class KeySetController {
  constructor(private readonly config: AuditConfig) {}

  @Get('jwks.json')
  @ApiOperation({ summary: 'Get the public keys of reports: the current one first, then older ones' })
  @ApiOkResponse({ type: KeySetDto })
  @ApiProblem('internal')
  getReportKeys(): KeySetDto {
    const { reportKeys } = this.config;
    const keys = reportKeys ? [reportKeys.current, ...reportKeys.older] : [];
    return { keys: keys.map(({ x, id: kid }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' })) };
  }
}
