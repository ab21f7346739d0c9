import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, Max, Min, ValidateNested } from 'class-validator';
import { IsText } from '../../http/server/validation.js';
import { type BreakReason, breakReasons, type UnprovenPart, unprovenParts } from './chain-check.js';
import { MAX_NOTED } from './checkpoint.js';
import type { SignedCheckpoint, Verification } from './verification.service.js';

const hash = '5b1f2d6c0a7e4f3b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b';
const MAX_SEQ = 999_999_999_999_999;

export class NotedEntry {
  @ApiProperty({ type: 'integer', minimum: 0, maximum: MAX_SEQ }) @IsInt() @Min(0) @Max(MAX_SEQ) seq: number;
  @ApiProperty({ example: hash }) @IsText(/^[0-9a-f]{64}$/, 'a SHA-256 as 64 lower-case hex digits') hash: string;
}

export class VerificationRequest {
  @ApiProperty({
    type: [NotedEntry],
    minItems: 1,
    maxItems: MAX_NOTED,
    description: '`seq` and `hash` of checkpoints, or of access_log.head lines in the log.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_NOTED)
  @ValidateNested({ each: true })
  @Type(() => NotedEntry)
  noted: NotedEntry[];
}

export class VerificationDto {
  @ApiProperty({ type: 'integer', description: 'Number of entries.' }) entries: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'First stored entry; older ones were removed after six years.',
  })
  first_seq: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) last_seq: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Hash of the last entry.', example: hash })
  last_hash: string | null;
  @ApiProperty() intact: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of the first altered entry; null if intact.' })
  broken_at: number | null;
  @ApiProperty({ enum: breakReasons, nullable: true }) reason: BreakReason | null;
  @ApiProperty({
    enum: unprovenParts,
    isArray: true,
    description: 'Parts of an intact chain that are unsigned, so anyone with write access could have forged them.',
  })
  unproven: UnprovenPart[];
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Number of recorded entries that are not chained yet, of which nothing is verified; 0 as a rule.',
  })
  unchained: number;
}

export class CheckpointDto implements SignedCheckpoint {
  @ApiProperty({
    description:
      'Compact JSON Web Signature (EdDSA) of `first_seq`, `seq` and `hash` of the last entry, and the time `at`.',
    example: 'eyJhbGciOiJFZERTQSJ9.eyJzZXEiOjQyfQ.c2lnbmF0dXJl',
  })
  checkpoint: string;
  @ApiProperty({ description: 'Public key that verifies it, as PEM.', example: '-----BEGIN PUBLIC KEY-----...' })
  public_key: string;
}

export function toVerificationDto({ entries, ends, broken, unproven, unchained }: Verification): VerificationDto {
  return {
    entries,
    first_seq: ends?.first_seq ?? null,
    last_seq: ends?.last_seq ?? null,
    last_hash: ends?.last_hash ?? null,
    intact: broken === null,
    broken_at: broken?.seq ?? null,
    reason: broken?.reason ?? null,
    unproven: [...unproven],
    unchained,
  };
}
