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
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import {
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
  @ApiOperation({ summary: 'Push changes to an endpoint; the response alone shows the secret that signs them' })
  @ApiCreatedResponse({ type: SubscriptionWithSecretDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict', ...cursorCodes)
  async create(@Body() { account_id, ...body }: SubscriptionRequest): Promise<SubscriptionWithSecretDto> {
    const { secret, ...row } = await this.subscriptions.create({ ...body, accountId: account_id });
    return { ...this.shown(row), secret };
  }

  @Get()
  @Role('operator')
  @ApiOperation({ summary: 'Endpoints that changes are pushed to' })
  @ApiPage(SubscriptionDto)
  @ApiProblem('invalid_request')
  async list(@Query() query: PageQuery): Promise<Page<SubscriptionDto>> {
    return mapPage(await this.subscriptions.list(query), (row) => this.shown(row));
  }

  @Get(':subscription_id')
  @Role('operator')
  @ApiOperation({ summary: 'One subscription: how far it is, and what fails' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async get(@Param() { subscription_id }: SubscriptionPath): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.get(subscription_id));
  }

  @Patch(':subscription_id')
  @Role('operator')
  @ApiOperation({ summary: 'Change the address, the payload or the filters; holds for what is sent from now on' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async update(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() body: SubscriptionPatch,
  ): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.update(subscription_id, body));
  }

  @Delete(':subscription_id')
  @HttpCode(204)
  @Role('operator')
  @ApiOperation({ summary: 'End a subscription; nothing more is sent' })
  @ApiNoContentResponse()
  @ApiProblem('invalid_request', 'not_found')
  delete(@Param() { subscription_id }: SubscriptionPath): Promise<void> {
    return this.subscriptions.delete(subscription_id);
  }

  @Post(':subscription_id/rotate-secret')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Make a new secret; pushes carry the signatures of both until the previous one ends' })
  @ApiOkResponse({ type: SubscriptionWithSecretDto })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async rotate(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { previous_valid_hours: hours = 24 }: RotationRequest,
  ): Promise<SubscriptionWithSecretDto> {
    const { secret, ...row } = await this.subscriptions.rotate(subscription_id, hours);
    return { ...this.shown(row), secret };
  }

  @Post(':subscription_id/disable')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Send nothing until it is enabled; its place in the feed stays' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found')
  async disable(@Param() { subscription_id }: SubscriptionPath): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.disable(subscription_id));
  }

  @Post(':subscription_id/enable')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Send again, from where it stopped or after a cursor of the feed' })
  @ApiOkResponse({ type: SubscriptionDto })
  @ApiProblem('invalid_request', 'not_found', ...cursorCodes)
  async enable(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { after }: EnableRequest,
  ): Promise<SubscriptionDto> {
    return this.shown(await this.subscriptions.enable(subscription_id, after));
  }

  @Post(':subscription_id/test')
  @HttpCode(200)
  @Role('operator')
  @ApiOperation({ summary: 'Send a signed event of the type `test` now, also to a disabled endpoint' })
  @ApiOkResponse({ type: PushTestDto })
  @ApiProblem('invalid_request', 'not_found')
  async test(@Param() { subscription_id }: SubscriptionPath): Promise<PushTestDto> {
    return toPushTestDto(await this.subscriptions.test(subscription_id));
  }

  @Get(':subscription_id/pushes')
  @Role('operator')
  @ApiOperation({ summary: 'The log of a subscription: its pushes of the last 7 days, newest change first' })
  @ApiPage(PushDto)
  @ApiProblem('invalid_request', 'not_found')
  async pushes(
    @Param() { subscription_id }: SubscriptionPath,
    @Query() { account_id, ...query }: PushListQuery,
  ): Promise<Page<PushDto>> {
    return mapPage(
      await this.subscriptions.listPushes(subscription_id, { ...query, accountId: account_id }),
      toPushDto,
    );
  }

  @Post(':subscription_id/pushes/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Send once more what matches, or everything after a cursor; the ids stay the same' })
  @ApiAcceptedResponse({ type: PushReplayReceipt })
  @ApiProblem('invalid_request', 'not_found', ...cursorCodes)
  async replayAll(
    @Param() { subscription_id }: SubscriptionPath,
    @Body() { after, account_id: accountId, ...filter }: PushReplayRequest,
  ): Promise<PushReplayReceipt> {
    const isFiltered = [accountId, ...Object.values(filter)].some((value) => value !== undefined);
    if ((after !== undefined) === isFiltered) {
      throw new AppError('invalid_request', 'Name a cursor in `after`, or at least one condition, and not both.');
    }
    if (after === undefined) {
      return { count: await this.subscriptions.replayAll(subscription_id, { ...filter, accountId }) };
    }
    await this.subscriptions.replayAfter(subscription_id, after);
    return { count: null };
  }

  @Post(':subscription_id/pushes/:change_id/replay')
  @HttpCode(202)
  @Role('operator')
  @ApiOperation({ summary: 'Send one push once more' })
  @ApiAcceptedResponse({ type: PushDto })
  @ApiProblem('invalid_request', 'not_found')
  async replay(@Param() { subscription_id, change_id }: PushPath): Promise<PushDto> {
    return toPushDto(await this.subscriptions.replay(subscription_id, change_id));
  }

  private shown(row: Parameters<typeof toSubscriptionDto>[0]): SubscriptionDto {
    return toSubscriptionDto(row, this.clock.now());
  }
}
