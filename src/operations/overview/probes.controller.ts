import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../../http/server/openapi.js';
import { AppError } from '../../platform/platform/errors.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ReadinessService } from './readiness.service.js';

class ProbeDto {
  @ApiProperty({ example: 'ok' }) status: string;
}

/** Public, so responses contain no ids, health values or customer names. */
@ApiTags('probes')
@Controller()
export class ProbesController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
  ) {}

  @Get('livez')
  @ApiOperation({ summary: 'Liveness: the process responds' })
  @ApiOkResponse({ type: ProbeDto })
  @ApiProblem('internal')
  live(): ProbeDto {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'Readiness: the database accepts writes, the schema is current and the workers run' })
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
  @ApiOperation({ summary: 'Prometheus metrics of this process and the store' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblem('internal')
  figures(): Promise<string> {
    return this.metrics.text();
  }
}
