import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../http/openapi.js';
import { mapPage, type Page } from '../platform/paging.js';
import { StreamFetchDto, StreamFetchQuery, toStreamFetchDto } from './workout-series.dto.js';
import { WorkoutSeries } from './workout-series.service.js';

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1/sync')
export class WorkoutSeriesController {
  constructor(private readonly streams: WorkoutSeries) {}

  @Get('workout-streams')
  @Role('viewer')
  @ApiOperation({ summary: 'Streams of workouts that events told of: waiting, stored and given up, newest first' })
  @ApiPage(StreamFetchDto)
  @ApiProblem('invalid_request')
  async list(@Query() { account_id: accountId, ...query }: StreamFetchQuery): Promise<Page<StreamFetchDto>> {
    return mapPage(await this.streams.list({ ...query, accountId }), toStreamFetchDto);
  }
}
