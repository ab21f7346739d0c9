import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ObservationKind, RecordProvenance, RecordRead } from '../../health/health-data/stored-records.service.js';
import { toIso } from '../../platform/platform/time.js';
import { SampleRecordDto, SummaryRecordDto, toRecordDto } from './records.dto.js';

class ProvenanceDto {
  @ApiProperty({ enum: ['message', 'sync'] satisfies ObservationKind[] }) kind: ObservationKind;
  @ApiPropertyOptional({ type: String, nullable: true, description: 'Of a message; null once its row is gone.' })
  message_id?: string | null;
  @ApiPropertyOptional({ type: 'integer', description: 'Of a pull.' }) task_id?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'The page of the pull.' }) page?: number;
  @ApiProperty({ format: 'date-time', description: 'When upstream was seen to say so.' }) observed_at: string;
  @ApiProperty({ description: 'Seen while the account had an earlier upstream user, which is gone.' })
  earlier_user: boolean;
}

export class TracedSampleDto extends SampleRecordDto {
  @ApiProperty() provenance: ProvenanceDto;
}

export class TracedSummaryDto extends SummaryRecordDto {
  @ApiProperty() provenance: ProvenanceDto;
}

/** What else there is to know of an account's records. */
export interface RecordContext {
  readonly messageIds: ReadonlyMap<number, string>;
  /** When the account got its present user in place of one that was gone. */
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
