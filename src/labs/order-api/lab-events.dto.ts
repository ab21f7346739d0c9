import { ApiProperty } from '@nestjs/swagger';
import { textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { type CriticalSource, criticalSources } from '../orders/lab-event.entity.js';
import { type Appointment, type CriticalResult } from '../orders/order-reads.service.js';
import { notificationIn } from '../orders/patient-notification.js';
import { ToldDto, toToldDto } from './patient-notifications.dto.js';

export class HistoryEntryDto {
  @ApiProperty({ type: 'string', format: 'date-time' }) created_at: string;
  @ApiProperty({ example: 'scheduled' }) status: string;
}

/** An appointment to give a sample. Its location and notes are not stored. */
export class AppointmentDto {
  @ApiProperty({ type: 'string', format: 'uuid' }) appointment_id: string;
  @ApiProperty({ type: 'string', format: 'uuid' }) order_id: string;
  @ApiProperty({ ...textOrNull, format: 'uuid' }) order_transaction_id: string | null;
  @ApiProperty({ description: 'True for the active appointment of the order.' }) is_active: boolean;
  @ApiProperty({ ...textOrNull, example: 'patient_service_center' }) type: string | null;
  @ApiProperty({ ...textOrNull, example: 'quest' }) provider: string | null;
  @ApiProperty({ ...textOrNull, example: 'confirmed' }) status: string | null;
  @ApiProperty({ ...textOrNull, example: 'scheduled' }) event_status: string | null;
  @ApiProperty({ ...timeOrNull, description: 'In UTC; show it in iana_timezone.' }) start_at: string | null;
  @ApiProperty(timeOrNull) end_at: string | null;
  @ApiProperty({ ...textOrNull, example: 'America/New_York' }) iana_timezone: string | null;
  @ApiProperty({ type: [HistoryEntryDto], description: 'Oldest first.' }) history: HistoryEntryDto[];
}

export function toAppointmentDto({ isActive: is_active, ...appointment }: Appointment): AppointmentDto {
  const { appointment_id, order_id, order_transaction_id, type, provider } = appointment;
  const { status, event_status, start_at, end_at, iana_timezone, history } = appointment;
  return {
    appointment_id,
    order_id,
    order_transaction_id,
    is_active,
    type,
    provider,
    status,
    event_status,
    start_at: isoOrNull(start_at),
    end_at: isoOrNull(end_at),
    iana_timezone,
    history: history.map((entry) => ({ ...entry, created_at: toIso(entry.created_at) })),
  };
}

/** Something that upstream says is critical; contains health values. */
export class CriticalResultDto {
  @ApiProperty({ type: 'string', format: 'uuid' }) order_id: string;
  @ApiProperty({
    enum: criticalSources,
    description: 'event: a notice of the lab; order, result, marker: the interpretation in one of these.',
  })
  said_by: CriticalSource;
  @ApiProperty({ ...textOrNull, example: 'Potassium', description: 'Of a marker: its name.' }) marker: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description: 'Version of the result that first showed this value; null unless it is from a result.',
  })
  result_version: number | null;
  @ApiProperty({ example: '7105001', description: 'Empty if upstream named no sample.' }) sample_id: string;
  @ApiProperty({ ...textOrNull, example: 'final' }) status: string | null;
  @ApiProperty({ ...textOrNull, example: 'critical' }) interpretation: string | null;
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When the lab reported it.' }) created_at: string;
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'When upstream stopped reporting it as critical (corrected or withdrawn); null while it does.',
  })
  settled_at: string | null;
  @ApiProperty({ type: ToldDto, nullable: true, description: 'Record that the patient was informed; null if none.' })
  notified: ToldDto | null;
  @ApiProperty({ type: ToldDto, nullable: true, deprecated: true, description: 'Earlier name of notified.' })
  told: ToldDto | null;
}

export function toCriticalResultDto(result: CriticalResult): CriticalResultDto {
  const { order_id, said_by, marker, result_version, sample_id, status } = result;
  const { interpretation, created_at, settled_at } = result;
  return {
    order_id,
    said_by,
    marker,
    result_version,
    sample_id: sample_id ?? '',
    status,
    interpretation,
    created_at: toIso(created_at),
    settled_at: isoOrNull(settled_at),
    notified: toToldDto(notificationIn(result)),
    told: toToldDto(notificationIn(result)),
  };
}
