import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
  conditionsOf,
  EnableRequest,
  PushDto,
  PushListQuery,
  PushPath,
  PushReplayReceipt,
  PushReplayRequest,
  PushTestDto,
  RotationRequest,
  SubscriptionDto,
  SubscriptionPatch,
  SubscriptionPath,
  SubscriptionRequest,
  SubscriptionWithSecretDto,
  toPushDto,
  toPushTestDto,
  toSubscriptionDto,
} from './subscriptions.dto.js';
import { Subscriptions } from './subscriptions.service.js';

const cursorCodes = ['cursor_expired', 'feed_restarted', 'cursor_ahead'] as const;

@ApiTags('subscriptions')
@ForOperators()
@Controller('admin/v1/subscriptions')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Role('operator')
  @ApiOperation({ summary: 'Create a subscription; only this response contains its secret' })
  @ApiCreatedResponse({ type: SubscriptionWithSecretDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', ...cursorCodes)
  async createSubscription(@Body() { account_id, ...body }: SubscriptionRequest): Promise<SubscriptionWithSecretDto> {
    const { secret, ...row } = await this.subscriptions.create({ ...body, accountId: account_id });
    return { ...this.shown(row), secret };
  }

  @Get()
  @Role('operator')
  @ApiOperation({ summary: 'Subscriptions: endpoints that changes are pushed to' })
  @ApiPage(SubscriptionDto)
  @ApiProblem('invalid_request')
  @Columns(
    'subscription_id',
    'state',
    'reason',
    'url',
    'kinds',
    'behind',
    'accounts_waiting',
    'failing_since',
    'last_error',
  )
  async listSubscriptions(@Query() query: PageQuery): Promise<Page<SubscriptionDto>> {
    return mapPage(await this.subscriptions.list(query), (row) => this.shown(row));
  }

  @Get(':subscription_id')
  @Role('operator')
  @ApiOperation({ summary: 'Get a subscription with its position and last failure' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async getSubscription(@Param() { subscription_id }: SubscriptionPath): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.get(subscription_id));
  }

  @Patch(':subscription_id')
  @Role('operator')
  @ApiOperation({ summary: 'Change the URL, payload or filters for future pushes' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async updateSubscription(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() body: SubscriptionPatch,
  ): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.update(subscription_id, body));
  }

  @Delete(':subscription_id')
  @HttpCode(204)
  @Role('operator')
  @ApiOperation({ summary: 'Delete a subscription' })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'not_found')
  deleteSubscription(@Param() { subscription_id }: SubscriptionPath): Promise<void> {
    return this.subscriptions.delete(subscription_id);
  }

  @Post(':subscription_id/rotate-secret')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Rotate the secret; pushes carry both signatures until the previous secret ends' })
  @ApiOkResponse({ type: SubscriptionWithSecretDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async rotateSubscriptionSecret(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { previous_valid_hours: hours = 24 }: RotationRequest,
  ): Promise<SubscriptionWithSecretDto> {
    const { secret, ...row } = await this.subscriptions.rotate(subscription_id, hours);
    return { ...this.shown(row), secret };
  }

  @Post(':subscription_id/disable')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Pause a subscription; it keeps its position in the feed' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async disableSubscription(@Param() { subscription_id }: SubscriptionPath): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.disable(subscription_id));
  }

  @Post(':subscription_id/enable')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Resume a subscription from its position, or after a cursor' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found', ...cursorCodes)
  async enableSubscription(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { after }: EnableRequest,
  ): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.enable(subscription_id, after));
  }

  @Post(':subscription_id/test')
  @HttpCode(200)
  @Role('operator')
  @RouteIs({ limit: 'keys_upstream' })
  @ApiOperation({ summary: 'Send a signed `test` event now, even if the subscription is disabled' })
  @ApiOkResponse({ type: PushTestDto })
  @ApiProblem('invalid_request', 'not_found')
  async testSubscription(@Param() { subscription_id }: SubscriptionPath): Promise<PushTestDto> {
    return toPushTestDto(await this.subscriptions.test(subscription_id));
  }

  @Get(':subscription_id/pushes')
  @Role('operator')
  @RouteIs({ fromReplica: true })
  @ApiOperation({ summary: 'Pushes of the last 7 days, newest change first' })
  @ApiPage(PushDto)
  @ApiProblem('invalid_request', 'not_found')
  async listPushes(
    @Param() { subscription_id }: SubscriptionPath,
    @Query() query: PushListQuery,
  ): Promise<Page<PushDto>> {
    return mapPage(await this.subscriptions.listPushes(subscription_id, conditionsOf(query)), toPushDto);
  }

  @Post(':subscription_id/pushes/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Resend matching pushes, or everything after a cursor; ids stay the same' })
  @ApiAcceptedResponse({ type: PushReplayReceipt })
  @ApiProblem('invalid_request', 'not_found', ...cursorCodes)
  async replayPushes(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { after, ...given }: PushReplayRequest,
  ): Promise<PushReplayReceipt> {
    const conditions = conditionsOf(given);
    const isFiltered = Object.values(conditions).some((value) => value !== undefined);
    if ((after !== undefined) === isFiltered) {
      throw new AppError('invalid_request', 'Send either `after` or at least one condition, not both.');
    }
    if (after === undefined) {
      return { count: await this.subscriptions.replayAll(subscription_id, conditions) };
    }
    await this.subscriptions.replayAfter(subscription_id, after);
    return { count: null };
  }

  @Post(':subscription_id/pushes/:change_id/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Resend a push' })
  @ApiAcceptedResponse({ type: PushDto })
  @ApiProblem('invalid_request', 'not_found')
  async replayPush(@Param() { subscription_id, change_id }: PushPath): Promise<PushDto> {
    return toPushDto(await this.subscriptions.replay(subscription_id, change_id));
  }

  private shown(row: Parameters<typeof toSubscriptionDto>[0]): SubscriptionDto {
    return toSubscriptionDto(row, this.clock.now());
  }
}
