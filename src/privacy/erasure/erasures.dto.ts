import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { Fence } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { type Scrub, scrubs } from '../../storage/database/scrubber.js';
import { failuresOf } from '../../storage/work/lease.js';
import { type ErasureState, erasureStates } from './erasure.entity.js';
import type { ErasureRow } from './erasure.service.js';
import { countsOf } from './local-deletion.service.js';

export class ErasurePath {
  @ApiProperty({ format: 'uuid' })
  @IsUUID()
  erasure_id: string;
}

/** The receipt of an erasure; it identifies no person. */
export class ErasureDto {
  @ApiProperty({
    format: 'uuid',
    description: 'Receipt of the erasure.',
    example: '6e27ebc5-1154-4940-802f-5fc895ee3df7',
  })
  erasure_id: string;

  @ApiProperty({ type: 'integer', description: 'Number of the account in the access log.' })
  account_ref: number;

  @ApiProperty({
    enum: erasureStates,
    description:
      'requested. deleting: rows are being deleted. upstream: only the two ids are left, until upstream has ' +
      'deleted its user. waiting: everything is deleted, and checked again after the 7 days in which upstream ' +
      'could restore it. done.',
  })
  state: ErasureState;

  @ApiProperty({ format: 'date-time' }) requested_at: string;
  @ApiProperty({ description: 'Name of the admin key; `person` for the person themselves.', example: 'support' })
  requested_by: string;
  @ApiProperty({
    ...timeOrNull,
    description:
      'When it was written to the erasure journal, from which it is repeated after a restore; null without a ' +
      'journal (ERASURE_JOURNAL_PATH).',
  })
  journaled_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When only the two ids were left here.' }) deleted_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When upstream had deleted its user and the ids were deleted here.' })
  upstream_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When deleted data was last scrubbed from the database files.' })
  scrubbed_at: string | null;
  @ApiProperty({
    enum: scrubs,
    nullable: true,
    description:
      'Method of the last scrub. rewritten: the file contains live rows only. overwritten: deleted rows are ' +
      'zeroed, except for copies that SQLite may have left in unused parts of pages (the file was too large to ' +
      'rewrite). vacuumed: PostgreSQL reuses their space over time. left_to_autovacuum: the same, but tables over ' +
      '1 GiB reuse it only after autovacuum, which comes when 1 % of their rows have changed.',
  })
  scrub: Scrub | null;
  @ApiProperty({ ...timeOrNull, description: 'When the final check found no data.' }) verified_at: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When the next step is due.' }) next_attempt_at: string | null;
  @ApiProperty({ type: 'integer', description: 'Failures since the last successful step.' }) attempts: number;

  @ApiProperty({
    ...textOrNull,
    description: 'Reason for the last delay. user_found and rows_found: data had reappeared and was deleted again.',
    example: 'upstream_unavailable',
  })
  error_code: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Rows deleted, by table.',
    example: { samples: 51_840, messages: 212 },
  })
  deleted: Record<string, number>;

  @ApiProperty({ type: 'integer', description: 'Later messages, pages, orders and sign-ins that were refused.' })
  turned_away: number;
}

export function toErasureDto(row: ErasureRow): ErasureDto {
  return {
    erasure_id: row.id,
    account_ref: row.account_ref,
    state: row.state,
    requested_at: toIso(row.requested_at),
    requested_by: row.requested_by,
    journaled_at: isoOrNull(row.journaled_at),
    deleted_at: isoOrNull(row.deleted_at),
    upstream_at: isoOrNull(row.upstream_at),
    scrubbed_at: isoOrNull(row.scrubbed_at),
    scrub: row.scrub,
    verified_at: isoOrNull(row.verified_at),
    next_attempt_at: isoOrNull(row.due_at),
    attempts: failuresOf(row),
    error_code: row.error_code,
    deleted: { ...countsOf(row) },
    turned_away: row.turned_away,
  };
}

/** The fence that prevents a new account with the account id of an erased person. */
export class FenceDto {
  @ApiProperty({
    format: 'uuid',
    description: 'Receipt of the erasure.',
    example: '6e27ebc5-1154-4940-802f-5fc895ee3df7',
  })
  erasure_id: string;

  @ApiProperty({ format: 'date-time' }) fenced_at: string;
}

export function toFenceDto({ erasureId, fencedAt }: Fence): FenceDto {
  return { erasure_id: erasureId, fenced_at: toIso(fencedAt) };
}
