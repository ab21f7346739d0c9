import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsObject, IsUUID, Matches } from 'class-validator';
import { AccountFilter } from '../../http/server/account-path.js';
import { OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { toIso } from '../../platform/platform/time.js';
import { type LinkOutcome, linkOutcomes, type OutcomeSource, outcomeSources } from './link-attempt.entity.js';
import type { AttemptView } from './link-attempts.service.js';
import { type LinkState, linkStates } from './link-state.js';

export class LinkAttemptListQuery extends PageQuery {
  @AccountFilter() account_id?: string;

  @OptionalField({ enum: linkStates })
  state?: LinkState;

  @OptionalField({ example: 'oura', description: 'The provider that came, or was asked for.' })
  @Matches(slugPattern)
  provider?: string;

  @OptionalField({ ...time, description: 'Begun at this time or later.' })
  start?: number;

  @OptionalField({ ...time, description: 'Begun before this time.' })
  end?: number;
}

/** One linking attempt; nothing of its token. */
export class LinkAttemptDto {
  @ApiProperty({ format: 'uuid' }) link_attempt_id: string;
  @ApiProperty() account_id: string;
  @ApiProperty({
    enum: linkStates,
    description: 'An attempt without a reported outcome is open, and expired after ten minutes.',
  })
  state: LinkState;
  @ApiProperty({ description: 'True if a connection confirmed it. Outcomes reported by apps are hints.' })
  confirmed: boolean;
  @ApiProperty({ enum: outcomeSources, nullable: true, description: 'Who said how it ended.' })
  outcome_source: OutcomeSource | null;
  @ApiProperty({ type: String, nullable: true, example: 'provider_credential_error' }) error_type: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The one asked for; null when the person chooses.' })
  provider: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The one that came.' }) connected_provider: string | null;
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
    outcome_at: attempt.outcome_at === null ? null : toIso(attempt.outcome_at),
  };
}

/** Where an app can know from how linking ended. */
const reportedSources = ['report', 'redirect'] as const;

export class LinkOutcomeReport {
  @OptionalField({ format: 'uuid' })
  @IsUUID()
  link_attempt_id?: string;

  @ApiProperty({ enum: linkOutcomes })
  @IsIn(linkOutcomes)
  outcome: LinkOutcome;

  @OptionalField({ description: "Upstream's error_type, an open list." })
  @Matches(/^[A-Za-z0-9_.-]{1,64}$/)
  error_type?: string;

  @OptionalField({
    enum: reportedSources,
    default: 'report',
    description: 'report: of the widget; redirect: `state` and `error_type` of the address it came back to.',
  })
  source?: (typeof reportedSources)[number];

  @OptionalField({ type: Object, description: "The widget's metadata; accepted and not kept." })
  @IsObject()
  metadata?: object;
}
