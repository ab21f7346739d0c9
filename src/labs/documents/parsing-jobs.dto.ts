import { ApiProperty } from '@nestjs/swagger';
import { IsAccountId } from '../../http/server/account-path.js';
import { OptionalField, textOrNull, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { ToBool } from '../../http/server/validation.js';
import type { WireFields } from '../../platform/platform/json-reader.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { toWaitingWorkDto, WaitingWorkDto } from '../../storage/work/waiting-work.dto.js';
import { UpstreamId, UpstreamKey } from '../order-api/orders.query.js';
import type { ListedJob } from './parsing-jobs.repository.js';
import type { ParsingJob } from './parsing-jobs.service.js';

export class ParsingJobPath {
  @UpstreamKey('a parsing job') id: string;
}

export class ParsingJobListQuery extends PageQuery {
  @OptionalField({ type: String, minLength: 1, maxLength: 255 })
  @IsAccountId()
  account_id?: string;

  @UpstreamId(OptionalField({ format: 'uuid' })) order_id?: string;

  @OptionalField({ type: 'boolean', description: 'True: only jobs whose end could not be read for 30 days.' })
  @ToBool()
  given_up?: boolean;
}

export class ParsingJobDto {
  @ApiProperty() id: string;
  @ApiProperty() account_id: string;
  @ApiProperty({ ...textOrNull, format: 'uuid', description: 'Null if no event named an order.' })
  order_id: string | null;
  @ApiProperty({
    ...textOrNull,
    example: 'completed',
    description: 'Status from upstream; null if the newest event had none.',
  })
  status: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time from upstream; null if the newest event had none.' })
  created_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time from upstream; null if the newest event had none.' })
  updated_at: string | null;
  @ApiProperty({ ...time, description: 'When the first event was received.' }) first_seen_at: string;
  @ApiProperty({ ...time, description: 'When the newest event was received, or the job was read.' })
  observed_at: string;
  @ApiProperty({ type: WaitingWorkDto, nullable: true, description: 'Next read; null once the job has ended.' })
  read: WaitingWorkDto | null;
}

export class ParsingJobDetailDto extends ParsingJobDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The job as in the newest event or read, unchanged.',
    example: { id: 'job-1', status: 'completed', results: [{ name: 'Ferritin', result: '42' }] },
  })
  content: WireFields;
}

export function toParsingJobDto(job: ListedJob): ParsingJobDto {
  return {
    id: job.job_id,
    account_id: job.external_id,
    order_id: job.order_id,
    status: job.status,
    created_at: isoOrNull(job.created_at),
    updated_at: isoOrNull(job.updated_at),
    first_seen_at: toIso(job.first_seen_at),
    observed_at: toIso(job.observed_at),
    read: readOf(job),
  };
}

function readOf({ due_at, error_code: error }: ListedJob): WaitingWorkDto | null {
  return due_at === null && error === null ? null : toWaitingWorkDto({ due_at, error });
}

export function toParsingJobDetailDto(job: ParsingJob): ParsingJobDetailDto {
  return { ...toParsingJobDto(job), content: job.content };
}
