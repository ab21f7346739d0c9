import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiPage, ApiPageWith, ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { everyResource, RouteIs } from '../../http/server/route-facts.js';
import { onePage, type Page } from '../../platform/platform/paging.js';
import { OwnExplainQuery, OwnExplanationDto } from '../explain/explain.dto.js';
import { ExplainService } from '../explain/explain.service.js';
import { LatestDto, LatestQuery } from './latest.dto.js';
import { LatestService } from './latest.service.js';
import { MeDto, MySettings } from './me.dto.js';
import { MeService } from './me.service.js';
import {
  AppRecordsQuery,
  type RecordsPage,
  ResourcePath,
  SampleRecordDto,
  SummaryRecordDto,
  thinnedUntil,
} from './records.dto.js';
import { DailyDto, DailyQuery, HourlyDto, HourlyQuery } from './statistics.dto.js';
import { StatisticsService } from './statistics.service.js';
import { TodayDto } from './today.dto.js';
import { TodayService } from './today.service.js';

/** The same reads as `AccountReadsController`, for the signed-in person. Creates the account on first use. */
@ApiTags('me')
@ForApp()
@ApiProblem('account_id_not_allowed', 'account_blocked', 'account_erased', 'conflict', 'upstream_user_limit')
@ApiProblem('upstream_invalid_request', ...upstreamFailures)
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly me: MeService,
    private readonly latest: LatestService,
    private readonly statistics: StatisticsService,
    private readonly today: TodayService,
    private readonly explain: ExplainService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get the account of the signed-in person with its connected sources and stored resources' })
  @ApiOkResponse({ type: MeDto })
  async getMe(@OwnAccountId() accountId: string): Promise<MeDto> {
    return this.me.me(await this.me.own(accountId));
  }

  @Patch()
  @RouteIs({ limit: 'link' })
  @ApiOperation({ summary: 'Set the time zone of the signed-in person, from now on' })
  @ApiOkResponse({ type: MeDto })
  @ApiProblem('invalid_request')
  async updateMe(@OwnAccountId() accountId: string, @Body() settings: MySettings): Promise<MeDto> {
    return this.me.patch(accountId, settings);
  }

  @Get('today')
  @RouteIs({ shows: everyResource })
  @ApiOperation({
    summary:
      'Get the first screen of the signed-in person: last night, steps, resting heart rate, newest readings and ' +
      'sources',
  })
  @ApiOkResponse({ type: TodayDto })
  async getMyToday(@OwnAccountId() accountId: string): Promise<TodayDto> {
    return this.today.today(await this.me.own(accountId));
  }

  @Get('latest')
  @RouteIs({ shows: everyResource })
  @ApiOperation({ summary: 'Newest record of each resource for the signed-in person, with its age' })
  @ApiPage(LatestDto)
  @ApiProblem('invalid_request')
  async listMyLatest(@OwnAccountId() accountId: string, @Query() { resources }: LatestQuery): Promise<Page<LatestDto>> {
    return onePage(await this.latest.latest(await this.me.own(accountId), resources));
  }

  @Get('daily')
  @RouteIs({ shows: everyResource })
  @ApiOperation({
    summary:
      'Daily statistics for the signed-in person: totals merged from all sources, measures from one source per day',
  })
  @ApiPage(DailyDto)
  @ApiProblem('invalid_request')
  async listMyDays(@OwnAccountId() accountId: string, @Query() query: DailyQuery): Promise<Page<DailyDto>> {
    return onePage(await this.statistics.daily(await this.me.own(accountId), query));
  }

  @Get('hourly')
  @RouteIs({ shows: everyResource })
  @ApiOperation({
    summary:
      'Hourly statistics for the signed-in person: totals merged from all sources, measures from one source per day',
  })
  @ApiPage(HourlyDto)
  @ApiProblem('invalid_request')
  async listMyHours(@OwnAccountId() accountId: string, @Query() query: HourlyQuery): Promise<Page<HourlyDto>> {
    return onePage(await this.statistics.hourly(await this.me.own(accountId), query));
  }

  @Get('explain')
  @ApiOperation({ summary: 'Why a day of a resource is empty or incomplete, for the signed-in person' })
  @ApiOkResponse({ type: OwnExplanationDto })
  @ApiProblem('invalid_request')
  async explainMyDay(@OwnAccountId() accountId: string, @Query() query: OwnExplainQuery): Promise<OwnExplanationDto> {
    await this.me.own(accountId);
    return this.explain.explainToPerson(accountId, query);
  }

  @Get('records/:resource')
  @ApiOperation({ summary: 'Records of a resource for the signed-in person, oldest first' })
  @ApiPageWith({ thinned_until: thinnedUntil }, SampleRecordDto, SummaryRecordDto)
  @ApiProblem('invalid_request', 'not_found', 'not_synced')
  async listMyRecords(
    @OwnAccountId() accountId: string,
    @Param() { resource }: ResourcePath,
    @Query() query: AppRecordsQuery,
  ): Promise<RecordsPage<SampleRecordDto | SummaryRecordDto>> {
    return this.me.records(await this.me.own(accountId), resource, query);
  }
}
