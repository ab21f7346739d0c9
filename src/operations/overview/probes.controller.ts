import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../../http/server/openapi.js';
import { AppError } from '../../platform/platform/errors.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ReadinessService } from './readiness.service.js';

class ProbeDto {
  @ApiProperty({ example: 'ok' }) status: string;
}

/** Open to everybody: no ids, no values, no names of customers. */
@ApiTags('probes')
@Controller()
export class ProbesController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
  ) {}

  @Get('livez')
  @ApiOperation({ summary: 'The process is alive' })
  @ApiOkResponse({ type: ProbeDto })
  @ApiProblem('internal')
  live(): ProbeDto {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'The database takes writes, the schema is current and the workers tick' })
  @ApiOkResponse({ type: ProbeDto })
  @ApiProblem('not_ready')
  async ready(): Promise<ProbeDto> {
    const failing = await this.readiness.failing();
    if (failing.length === 0) return { status: 'ok' };
    const parts = failing.map(({ field }) => field).join(', ');
    throw new AppError('not_ready', `Failing: ${parts}.`, { fields: failing });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({ summary: 'Figures of this process and of the store for Prometheus' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblem('internal')
  figures(): Promise<string> {
    return this.metrics.text();
  }
}
