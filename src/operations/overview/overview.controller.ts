import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { ActivityDto } from './activity.dto.js';
import { ActivityService } from './activity.service.js';
import { ForecastDto } from './forecast.dto.js';
import { ForecastService } from './forecast.service.js';
import { OverviewDto } from './overview.dto.js';
import { OverviewService } from './overview.service.js';

@ApiTags('overview')
@ForOperators()
@Controller('admin/v1/overview')
export class OverviewController {
  constructor(
    private readonly service: OverviewService,
    private readonly activities: ActivityService,
    private readonly forecasts: ForecastService,
  ) {}

  @Get()
  @Role('monitor')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Get the system overview: counts, backlog and alarms' })
  @ApiOkResponse({ type: OverviewDto })
  @Columns(
    'accounts',
    'connection_states',
    'source_priorities',
    'inbox',
    'sync',
    'orders',
    'tokens',
    'versions',
    'alarms',
  )
  getOverview(): Promise<OverviewDto> {
    return this.service.overview();
  }

  @Get('forecast')
  @Role('monitor')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Get the bytes stored per person and day by resource, and the days until the disk is full',
    description: 'Measured from up to 30 accounts over 7 days. An unknown figure is null, with a reason.',
  })
  @ApiOkResponse({ type: ForecastDto })
  getForecast(): Promise<ForecastDto> {
    return this.forecasts.forecast();
  }

  @Get('activity')
  @Role('monitor')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Get the messages of the last 24 hours by hour, and the upstream calls of the responding process',
  })
  @ApiOkResponse({ type: ActivityDto })
  getActivity(): Promise<ActivityDto> {
    return this.activities.activity();
  }
}
