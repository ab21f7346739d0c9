import { ApiProperty } from '@nestjs/swagger';
import { isoOrNull } from '../../platform/platform/time.js';

/** Waiting work as shown to operators. */
export class WaitingWorkDto {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the next attempt; null if it failed permanently: request it again.',
  })
  due_at: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'upstream_unavailable',
    description: 'Code of the last failure.',
  })
  last_error: string | null;
}

/** `row.due_at` is in epoch milliseconds. */
export function toWaitingWorkDto(row: { due_at: number | null; error: string | null } | null): WaitingWorkDto | null {
  return row && { due_at: isoOrNull(row.due_at), last_error: row.error };
}
