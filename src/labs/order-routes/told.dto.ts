import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OptionalField } from '../../http/server/openapi.js';
import { toIso } from '../../platform/platform/time.js';
import type { Recorded } from '../orders/telling.service.js';
import { type Told, type WayToTell, waysToTell } from '../orders/told.js';

const time = { type: String, format: 'date-time', example: '2026-11-20T12:00:00.000Z' } as const;

/** Who informed the patient, when and how. */
export class ToldDto {
  @ApiProperty(time) at: string;
  @ApiProperty({ example: 'ops', description: "Name of the operator's key." }) by: string;
  @ApiProperty({ enum: waysToTell, example: 'phone' }) how: WayToTell;
}

export class RecordedToldDto extends ToldDto {
  @ApiProperty({ example: false, description: 'True if the record was made before, by any key: do not inform again.' })
  replayed: boolean;
}

export class ToldBody {
  @ApiProperty({ enum: waysToTell, example: 'phone' })
  @IsIn(waysToTell)
  how: WayToTell;

  @OptionalField({ ...time, description: 'When the patient was informed; default: now.' })
  told_at?: number;
}

export function toToldDto(told: Told | null): ToldDto | null {
  return told && { at: toIso(told.at), by: told.by, how: told.how };
}

export function toRecordedToldDto({ at, by, how, replayed }: Recorded): RecordedToldDto {
  return { at: toIso(at), by, how, replayed };
}
