import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Columns } from '../../http/server/openapi.js';
import { Clock } from '../../platform/platform/clock.js';
import { AlarmsDto, toAlarmDto } from './alarms.dto.js';
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
  @Columns('code', 'since', 'count', 'providers', 'message', 'runbook')
  async listAlarms(): Promise<AlarmsDto> {
    const alarms = await this.alarms.current(this.clock.now());
    return { data: alarms.map(toAlarmDto), next_cursor: null };
  }
}
