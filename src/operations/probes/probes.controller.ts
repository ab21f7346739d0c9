import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../../http/server/openapi.js';
import { AppError } from '../../platform/platform/errors.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { type BrokerState, brokerStates, ReadinessService } from './readiness.service.js';

class ProbeDto {
  @ApiProperty({ example: 'ok' }) status: string;
}

class ReadinessDto extends ProbeDto {
  @ApiProperty({
    required: false,
    enum: brokerStates,
    description: 'Only with WEBHOOK_AMQP_URL: whether this process consumes messages of the broker.',
  })
  broker?: BrokerState | undefined;
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
  @ApiOperation({ summary: 'Check liveness: the process responds' })
  @ApiOkResponse({ type: ProbeDto })
  @ApiProblem('internal')
  getLiveness(): ProbeDto {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'Check readiness: the database accepts writes, the schema is current and the workers run' })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiProblem('not_ready')
  async getReadiness(): Promise<ReadinessDto> {
    const failing = await this.readiness.failing();
    const broker = this.readiness.broker();
    if (failing.length === 0) return { status: 'ok', ...(broker && { broker }) };
    const parts = failing.map(({ field }) => field).join(', ');
    throw new AppError('not_ready', `Failing: ${parts}.`, { fields: failing });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({ summary: 'Get Prometheus metrics of this process and the database' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblem('internal')
  getMetrics(): Promise<string> {
    return this.metrics.text();
  }
}
