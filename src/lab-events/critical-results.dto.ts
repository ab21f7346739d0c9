import { ApiProperty } from '@nestjs/swagger';
import { toIso } from '../platform/time.js';
import type { CriticalResultEntity } from './critical-result.entity.js';

const maybe = { type: 'string', nullable: true } as const;

/** What a lab said of a critical result: health values. */
export class CriticalResultDto {
  @ApiProperty({ type: 'string', format: 'uuid' }) order_id: string;
  @ApiProperty() sample_id: string;
  @ApiProperty({ ...maybe, example: 'final' }) status: string | null;
  @ApiProperty({ ...maybe, example: 'critical' }) interpretation: string | null;
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When the lab said so.' }) created_at: string;
}

/** Null for whoever may not read values. */
export function toCriticalDtos(
  results: readonly CriticalResultEntity[],
  showsValues: boolean,
): CriticalResultDto[] | null {
  if (!showsValues) return null;
  return results.map(({ order_id, sample_id, status, interpretation, created_at }) => ({
    order_id,
    sample_id,
    status,
    interpretation,
    created_at: toIso(created_at),
  }));
}
