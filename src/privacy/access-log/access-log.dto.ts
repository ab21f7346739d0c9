import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { PageQuery } from '../../http/server/page-query.js';
import { ToInstant } from '../../http/server/validation.js';
import { type AdminRole, adminRoles } from '../../platform/config/admin-roles.js';
import { toIso } from '../../platform/platform/time.js';
import type { AccessRow } from './access-log.repository.js';

const action = 'GET /admin/v1/accounts/:account_id/records/:resource';
const hash = '5b1f2d6c0a7e4f3b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b';
const text = { type: String, nullable: true } as const;

export class AccessLogQuery extends PageQuery {
  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: 'About this account.' })
  @IsOptional()
  @Matches(/^[^\p{Cc}\p{Cs}]{1,255}$/u)
  account_id?: string;

  @ApiPropertyOptional({ description: 'Name of an admin key, or app, cli, system.', example: 'app' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9._-]{1,64}$/)
  actor?: string;

  @ApiPropertyOptional({ description: 'Method and route as in the entries, whole.', example: action })
  @IsOptional()
  @Matches(/^[\x20-\x7e]{1,200}$/)
  action?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Recorded at this time or later.' })
  @IsOptional()
  @ToInstant()
  from?: number;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Recorded before this time.' })
  @IsOptional()
  @ToInstant()
  to?: number;
}

export class AccessEntryDto {
  @ApiProperty({ type: 'integer', description: 'Without gaps, in the order of the chain.' }) seq: number;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'Name of an admin key, or app, cli, system.', example: 'support' }) actor: string;
  @ApiProperty({ enum: adminRoles, nullable: true, description: 'Of the key; null for all others.' })
  role: AdminRole | null;
  @ApiProperty({ example: action }) action: string;
  @ApiProperty({ ...text, description: 'About whom; null once that account is erased.' })
  account_id: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Our number of the account, which stays.' })
  account_ref: number | null;
  @ApiProperty({ ...text, example: 'resource:sleep' }) target: string | null;
  @ApiProperty({ ...text, description: 'Where an operator called from.', example: '10.0.0.7' })
  address: string | null;
  @ApiProperty() request_id: string;
  @ApiProperty({ type: 'integer', description: 'Of the answer; 102 for an act that is about to begin.' })
  status: number;
  @ApiProperty({ ...text, example: 'ticket 4711', description: 'Why, as x-access-reason said.' })
  reason: string | null;
  @ApiProperty({ description: 'Hash of the entry before.', example: hash }) previous_hash: string;
  @ApiProperty({ description: 'Over all of the entry but account_id.', example: hash }) hash: string;
}

export function toAccessEntryDto({ at, ...row }: AccessRow): AccessEntryDto {
  return { ...row, at: toIso(at) };
}
