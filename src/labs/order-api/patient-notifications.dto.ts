import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, Matches, Min } from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { toIso } from '../../platform/platform/time.js';
import type { NotificationRecord } from '../orders/order-reads.service.js';
import { type NotificationWay, notificationWays, type PatientNotification } from '../orders/patient-notification.js';
import type { Recorded } from '../orders/patient-notifications.service.js';
import type { Replacement } from '../orders/replacements.service.js';

interface Replaced {
  readonly replaced_at: number | null;
  readonly replaced_by: string | null;
}

const time = { type: String, format: 'date-time', example: '2026-11-20T12:00:00.000Z' } as const;

/** Who informed the patient, when and how. */
export class ToldDto {
  @ApiProperty(time) at: string;
  @ApiProperty({ example: 'ops', description: 'Name of the operator key.' }) by: string;
  @ApiProperty({ enum: notificationWays, example: 'phone' }) how: NotificationWay;
}

export class RecordedToldDto extends ToldDto {
  @ApiProperty({ example: false, description: 'True if the record already existed: do not inform the patient again.' })
  replayed: boolean;
}

/** Who recorded that what had come to nothing was replaced, and when. */
export class ReplacementDto {
  @ApiProperty(time) at: string;
  @ApiProperty({ example: 'ops', description: 'Name of the operator key.' }) by: string;
}

export class RecordedReplacementDto extends ReplacementDto {
  @ApiProperty({ example: false, description: 'True if it was recorded before: do not replace it again.' })
  replayed: boolean;
}

const about = ['critical_results', 'redraw'] as const;

/** One record of the history; the names of markers are health values. */
export class NotificationRecordDto extends ToldDto {
  @ApiProperty({ enum: about, description: 'redraw: of the transaction of the order.' })
  about: (typeof about)[number];
  @ApiProperty({ ...time, description: 'When it was recorded here.' }) recorded_at: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1,
    description: 'Newest version of the result that was critical; null if no result was.',
  })
  result_version: number | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['Potassium'],
    description: 'Names of the critical markers; null without the role reader.',
  })
  markers: readonly string[] | null;
}

export class NotificationHistoryDto {
  @ApiProperty({ type: [NotificationRecordDto], description: 'Oldest first.' }) data: NotificationRecordDto[];
}

export function toNotificationRecordDto(record: NotificationRecord, showsValues: boolean): NotificationRecordDto {
  return {
    about: record.scope === 'order' ? 'critical_results' : 'redraw',
    at: toIso(record.notified_at),
    by: record.notified_by,
    how: record.notified_how,
    recorded_at: toIso(record.recorded_at),
    result_version: record.result_version,
    markers: showsValues ? record.markers : null,
  };
}

export class ToldBody {
  @ApiProperty({ enum: notificationWays, example: 'phone' })
  @IsIn(notificationWays)
  how: NotificationWay;

  @OptionalField({ ...time, description: 'When the patient was informed; default: now.' })
  notified_at?: number;

  @OptionalField({ ...time, deprecated: true, description: 'Earlier name of notified_at.' })
  told_at?: number;
}

export class CriticalToldBody extends ToldBody {
  @OptionalField({
    type: 'integer',
    minimum: 0,
    example: 1,
    description:
      'Version of the result of which the patient was informed; default: the newest. Critical values that a later ' +
      'version brought stay on the list. 0: only what no result reports, such as the event of the lab.',
  })
  @IsInt()
  @Min(0)
  result_version?: number;

  @OptionalField({
    type: [String],
    minItems: 1,
    maxItems: 200,
    example: ['Potassium'],
    description:
      'Names of the critical markers of which the patient was informed; default: all. Others stay on the list.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(200)
  @Matches(/^[^\p{Cc}\p{Cs}]{1,255}$/u, { each: true, message: 'markers must be names of 1 to 255 characters' })
  markers?: string[];
}

export function toReplacementDto({ replaced_at, replaced_by }: Replaced): ReplacementDto | null {
  return replaced_at === null || replaced_by === null ? null : { at: toIso(replaced_at), by: replaced_by };
}

export function toRecordedReplacementDto({ at, by, replayed }: Replacement): RecordedReplacementDto {
  return { at: toIso(at), by, replayed };
}

export function toToldDto(notification: PatientNotification | null): ToldDto | null {
  return notification && { at: toIso(notification.at), by: notification.by, how: notification.how };
}

export function toRecordedToldDto({ at, by, how, replayed }: Recorded): RecordedToldDto {
  return { at: toIso(at), by, how, replayed };
}
