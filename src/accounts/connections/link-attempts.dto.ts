import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsObject, IsUUID } from 'class-validator';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsSlug, IsText } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { type LinkOutcome, linkOutcomes, type OutcomeSource, outcomeSources } from './link-attempt.entity.js';
import type { AttemptView } from './link-attempts.service.js';
import { type LinkState, linkStates } from './link-state.js';

export class LinkAttemptListQuery extends PageQuery {
  @AccountFilter() account_id?: string;

  @OptionalField({ enum: linkStates })
  state?: LinkState;

  @OptionalField({ example: 'oura', description: 'Connected provider, or the requested one.' })
  @IsSlug()
  provider?: string;

  @OptionalField({ ...time, description: 'Started at or after this time.' })
  start?: number;

  @OptionalField({ ...time, description: 'Started before this time.' })
  end?: number;
}

/** A link attempt, without its token. */
export class LinkAttemptDto {
  @ApiProperty({ format: 'uuid' }) link_attempt_id: string;
  @ApiProperty() account_id: string;
  @ApiProperty({
    enum: linkStates,
    description: 'An attempt without an outcome is open, and expired after ten minutes.',
  })
  state: LinkState;
  @ApiProperty({ description: 'True if a connection confirmed the outcome; a report by the app is only a hint.' })
  confirmed: boolean;
  @ApiProperty({ enum: outcomeSources, nullable: true, description: 'Origin of the outcome; null without one.' })
  outcome_source: OutcomeSource | null;
  @ApiProperty({ type: String, nullable: true, example: 'provider_credential_error' }) error_type: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Requested provider; null if the person chooses.' })
  provider: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Connected provider; null if none.' }) connected_provider:
    | string
    | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
  @ApiProperty(timeOrNull) outcome_at: string | null;
}

export function toLinkAttemptDto(attempt: AttemptView): LinkAttemptDto {
  return {
    link_attempt_id: attempt.link_attempt_id,
    account_id: attempt.account,
    state: attempt.state,
    confirmed: attempt.outcome_source === 'connection',
    outcome_source: attempt.outcome_source,
    error_type: attempt.error_type,
    provider: attempt.provider,
    connected_provider: attempt.connected_provider,
    created_at: toIso(attempt.created_at),
    expires_at: toIso(attempt.expires_at),
    outcome_at: isoOrNull(attempt.outcome_at),
  };
}

/** How an app learns the outcome. */
const reportedSources = ['report', 'redirect'] as const;

export class LinkOutcomeReport {
  @OptionalField({ format: 'uuid' })
  @IsUUID()
  link_attempt_id?: string;

  @ApiProperty({ enum: linkOutcomes })
  @IsIn(linkOutcomes)
  outcome: LinkOutcome;

  @OptionalField({ description: '`error_type` from upstream, which may add values.' })
  @IsText(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 of the characters A-Z, a-z, 0-9, _, . and -')
  error_type?: string;

  @OptionalField({
    enum: reportedSources,
    default: 'report',
    description: 'report: from the widget. redirect: `state` and `error_type` in the redirect URL.',
  })
  source?: (typeof reportedSources)[number];

  @OptionalField({ type: Object, description: 'Metadata from the widget; accepted but not stored.' })
  @IsObject()
  metadata?: object;
}
