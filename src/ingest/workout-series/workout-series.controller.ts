import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { SeriesFetchDto, SeriesFetchQuery, toSeriesFetchDto } from './workout-series.dto.js';
import { WorkoutSeries } from './workout-series.service.js';

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1/sync')
export class WorkoutSeriesController {
  constructor(private readonly series: WorkoutSeries) {}

  @Get('workout-series')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Fetches of workout series announced by events, newest first' })
  @ApiPage(SeriesFetchDto)
  @ApiProblem('invalid_request')
  async listWorkoutSeries(@Query() query: SeriesFetchQuery): Promise<Page<SeriesFetchDto>> {
    return mapPage(await this.series.list(query), toSeriesFetchDto);
  }
}
