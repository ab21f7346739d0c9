import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { onePage, type Page } from '../../platform/platform/paging.js';
import { LatestDto, LatestQuery } from './latest.dto.js';
import { LatestService } from './latest.service.js';
import { MeDto } from './me.dto.js';
import { MeService } from './me.service.js';
import { RecordsListQuery, ResourcePath, SampleRecordDto, SummaryRecordDto } from './records.dto.js';
import { DailyDto, HourlyDto, StatisticsQuery } from './statistics.dto.js';
import { StatisticsService } from './statistics.service.js';
import { TodayDto } from './today.dto.js';
import { TodayService } from './today.service.js';

/** The same reads as of `AccountReadsController`. Creates the account on first use. */
@ApiTags('me')
@ForApp()
@ApiProblem('account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict', 'upstream_user_limit')
@ApiProblem('upstream_invalid_request', ...upstreamFailures)
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly service: MeService,
    private readonly newest: LatestService,
    private readonly statistics: StatisticsService,
    private readonly screen: TodayService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Own account, connected sources and stored resources' })
  @ApiOkResponse({ type: MeDto })
  async me(@OwnAccountId() accountId: string): Promise<MeDto> {
    return this.service.me(await this.service.own(accountId));
  }

  @Get('today')
  @ApiOperation({ summary: 'Own first screen: last night, steps, resting heart rate, newest readings and sources' })
  @ApiOkResponse({ type: TodayDto })
  async today(@OwnAccountId() accountId: string): Promise<TodayDto> {
    return this.screen.today(await this.service.own(accountId));
  }

  @Get('latest')
  @ApiOperation({ summary: 'Own newest record of each resource, with its age' })
  @ApiPage(LatestDto)
  @ApiProblem('invalid_request')
  async latest(@OwnAccountId() accountId: string, @Query() { resources }: LatestQuery): Promise<Page<LatestDto>> {
    return onePage(await this.newest.latest(await this.service.own(accountId), resources));
  }

  @Get('daily')
  @ApiOperation({ summary: 'Own statistics of local days, of one source a day' })
  @ApiPage(DailyDto)
  @ApiProblem('invalid_request')
  async daily(@OwnAccountId() accountId: string, @Query() query: StatisticsQuery): Promise<Page<DailyDto>> {
    return onePage(await this.statistics.daily(await this.service.own(accountId), query));
  }

  @Get('hourly')
  @ApiOperation({ summary: 'Own statistics of local hours, of one source a day' })
  @ApiPage(HourlyDto)
  @ApiProblem('invalid_request')
  async hourly(@OwnAccountId() accountId: string, @Query() query: StatisticsQuery): Promise<Page<HourlyDto>> {
    return onePage(await this.statistics.hourly(await this.service.own(accountId), query));
  }

  @Get('records/:resource')
  @ApiOperation({ summary: 'Own records of one resource, oldest first' })
  @ApiPage(SampleRecordDto, SummaryRecordDto)
  @ApiProblem('invalid_request', 'not_found', 'not_synced')
  async records(
    @OwnAccountId() accountId: string,
    @Param() { resource }: ResourcePath,
    @Query() query: RecordsListQuery,
  ): Promise<Page<SampleRecordDto | SummaryRecordDto>> {
    return this.service.records(await this.service.own(accountId), resource, query);
  }
}
