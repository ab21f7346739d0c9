import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, IntersectionType } from '@nestjs/swagger';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiPageWith, ApiProblem } from '../../http/server/openapi.js';
import { everyResource, RouteIs } from '../../http/server/route-facts.js';
import { onePage, type Page } from '../../platform/platform/paging.js';
import { LatestDto, LatestQuery } from './latest.dto.js';
import { LatestService } from './latest.service.js';
import { MeDto } from './me.dto.js';
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

class AccountResourcePath extends IntersectionType(AccountPath, ResourcePath) {}

/** The reads of `MeController` for the customer's backend, which names the account in the path. */
@ApiTags('backend')
@ForOperators()
@Controller('v1/accounts/:account_id')
export class AccountReadsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly me: MeService,
    private readonly latest: LatestService,
    private readonly statistics: StatisticsService,
    private readonly today: TodayService,
  ) {}

  @Get()
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get an account with its connected sources and stored resources' })
  @ApiOkResponse({ type: MeDto })
  @ApiProblem('invalid_request', 'not_found')
  async readAccount(@Param() { account_id }: AccountPath): Promise<MeDto> {
    return this.me.me(await this.accounts.get(account_id));
  }

  @Get('today')
  @RouteIs({ shows: everyResource })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Get the first screen: last night, steps, resting heart rate, newest readings and sources' })
  @ApiOkResponse({ type: TodayDto })
  @ApiProblem('invalid_request', 'not_found')
  async readToday(@Param() { account_id }: AccountPath): Promise<TodayDto> {
    return this.today.today(await this.accounts.get(account_id));
  }

  @Get('latest')
  @RouteIs({ shows: everyResource })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Newest record of each resource with its age' })
  @ApiPage(LatestDto)
  @ApiProblem('invalid_request', 'not_found')
  async readLatest(
    @Param() { account_id }: AccountPath,
    @Query() { resources }: LatestQuery,
  ): Promise<Page<LatestDto>> {
    return onePage(await this.latest.latest(await this.accounts.get(account_id), resources));
  }

  @Get('daily')
  @RouteIs({ shows: everyResource })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Daily statistics: totals merged from all sources, measures from one source per day' })
  @ApiPage(DailyDto)
  @ApiProblem('invalid_request', 'not_found')
  async readDays(@Param() { account_id }: AccountPath, @Query() query: DailyQuery): Promise<Page<DailyDto>> {
    return onePage(await this.statistics.daily(await this.accounts.get(account_id), query));
  }

  @Get('hourly')
  @RouteIs({ shows: everyResource })
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Hourly statistics: totals merged from all sources, measures from one source per day' })
  @ApiPage(HourlyDto)
  @ApiProblem('invalid_request', 'not_found')
  async readHours(@Param() { account_id }: AccountPath, @Query() query: HourlyQuery): Promise<Page<HourlyDto>> {
    return onePage(await this.statistics.hourly(await this.accounts.get(account_id), query));
  }

  @Get('records/:resource')
  @Role('reader', 'backend')
  @ApiOperation({ summary: 'Records of a resource as the app reads them, oldest first' })
  @ApiPageWith({ thinned_until: thinnedUntil }, SampleRecordDto, SummaryRecordDto)
  @ApiProblem('invalid_request', 'not_found', 'not_synced')
  async readRecords(
    @Param() { account_id, resource }: AccountResourcePath,
    @Query() query: AppRecordsQuery,
  ): Promise<RecordsPage<SampleRecordDto | SummaryRecordDto>> {
    return this.me.records(await this.accounts.get(account_id), resource, query);
  }
}
