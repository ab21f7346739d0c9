import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsSlug, ToBool } from '../../http/server/validation.js';
import { isGiven, type WireFields } from '../../platform/platform/json-reader.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { WireAcceptance, WireResolution } from '../../upstream/client/wire-unmatched-results.js';
import { UpstreamId, UpstreamKey } from '../order-api/orders.query.js';
import type { Decided } from './deciding.service.js';
import type { OwnedCandidate, OwnedResult } from './unmatched-results.repository.js';
import type { UnmatchedResult } from './unmatched-results.service.js';

const maybeId = { ...textOrNull, format: 'uuid' } as const;
const codes = { type: 'array', items: { type: 'string' } } as const;

export class UnmatchedResultPath {
  @UpstreamKey('an unmatched result') id: string;
}

export class UnmatchedResultListQuery extends PageQuery {
  @OptionalField({ type: 'boolean', description: 'Only those that wait (true) or do not wait (false) for a decision.' })
  @ToBool()
  waiting?: boolean;

  @OptionalField({
    description: 'pending_customer_review, pending_ops_review, matched or resolved; upstream may add values.',
  })
  @IsSlug()
  status?: string;

  @OptionalField({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id?: string;
}

class DecisionBody {
  @OptionalField({
    ...textOrNull,
    maxLength: 1000,
    description: 'For upstream; not stored.',
    example: 'Same sample id',
  })
  @IsString()
  @MaxLength(1000)
  note?: string | null;
}

export class AcceptBody extends DecisionBody {
  @UpstreamId(OptionalField({ ...maybeId, description: "Upstream's user id of the candidate." }))
  user_id?: string | null;

  @UpstreamId(OptionalField({ ...maybeId, description: 'Order of the candidate; optional if there is only one.' }))
  order_id?: string | null;
}

export const resolutions = ['reject', 'unsure'] as const;

export class ResolveBody extends DecisionBody {
  @ApiProperty({ enum: resolutions, description: "unsure: upstream's staff decide." })
  @IsIn(resolutions)
  action: (typeof resolutions)[number];
}

export class UnmatchedResultDto {
  @ApiProperty() id: string;
  @ApiProperty({ example: 'pending_customer_review' }) status: string;
  @ApiProperty({ description: 'True while it waits for your decision.' }) waiting: boolean;
  @ApiProperty({ ...textOrNull, example: 'multiple_demo_match' }) decision_code: string | null;
  @ApiProperty({ ...codes, example: ['name_differs'] }) sub_reason_codes: string[];
  @ApiProperty({
    ...codes,
    example: ['accept', 'reject', 'unsure'],
    description: 'Empty until the item has been read.',
  })
  allowed_actions: string[];
  @ApiProperty({ ...textOrNull, example: 'quest' }) lab_slug: string | null;
  @ApiProperty({ ...textOrNull, example: 'final' }) result_status: string | null;
  @ApiProperty({
    ...textOrNull,
    description: 'Account named by the event, or owner of the order it was attached to; null if unknown.',
  })
  account_id: string | null;
  @ApiProperty({ ...maybeId, description: 'Order it was attached to, which need not be a candidate; null if none.' })
  order_id: string | null;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...timeOrNull, description: 'Null until the item has been read.' }) updated_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When the item was last read from upstream.' }) read_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When upstream no longer returned it; null while it does.' }) gone_at:
    | string
    | null;
}

export class CandidateDto {
  @ApiProperty({ ...textOrNull, description: 'Null if the user has no account here.' }) account_id: string | null;
  @ApiProperty({ ...maybeId, description: 'Upstream user id.' }) user_id: string | null;
  @ApiProperty({ ...textOrNull, example: 'order_option' }) candidate_type: string | null;
  @ApiProperty(maybeId) order_id: string | null;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty({ ...textOrNull, example: 'sample_with_lab' }) last_status: string | null;
  @ApiProperty({ ...textOrNull, example: 'high' }) confidence_level: string | null;
}

export class UnmatchedResultDetailDto extends UnmatchedResultDto {
  @ApiProperty({ type: [CandidateDto], description: 'Candidates may belong to different people.' })
  candidates: CandidateDto[];
}

export class ShownUnmatchedResultDto extends UnmatchedResultDetailDto {
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description:
      'The item as upstream sent it for this request: patient, markers, reason, interpretation. Never stored. Null ' +
      'without the role reader, and if upstream is unavailable or no longer shows it.',
    example: { reason: 'The sample id is known, the birth date differs.', markers: [{ name: 'Ferritin' }] },
  })
  content: WireFields | null;
  @ApiProperty({ description: 'True if upstream could not be reached for this request.' }) stale: boolean;
}

export class DecidedUnmatchedResultDto extends UnmatchedResultDetailDto {
  @ApiProperty({ description: 'Returned from the store without a call to upstream.' }) replayed: boolean;
}

export function acceptanceOf({ user_id, order_id, note }: AcceptBody): WireAcceptance {
  return {
    ...(isGiven(user_id) && { user_id }),
    ...(isGiven(order_id) && { order_id }),
    ...(isGiven(note) && { note }),
  };
}

export function resolutionOf({ action, note }: ResolveBody): WireResolution {
  return { action, ...(isGiven(note) && { note }) };
}

export function toUnmatchedResultDto(row: OwnedResult): UnmatchedResultDto {
  const { id, status, decision_code, lab_slug, result_status, order_id, order_transaction_id } = row;
  return {
    id,
    status,
    waiting: row.waiting === 1,
    decision_code,
    sub_reason_codes: JSON.parse(row.sub_reason_codes) as string[],
    allowed_actions: JSON.parse(row.allowed_actions) as string[],
    lab_slug,
    result_status,
    account_id: row.external_id,
    order_id,
    order_transaction_id,
    created_at: toIso(row.created_at),
    updated_at: row.version === 0 ? null : toIso(row.version),
    read_at: isoOrNull(row.read_at),
    gone_at: isoOrNull(row.gone_at),
  };
}

function toCandidateDto(row: OwnedCandidate): CandidateDto {
  const { user_id, candidate_type, order_id, order_transaction_id, last_status, confidence_level } = row;
  const ids = { account_id: row.external_id, user_id, order_id, order_transaction_id };
  return { ...ids, candidate_type, last_status, confidence_level };
}

function toDetailDto({ result, candidates }: UnmatchedResult): UnmatchedResultDetailDto {
  return { ...toUnmatchedResultDto(result), candidates: candidates.map(toCandidateDto) };
}

export function toShownDto(
  shown: UnmatchedResult,
  { content, stale }: Pick<ShownUnmatchedResultDto, 'content' | 'stale'>,
): ShownUnmatchedResultDto {
  return { ...toDetailDto(shown), content, stale };
}

export function toDecidedDto({ replayed, ...decided }: Decided): DecidedUnmatchedResultDto {
  return { ...toDetailDto(decided), replayed };
}
