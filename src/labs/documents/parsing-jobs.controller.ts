import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { labResults, RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  ParsingJobDetailDto,
  ParsingJobDto,
  ParsingJobListQuery,
  ParsingJobPath,
  toParsingJobDetailDto,
  toParsingJobDto,
} from './parsing-jobs.dto.js';
import { ParsingJobs } from './parsing-jobs.service.js';

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/parsing-jobs')
export class ParsingJobsController {
  constructor(private readonly jobs: ParsingJobs) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Parsing jobs of lab reports without their content, newest first' })
  @ApiPage(ParsingJobDto)
  @ApiProblem('invalid_request')
  async listParsingJobs(@Query() query: ParsingJobListQuery): Promise<Page<ParsingJobDto>> {
    const { account_id: externalId, order_id: orderId, given_up: givenUp, ...rest } = query;
    return mapPage(await this.jobs.list({ ...rest, externalId, orderId, givenUp }), toParsingJobDto);
  }

  @Get(':id')
  @RouteIs({ shows: labResults })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get a parsing job with the data of its newest event' })
  @ApiOkResponse({ type: ParsingJobDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  async getParsingJob(@Param() { id }: ParsingJobPath): Promise<ParsingJobDetailDto> {
    return toParsingJobDetailDto(await this.jobs.get(id));
  }
}
