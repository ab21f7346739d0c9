import { ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { pulledResources } from '../../health/catalogue/catalogue.js';
import { AccountFilter } from '../../http/server/account-path.js';
import { count, OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsLine, IsText } from '../../http/server/validation.js';
import { type ChangeKind, changeKinds } from '../../platform/config/feed-scope.js';
import { uuidPattern } from '../../platform/platform/ids.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { type ChangeOrigin, changeOrigins } from '../../storage/change-log/change.js';
import { positionText } from './place-in-feed.js';
import { type PushAnswer, type PushError, pushErrors } from './push-answer.js';
import type { ShownPush } from './pushes.repository.js';
import {
  type DisabledReason,
  disabledReasons,
  type Payload,
  type PushState,
  payloads,
  pushStates,
  type SubscriptionState,
  subscriptionStates,
} from './subscription.entity.js';
import type { ShownSubscription } from './subscriptions.repository.js';

const all = 'Null: all.';

export class SubscriptionPath {
  @ApiProperty({ format: 'uuid' })
  @Matches(uuidPattern, { message: '$property must be a uuid' })
  subscription_id: string;
}

export class PushPath extends SubscriptionPath {
  @ApiProperty({ description: 'Id of the change; also the `webhook-id` of its push.' })
  @IsText(/^[0-9a-z-]{1,64}$/, 'the id of a change')
  change_id: string;
}

export class SubscriptionRequest {
  @ApiProperty({
    example: 'https://backend.example.com/pulsekeep',
    maxLength: 2_048,
    description:
      'URL that receives each push as a POST: https with a public address, unless PUSH_ALLOWED_NETWORKS allows ' +
      'others. Or a broker: `nats+tls://HOST?prefix=P` (JetStream) or `amqps://HOST/VHOST?exchange=E&prefix=P` ' +
      '(RabbitMQ); `nats://` and `amqp://` like http.',
  })
  @IsString()
  @MaxLength(2_048)
  url: string;

  @OptionalField({ type: String, nullable: true, minLength: 1, maxLength: 255, example: 'our backend' })
  @IsLine()
  description?: string | null;

  @OptionalField(
    {
      enum: payloads,
      default: 'thin',
      description:
        'thin: the change, without health values. whole: also the current state, as in GET /v1/changes with values. ' +
        'fhir: what changed as a Bundle of FHIR R4 (application/fhir+json), as GET with that Accept gives it; needs kinds ' +
        'of result, order and order_transaction. ' +
        'text: `{"text": "..."}` for Slack, Mattermost and Google Chat; teams: a card for Microsoft Teams; pagerduty: an ' +
        'event of its Events API v2, with PAGERDUTY_ROUTING_KEY. text, teams and pagerduty need kinds ["alarm"].',
    },
    'refused',
  )
  payload?: Payload;

  @OptionalField({ type: [String], enum: changeKinds, nullable: true, description: all, example: ['summary'] })
  kinds?: ChangeKind[] | null;

  @OptionalField({
    type: [String],
    enum: pulledResources,
    nullable: true,
    description: 'Resources whose record changes are sent; other kinds are not affected. Null: all.',
    example: ['sleep'],
  })
  resources?: string[] | null;

  @OptionalField({ type: [String], enum: changeOrigins, nullable: true, description: all, example: ['live'] })
  origins?: ChangeOrigin[] | null;

  @OptionalField(
    {
      minLength: 1,
      maxLength: 255,
      description: 'Only changes of this account. The subscription is deleted when the account is erased.',
    },
    'refused',
  )
  @IsLine()
  account_id?: string;

  @OptionalField({ description: 'Feed cursor to start after. Default: now.', maxLength: 64 }, 'refused')
  @IsString()
  @MaxLength(64)
  after?: string;
}

export class SubscriptionPatch extends PartialType(OmitType(SubscriptionRequest, ['account_id', 'after'] as const), {
  skipNullProperties: false,
}) {}

export class RotationRequest {
  @OptionalField(
    {
      ...count,
      maximum: 168,
      default: 24,
      description: 'Hours in which pushes are also signed with the previous secret; 0 ends it immediately.',
    },
    'refused',
  )
  @IsInt()
  @Min(0)
  @Max(168)
  previous_valid_hours?: number;
}

export class EnableRequest extends PickType(SubscriptionRequest, ['after'] as const) {}

export class PushListQuery extends PageQuery {
  @OptionalField({ enum: pushStates })
  state?: PushState;

  @OptionalField({ enum: changeKinds })
  kind?: ChangeKind;

  @AccountFilter() account_id?: string;

  @OptionalField({ ...time, description: 'First recorded at or after this time.' })
  start?: number;

  @OptionalField({ ...time, description: 'First recorded before this time.' })
  end?: number;

  @OptionalField({ ...time, deprecated: true, description: 'Former name of start.' })
  from?: number;

  @OptionalField({ ...time, deprecated: true, description: 'Former name of end.' })
  to?: number;
}

/** The conditions of a request, with the present names of its times. */
export function conditionsOf<Given extends Pick<PushListQuery, 'account_id' | 'from' | 'to' | 'start' | 'end'>>({
  account_id: accountId,
  from,
  to,
  ...given
}: Given): Omit<Given, 'account_id' | 'from' | 'to'> & { accountId: string | undefined } {
  return { start: from, end: to, ...given, accountId };
}

/** Either `after`, or conditions on pushes in the log; at least one of them. */
export class PushReplayRequest extends PickType(PushListQuery, [
  'state',
  'kind',
  'account_id',
  'start',
  'end',
  'from',
  'to',
] as const) {
  @OptionalField(
    {
      maxLength: 64,
      description: 'Feed cursor after which everything is resent, even if it is no longer in the log.',
    },
    'refused',
  )
  @IsString()
  @MaxLength(64)
  after?: string;
}

export class PushReplayReceipt {
  @ApiProperty({ ...count, nullable: true, description: 'Pushes to resend; null with `after`.' })
  count: number | null;
}

export class SubscriptionDto {
  @ApiProperty({ format: 'uuid' }) subscription_id: string;
  @ApiProperty() url: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ enum: payloads }) payload: Payload;
  @ApiProperty({ type: [String], nullable: true, description: all }) kinds: string[] | null;
  @ApiProperty({ type: [String], nullable: true, description: all }) resources: string[] | null;
  @ApiProperty({ type: [String], nullable: true, description: all }) origins: string[] | null;
  @ApiProperty({ type: String, nullable: true, description: all }) account_id: string | null;
  @ApiProperty({ enum: subscriptionStates }) state: SubscriptionState;
  @ApiProperty({ enum: disabledReasons, nullable: true, description: 'Why it is disabled; null while active.' })
  reason: DisabledReason | null;
  @ApiProperty({ description: 'Feed cursor up to which changes are in the log.' }) position: string;
  @ApiProperty({ ...count, description: 'Changes after the position, including those filtered out.' }) behind: number;
  @ApiProperty({ ...count, description: 'Accounts whose pushes failed or took too long; their later changes wait.' })
  accounts_waiting: number;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...timeOrNull, description: 'Time of the last successful push.' }) delivered_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the first failure since then; null while pushes succeed.' })
  failing_since: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Code of the last failure.' })
  last_error: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status of that failure.' })
  last_status: number | null;
  @ApiProperty(timeOrNull) next_attempt_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time until which the previous secret also signs.' })
  previous_secret_until: string | null;
}

export class SubscriptionWithSecretDto extends SubscriptionDto {
  @ApiProperty({ description: 'Standard Webhooks secret. Shown only in this response; rotate it if it is lost.' })
  secret: string;
}

export class PushDto {
  @ApiProperty({ description: 'Id of the change; also the `webhook-id` of the push.' }) change_id: string;
  @ApiProperty({ enum: changeKinds }) kind: ChangeKind;
  @ApiProperty({ type: String, nullable: true }) account_id: string | null;
  @ApiProperty({ enum: pushStates }) state: PushState;
  @ApiProperty({ ...count, description: 'Attempts since the push was recorded or resent by an operator.' })
  attempts: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status of the last attempt.' })
  status: number | null;
  @ApiProperty({ enum: pushErrors, nullable: true }) error: PushError | null;
  @ApiProperty({ ...count, nullable: true }) duration_ms: number | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty(timeOrNull) attempted_at: string | null;
}

export class PushTestDto {
  @ApiProperty() delivered: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status; null without a response.' })
  status: number | null;
  @ApiProperty({ enum: pushErrors, nullable: true }) error: PushError | null;
  @ApiProperty(count) duration_ms: number;
}

export function toSubscriptionDto(row: ShownSubscription, now: number): SubscriptionDto {
  const { id: subscription_id, url, description, payload, state, reason } = row;
  const isFailing = row.failing_since !== null;
  const previous = row.previous_until !== null && row.previous_until > now ? row.previous_until : null;
  return {
    ...{ subscription_id, url, description, payload },
    ...{ kinds: listOf(row.kinds), resources: listOf(row.resources), origins: listOf(row.origins) },
    ...{ account_id: row.external_id, state, reason, position: positionText(row) },
    behind: Math.max(0, row.newest - row.number),
    accounts_waiting: row.parked,
    created_at: toIso(row.created_at),
    delivered_at: isoOrNull(row.delivered_at),
    failing_since: isoOrNull(row.failing_since),
    ...{ last_error: row.error_code, last_status: row.last_status },
    next_attempt_at: isFailing ? isoOrNull(row.due_at) : null,
    previous_secret_until: isoOrNull(previous),
  };
}

export function toPushDto(row: ShownPush): PushDto {
  const { change_id, kind, external_id: account_id, state, attempts, status, error_code: error, duration_ms } = row;
  const times = { created_at: toIso(row.created_at), attempted_at: isoOrNull(row.attempted_at) };
  return { change_id, kind, account_id, state, attempts, status, error, duration_ms, ...times };
}

export function toPushTestDto({ error, status, durationMs }: PushAnswer): PushTestDto {
  return { delivered: error === null, status, error, duration_ms: durationMs };
}

function listOf(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[]);
}
