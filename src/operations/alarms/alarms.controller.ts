import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Actor, type Actor as Operator } from '../../http/auth/caller.js';
import { ApiProblem, Columns } from '../../http/server/openapi.js';
import { Clock } from '../../platform/platform/clock.js';
import { AlarmAcknowledgementRequest, AlarmDto, AlarmPath, AlarmsDto, toAlarmDto } from './alarms.dto.js';
import { AlarmsService } from './alarms.service.js';

@ApiTags('overview')
@ForOperators()
@Controller('admin/v1/alarms')
export class AlarmsController {
  constructor(
    private readonly alarms: AlarmsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Role('monitor')
  @ApiOperation({ summary: 'Raised alarms, most urgent first' })
  @ApiOkResponse({ type: AlarmsDto })
  @Columns('code', 'since', 'count', 'providers', 'reasons', 'message', 'action', 'command', 'runbook')
  async listAlarms(): Promise<AlarmsDto> {
    const alarms = await this.alarms.current(this.clock.now());
    return { data: alarms.map(toAlarmDto), next_cursor: null };
  }

  @Post(':code/ack')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({
    summary: 'Acknowledge a raised alarm until it grows',
    description:
      'The alarm stays listed, but `doctor` passes and the gauge `pulsekeep_alarm` is 0 until its count rises or ' +
      'another provider is affected. An alarm that ends and is raised again is not acknowledged. ' +
      'Critical results cannot be acknowledged.',
  })
  @ApiOkResponse({ type: AlarmDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async acknowledgeAlarm(
    @Param() { code }: AlarmPath,
    @Body() { reason }: AlarmAcknowledgementRequest,
    @Actor() actor: Operator,
  ): Promise<AlarmDto> {
    return toAlarmDto(await this.alarms.acknowledge(code, actor.name, reason, this.clock.now()));
  }
}
