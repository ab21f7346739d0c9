import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { OptionalField, textOrNull } from '../../http/server/openapi.js';
import { AppointmentDto } from '../order-api/lab-events.dto.js';

const bookingKey = /^[\x21-\x7e]{1,2048}$/;
const reasonId = /^[\x21-\x7e]{1,64}$/;
const maybeMs = { type: 'integer', nullable: true } as const;

export class RescheduleBody {
  @ApiProperty({ description: 'booking_key of an available slot.', example: 'bk_5f6e7d8c' })
  @Matches(bookingKey, { message: '$property must be the booking_key of a slot' })
  booking_key: string;

  @OptionalField({ ...textOrNull, maxLength: 1000, example: 'Side entrance', description: 'For the lab; not stored.' })
  @IsString()
  @MaxLength(1000)
  appointment_notes?: string | null;
}

export class BookBody extends RescheduleBody {
  @OptionalField({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'True returns before the lab confirms; the appointment is then pending.',
  })
  @IsBoolean()
  async_confirmation?: boolean | null;

  @OptionalField({
    ...maybeMs,
    minimum: 1_000,
    maximum: 10_000,
    description: 'Time to wait for the lab.',
  })
  @IsInt()
  @Min(1_000)
  @Max(10_000)
  sync_confirmation_timeout_millisecond?: number | null;

  @OptionalField({
    ...maybeMs,
    minimum: 60_000,
    maximum: 172_800_000,
    description: 'Time allowed for the lab to confirm.',
  })
  @IsInt()
  @Min(60_000)
  @Max(172_800_000)
  async_confirmation_timeout_millisecond?: number | null;
}

export class CancelQuery {
  @OptionalField({
    ...textOrNull,
    example: '5c0257ef-6fea-4a22-b20a-3ddab573d5b3',
    description:
      'One of GET /admin/v1/labs/cancellation-reasons; in the query for clients that cannot send a body with DELETE.',
  })
  @Matches(reasonId, { message: '$property must be the id of a reason' })
  cancellation_reason_id?: string | null;
}

export class CancelBody extends CancelQuery {
  @OptionalField({ ...textOrNull, maxLength: 1000, example: 'Travelling', description: 'For the lab; not stored.' })
  @IsString()
  @MaxLength(1000)
  note?: string | null;
}

export class BookedAppointmentDto extends AppointmentDto {
  @ApiProperty({ description: 'True if returned from the database without a call to upstream.' }) replayed: boolean;
}

export class CancellationReasonDto {
  @ApiProperty({ example: '5c0257ef-6fea-4a22-b20a-3ddab573d5b3' }) id: string;
  @ApiProperty({ ...textOrNull, example: 'Patient asked' }) name: string | null;
  @ApiProperty({ type: Boolean, nullable: true }) is_refundable: boolean | null;
}

export class CancellationReasonsDto {
  @ApiProperty({ type: [CancellationReasonDto] }) data: CancellationReasonDto[];
  @ApiProperty({ type: 'null', description: 'Always null: all reasons fit one page.', example: null })
  next_cursor: null;
}

/** The fields that were sent. Null counts as omitted. */
export function givenOf<T extends object>(body: T): { [K in keyof T]: NonNullable<T[K]> } {
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: NonNullable<T[K]> };
}
