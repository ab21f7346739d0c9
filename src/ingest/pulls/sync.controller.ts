import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { Clock } from '../../platform/platform/clock.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { AccountPulls } from './account-pulls.service.js';
import { PullInspection } from './pull-inspection.service.js';
import {
  ProgressDto,
  PullDto,
  SyncReceipt,
  TaskDetailDto,
  TaskDto,
  toProgressDto,
  toPullDto,
  toTaskDto,
} from './sync.dto.js';
import { PullListQuery, SyncRequest, TaskListQuery, TaskPath } from './sync.query.js';

@ApiTags('sync')
@ForOperators()
@Controller('admin/v1')
export class SyncController {
  constructor(
    private readonly inspection: PullInspection,
    private readonly accountPulls: AccountPulls,
    private readonly clock: Clock,
  ) {}

  @Post('accounts/:account_id/sync')
  @HttpCode(202)
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'Pull an account again; the work is stored before the answer' })
  @ApiAcceptedResponse({ type: SyncReceipt })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async sync(@Param() { account_id }: AccountPath, @Body() options: SyncRequest): Promise<SyncReceipt> {
    return { account_id, task_ids: await this.accountPulls.request(account_id, options) };
  }

  @Get('sync/tasks')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Pulls waiting, running and ended, newest first' })
  @ApiPage(TaskDto)
  @ApiProblem('invalid_request')
  async tasks(@Query() { account_id: accountId, ...query }: TaskListQuery): Promise<Page<TaskDto>> {
    return mapPage(await this.inspection.listTasks({ ...query, accountId }), (task) =>
      toTaskDto(task, this.clock.now()),
    );
  }

  @Get('sync/tasks/:id')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'One pull: cursor, pages, records, attempts, last error, share done, estimated end' })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiOkResponse({ type: TaskDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  async task(@Param() { id }: TaskPath): Promise<TaskDetailDto> {
    const task = toTaskDto(await this.inspection.getTask(id), this.clock.now());
    return { ...task, rejections: await this.inspection.rejections(id) };
  }

  @Get('sync/progress')
  @Role('viewer')
  @ApiOperation({ summary: 'The state of all pulls together' })
  @ApiOkResponse({ type: ProgressDto })
  async progress(): Promise<ProgressDto> {
    return toProgressDto(await this.inspection.progress());
  }

  @Get('historical-pulls')
  @Role('viewer')
  @ApiOperation({ summary: "Upstream's latest word on its own pulls of history" })
  @ApiPage(PullDto)
  @ApiProblem('invalid_request')
  async pulls(@Query() { account_id: accountId, ...query }: PullListQuery): Promise<Page<PullDto>> {
    return mapPage(await this.inspection.listPulls({ ...query, accountId }), toPullDto);
  }
}
