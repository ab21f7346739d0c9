import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { OperatorPulls } from './operator-pulls.service.js';
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
    private readonly pulls: OperatorPulls,
    private readonly rejected: RejectedRecords,
    private readonly clock: Clock,
  ) {}

  @Post('accounts/:account_id/sync')
  @HttpCode(202)
  @Role('operator', 'backend')
  @ApiOperation({ summary: 'Pull an account again; the tasks are stored before the response' })
  @ApiAcceptedResponse({ type: SyncReceipt })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async requestSync(@Param() { account_id }: AccountPath, @Body() options: SyncRequest): Promise<SyncReceipt> {
    return { account_id, task_ids: await this.pulls.request(account_id, options) };
  }

  @Get('sync/tasks')
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Pull tasks, newest first' })
  @ApiPage(TaskDto)
  @ApiProblem('invalid_request')
  @Columns('id', 'status', 'account_id', 'provider', 'resource', 'start', 'end', 'records', 'last_error', 'due_at')
  async listSyncTasks(@Query() query: TaskListQuery): Promise<Page<TaskDto>> {
    return mapPage(await this.inspection.listTasks(query), (task) => toTaskDto(task, this.clock.now()));
  }

  @Get('sync/tasks/:id')
  @Role('viewer', 'backend')
  @ApiOperation({ summary: 'Get a pull task with its progress' })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiOkResponse({ type: TaskDetailDto })
  @ApiProblem('invalid_request', 'not_found')
  async getSyncTask(@Param() { id }: TaskPath): Promise<TaskDetailDto> {
    const task = toTaskDto(await this.inspection.getTask(id), this.clock.now());
    return { ...task, rejections: await this.rejected.reasonsOf('sync', id) };
  }

  @Get('sync/progress')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Get the progress of all pulls' })
  @ApiOkResponse({ type: ProgressDto })
  async getSyncProgress(): Promise<ProgressDto> {
    return toProgressDto(await this.inspection.progress());
  }

  @Get('historical-pulls')
  @Role('viewer')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: "Latest status of upstream's historical pulls" })
  @ApiPage(PullDto)
  @ApiProblem('invalid_request')
  async listHistoricalPulls(@Query() query: PullListQuery): Promise<Page<PullDto>> {
    return mapPage(await this.inspection.listPulls(query), toPullDto);
  }
}
