import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ObservationKind, RecordProvenance, RecordRead } from '../../health/health-data/stored-records.service.js';
import { toIso } from '../../platform/platform/time.js';
import { SampleRecordDto, SummaryRecordDto, toRecordDto } from './records.dto.js';

class ProvenanceDto {
  @ApiProperty({ enum: ['message', 'sync'] satisfies ObservationKind[] }) kind: ObservationKind;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Only for kind message; null after the message was deleted.',
  })
  message_id?: string | null;
  @ApiPropertyOptional({ type: 'integer', description: 'Only for kind sync: the pull.' }) task_id?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Page of the pull.' }) page?: number;
  @ApiProperty({ format: 'date-time', description: 'When Pulsekeep received it.' }) observed_at: string;
  @ApiProperty({ description: 'True if received from a previous upstream user of the account.' })
  earlier_user: boolean;
}

export class TracedSampleDto extends SampleRecordDto {
  @ApiProperty() provenance: ProvenanceDto;
}

export class TracedSummaryDto extends SummaryRecordDto {
  @ApiProperty() provenance: ProvenanceDto;
}

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
  const { provenance } = record;
  const earlier_user = relinkedAt !== null && provenance.observedAt <= relinkedAt;
  return { ...toRecordDto(resource, record), provenance: { ...toProvenanceDto(provenance, messageIds), earlier_user } };
}

function toProvenanceDto(
  { kind, ref, page, observedAt }: RecordProvenance,
  messageIds: ReadonlyMap<number, string>,
): Omit<ProvenanceDto, 'earlier_user'> {
  const observed_at = toIso(observedAt);
  if (kind === 'message') return { kind, message_id: messageIds.get(ref) ?? null, observed_at };
  return { kind: 'sync', task_id: ref, ...(page === null ? {} : { page }), observed_at };
}
