import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { textOrNull } from '../../http/server/openapi.js';
import { type ChangeKind, changeKinds } from '../../platform/config/feed-scope.js';
import { type ChangeAction, type ChangeOrigin, changeActions, changeOrigins } from '../../storage/change-log/change.js';

class ChangedSamplesDto {
  @ApiProperty({ format: 'date-time', description: 'Time of the first changed sample.' }) start: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the last changed sample.' }) end: string;
  @ApiProperty({ type: 'integer', description: 'Number of changed samples.' }) count: number;
  @ApiProperty({ format: 'date', description: "First local day, by the samples' offsets." }) first_day: string;
  @ApiProperty({ format: 'date', description: 'Last local day.' }) last_day: string;
}

export class ChangeDto {
  @ApiProperty({ description: 'Unique; equals `cursor`.' }) id: string;
  @ApiProperty({ description: 'Pass it as `after` to continue after this change.' }) cursor: string;
  @ApiProperty({ format: 'date-time', description: 'When the change was stored.' }) time: string;
  @ApiProperty({ enum: changeKinds }) kind: ChangeKind;
  @ApiProperty({ enum: changeActions }) action: ChangeAction;
  @ApiProperty({
    enum: changeOrigins,
    description:
      'live: reported by upstream. history: from a pull of past data. repair: from a pull that checks for wrong or ' +
      'missing data, or no longer returned by upstream. replay: from a replayed message. retention: kept for no longer ' +
      'here (SAMPLES_KEEP_DAYS), whatever upstream has.',
  })
  origin: ChangeOrigin;
  @ApiProperty({ ...textOrNull, description: 'Null for changes without an account, and once the account is erased.' })
  account_id: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Account number: never reused, and still present in the change that reports the erasure.',
  })
  account_ref: number | null;
  @ApiProperty({
    description:
      'Id of the changed object, unique per kind and account; of answers, the rule that changed: time_zone or ' +
      'source_priorities/ and a data type.',
  })
  subject: string;
  @ApiProperty({ ...textOrNull, description: 'Only for samples, their hours, summaries and history.' }) resource:
    | string
    | null;
  @ApiProperty({ ...textOrNull, description: 'Only for samples, summaries, sources and history.' }) provider:
    | string
    | null;
  @ApiProperty({
    type: ChangedSamplesDto,
    nullable: true,
    description: 'Only for samples, and for sample_hours: the samples that they replace.',
  })
  samples: ChangedSamplesDto | null;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'Current state, which may be newer than the change; null if there is none. Only for keys that may read ' +
      'values. For samples, `samples` has the whole series from `start` to `end`, or null if there are more than ' +
      '1000; for sample_hours, `hours` likewise.',
  })
  data?: Readonly<Record<string, unknown>> | null;
}

export class ChangePageDto {
  @ApiProperty({ type: [ChangeDto] }) data: ChangeDto[];
  @ApiProperty({ description: 'Pass it as `after` to continue, also after an empty page.' }) next: string;
  @ApiProperty({ description: 'True if nothing follows `next` yet.' }) up_to_date: boolean;
}

export class ConsumerDto {
  @ApiProperty({ example: 'billing' }) name: string;
  @ApiProperty({ example: 'crm', description: 'Name of the key that reported the position.' }) reported_by: string;
  @ApiProperty() cursor: string;
  @ApiProperty({ format: 'date-time', description: 'When the position was reported.' }) reported_at: string;
  @ApiProperty({ type: 'integer', description: 'Changes after the position.' }) lag: number;
  @ApiProperty({
    type: 'integer',
    description: 'Age of the oldest change after the position, in seconds; 0 if there is none.',
  })
  lag_seconds: number;
  @ApiProperty({ description: 'True if the feed cannot continue after the position: the consumer must start over.' })
  expired: boolean;
}
