import { ApiProperty } from '@nestjs/swagger';
import { AccountFilter } from '../../http/server/account-path.js';
import { count, OptionalField, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsLine, IsSlug, rowNumber, ToInt } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { pulledResources } from '../catalogue/catalogue.js';
import { type HoldState, holdStates } from '../records/missing-record.entity.js';
import type { ShownHold } from './held-deletions.repository.js';

export class HoldPath {
  @ApiProperty({ type: 'integer' })
  @ToInt(rowNumber)
  id: number;
}

export class HoldListQuery extends PageQuery {
  @AccountFilter() account_id?: string;

  @OptionalField({ description: 'Provider slug.' })
  @IsSlug()
  provider?: string;

  @OptionalField({ enum: pulledResources })
  resource?: string;

  @OptionalField({ enum: holdStates })
  state?: HoldState;
}

export class DecisionRequest {
  @ApiProperty({ minLength: 1, maxLength: 255, description: 'Stored with the decision; must not name a person.' })
  @IsLine()
  reason: string;
}

export class HeldDeletionDto {
  @ApiProperty({ type: 'integer' }) id: number;
  @ApiProperty() account_id: string;
  @ApiProperty() provider: string;
  @ApiProperty() resource: string;
  @ApiProperty({ enum: holdStates }) state: HoldState;
  @ApiProperty({ ...count, description: 'Missing records, over all pulls.' }) missing: number;
  @ApiProperty({ ...count, description: 'Records returned by the last pull.' }) shown: number;
  @ApiProperty({ type: 'integer', description: 'Task of the last pull.' }) task_id: number;
  @ApiProperty(time) looked_at: string;
  @ApiProperty(time) created_at: string;
  @ApiProperty({ ...time, nullable: true }) decided_at: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the key; null before a decision.' }) decided_by:
    | string
    | null;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
}

export function toHeldDeletionDto(hold: ShownHold): HeldDeletionDto {
  const { id, account, provider, resource, state, missing, shown, task_id, decided_by, reason } = hold;
  return {
    ...{ id, account_id: account, provider, resource, state, missing, shown, task_id },
    looked_at: toIso(hold.looked_at),
    created_at: toIso(hold.created_at),
    decided_at: isoOrNull(hold.decided_at),
    ...{ decided_by, reason },
  };
}
