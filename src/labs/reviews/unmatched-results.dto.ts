import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { ToBool } from '../../http/server/validation.js';
import { slugPattern, uuidPattern } from '../../platform/platform/ids.js';
import { isGiven, type WireFields } from '../../platform/platform/json-reader.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { WireAcceptance, WireResolution } from '../../upstream/client/wire-unmatched-results.js';
import { LowerCase } from '../order-routes/orders.query.js';
import type { Decided } from './deciding.service.js';
import type { OwnedCandidate, OwnedResult } from './unmatched-results.repository.js';
import type { UnmatchedResult } from './unmatched-results.service.js';

const maybeId = { ...textOrNull, format: 'uuid' } as const;
const codes = { type: 'array', items: { type: 'string' } } as const;

export class UnmatchedResultPath {
  @ApiProperty({ minLength: 1, maxLength: 255 })
  @LowerCase()
  @Matches(/^[a-z0-9_.:-]{1,255}$/, { message: '$property must be the id of an unmatched result' })
  id: string;
}

export class UnmatchedResultListQuery extends PageQuery {
  @OptionalField({ type: 'boolean', description: 'True if it waits for a decision.' })
  @ToBool()
  waiting?: boolean;

  @OptionalField({ description: 'pending_customer_review, pending_ops_review, matched, resolved, ...' })
  @Matches(slugPattern)
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
  @OptionalField({ ...maybeId, description: "Upstream's user id of the candidate." })
  @LowerCase()
  @Matches(uuidPattern, { message: '$property must be a uuid' })
  user_id?: string | null;

  @OptionalField({ ...maybeId, description: 'The order of the candidate; may be left out if there is only one.' })
  @LowerCase()
  @Matches(uuidPattern, { message: '$property must be a uuid' })
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
  @ApiProperty({ description: 'It waits for your decision.' }) waiting: boolean;
  @ApiProperty({ ...textOrNull, example: 'multiple_demo_match' }) decision_code: string | null;
  @ApiProperty({ ...codes, example: ['name_differs'] }) sub_reason_codes: string[];
  @ApiProperty({ ...codes, example: ['accept', 'reject', 'unsure'], description: 'Empty until the item was read.' })
  allowed_actions: string[];
  @ApiProperty({ ...textOrNull, example: 'quest' }) lab_slug: string | null;
  @ApiProperty({ ...textOrNull, example: 'final' }) result_status: string | null;
  @ApiProperty({ ...textOrNull, description: 'Named by the event, or owner of the order it was attached to.' })
  account_id: string | null;
  @ApiProperty({ ...maybeId, description: 'The order it was attached to, which may be no candidate.' })
  order_id: string | null;
  @ApiProperty(maybeId) order_transaction_id: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...timeOrNull, description: 'Null until the item was read.' }) updated_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When the item was last read from upstream.' }) read_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Since when upstream no longer shows it.' }) gone_at: string | null;
}

export class CandidateDto {
  @ApiProperty({ ...textOrNull, description: 'Null if the user has no account here.' }) account_id: string | null;
  @ApiProperty({ ...maybeId, description: "Upstream's user." }) user_id: string | null;
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
  @ApiProperty({ description: 'Upstream could not be asked in this request.' }) stale: boolean;
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
