import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import type { ObservationKind } from '../../health/catalogue/records.js';
import type { GoneMark, RecordProvenance, RecordRead } from '../../health/reads/stored-record.js';
import { textOrNull } from '../../http/server/openapi.js';
import { toIso } from '../../platform/platform/time.js';
import { SampleRecordDto, SummaryRecordDto, toRecordDto } from './records.dto.js';

class ProvenanceDto {
  @ApiProperty({ enum: ['message', 'sync'] satisfies ObservationKind[] }) kind: ObservationKind;
  @ApiPropertyOptional({ ...textOrNull, description: 'Only for kind message; null once the message is deleted.' })
  message_id?: string | null;
  @ApiPropertyOptional({ type: 'integer', description: 'Only for kind sync.' }) task_id?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Page of the pull.' }) page?: number;
  @ApiProperty({ format: 'date-time', description: 'When Pulsekeep received it.' }) observed_at: string;
  @ApiProperty({ description: 'True if received from a previous upstream user of the account.' })
  earlier_user: boolean;
}

class GoneDto {
  @ApiProperty({
    enum: ['gone', 'superseded'] satisfies GoneMark['reason'][],
    description:
      'gone: missing from two complete pulls. superseded: a complete pull returned an overlapping record instead.',
  })
  reason: GoneMark['reason'];
  @ApiProperty({
    type: [String],
    description: 'When it was last seen, and when the first pull without it began.',
    example: ['2026-11-18T06:00:00.000Z', '2026-11-19T06:00:00.000Z'],
  })
  gone_between: string[];
  @ApiProperty({ type: [Number], description: 'Pulls without it: the first and the confirming one.' })
  task_ids: number[];
}

class TracedDto {
  @ApiPropertyOptional({ description: 'Only with `include=gone`, for records that upstream no longer returns.' })
  gone?: GoneDto;
  @ApiProperty() provenance: ProvenanceDto;
}

export class TracedSampleDto extends IntersectionType(SampleRecordDto, TracedDto) {}

export class TracedSummaryDto extends IntersectionType(SummaryRecordDto, TracedDto) {}

/** Facts about the account that the provenance of its records needs. */
export interface RecordContext {
  readonly messageIds: ReadonlyMap<number, string>;
  /** When the account was relinked to its current upstream user. */
  readonly relinkedAt: number | null;
}

export function toTracedRecordDto(
  resource: string,
  record: RecordRead,
  { messageIds, relinkedAt }: RecordContext,
): TracedSampleDto | TracedSummaryDto {
  const { provenance, gone } = record;
  const earlier_user = relinkedAt !== null && provenance.observedAt <= relinkedAt;
  return {
    ...toRecordDto(resource, record),
    ...(gone && { gone: toGoneDto(gone) }),
    provenance: { ...toProvenanceDto(provenance, messageIds), earlier_user },
  };
}

function toGoneDto({ reason, between, looks }: GoneMark): GoneDto {
  return { reason, gone_between: between.map(toIso), task_ids: [...looks] };
}

function toProvenanceDto(
  { kind, ref, page, observedAt }: RecordProvenance,
  messageIds: ReadonlyMap<number, string>,
): Omit<ProvenanceDto, 'earlier_user'> {
  const observed_at = toIso(observedAt);
  if (kind === 'message') return { kind, message_id: messageIds.get(ref) ?? null, observed_at };
  return { kind: 'sync', task_id: ref, ...(page === null ? {} : { page }), observed_at };
}
