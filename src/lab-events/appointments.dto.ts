import { ApiProperty } from '@nestjs/swagger';
import { toIso } from '../platform/times.js';
import { activeAppointments } from './active-appointment.js';
import type { AppointmentEntity } from './appointment.entity.js';
import { historyOf } from './lab-events.js';

const maybe = { type: 'string', nullable: true } as const;
const maybeTime = { ...maybe, format: 'date-time' } as const;

export class HistoryEntryDto {
  @ApiProperty({ type: 'string', format: 'date-time' }) created_at: string;
  @ApiProperty({ example: 'scheduled' }) status: string;
}

/** An appointment to give a sample; its place and notes are not kept. */
export class AppointmentDto {
  @ApiProperty({ type: 'string', format: 'uuid' }) appointment_id: string;
  @ApiProperty({ type: 'string', format: 'uuid' }) order_id: string;
  @ApiProperty({ ...maybe, format: 'uuid' }) order_transaction_id: string | null;
  @ApiProperty({ description: 'Of several of an order, the one that stands.' }) is_active: boolean;
  @ApiProperty({ ...maybe, example: 'patient_service_center' }) type: string | null;
  @ApiProperty({ ...maybe, example: 'quest' }) provider: string | null;
  @ApiProperty({ ...maybe, example: 'confirmed' }) status: string | null;
  @ApiProperty({ ...maybe, example: 'scheduled' }) event_status: string | null;
  @ApiProperty({ ...maybeTime, description: 'In UTC; show it in iana_timezone.' }) start_at: string | null;
  @ApiProperty(maybeTime) end_at: string | null;
  @ApiProperty({ ...maybe, example: 'America/New_York' }) iana_timezone: string | null;
  @ApiProperty({ type: [HistoryEntryDto], description: 'Oldest first.' }) history: HistoryEntryDto[];
}

export function toAppointmentDtos(appointments: readonly AppointmentEntity[]): AppointmentDto[] {
  const active = activeAppointments(appointments);
  return appointments.map((each) => toAppointmentDto(each, active.has(each.appointment_id)));
}

function toAppointmentDto(appointment: AppointmentEntity, is_active: boolean): AppointmentDto {
  const { appointment_id, order_id, order_transaction_id, type, provider } = appointment;
  const { status, event_status, start_at, end_at, iana_timezone } = appointment;
  return {
    appointment_id,
    order_id,
    order_transaction_id,
    is_active,
    type,
    provider,
    status,
    event_status,
    start_at: start_at === null ? null : toIso(start_at),
    end_at: end_at === null ? null : toIso(end_at),
    iana_timezone,
    history: historyOf(appointment).map((entry) => ({ ...entry, created_at: toIso(entry.created_at) })),
  };
}
