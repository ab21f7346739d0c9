import { ApiProperty } from '@nestjs/swagger';
import { isoOrNull } from '../../platform/platform/time.js';

/** Work that waits, as an operator sees it. */
export class WaitingWorkDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: given up; ask for it anew.' })
  due_at: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'upstream_unavailable', description: 'Of the last try.' })
  last_error: string | null;
}

/** `due_at` in epoch milliseconds. */
export function toWaitingWorkDto(row: { due_at: number | null; error: string | null } | null): WaitingWorkDto | null {
  return row && { due_at: isoOrNull(row.due_at), last_error: row.error };
}
