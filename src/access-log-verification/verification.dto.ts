import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { ToInt } from '../http/validation.js';
import { type BreakReason, breakReasons, type UnprovenPart, unprovenParts } from './chain-check.js';
import type { Verification } from './chain-verifier.js';
import { mostNoted } from './checkpoint.js';

const hash = '5b1f2d6c0a7e4f3b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b';
const largestSeq = 999_999_999_999_999;

/** Both or none. */
export class VerificationQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'An entry that was noted elsewhere.' })
  @IsOptional()
  @ToInt({ min: 1, max: largestSeq })
  seq?: number;

  @ApiPropertyOptional({ description: 'Its hash then, as in the log line access_log.head.', example: hash })
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/)
  hash?: string;
}

export class NotedEntry {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: largestSeq }) @IsInt() @Min(1) @Max(largestSeq) seq: number;
  @ApiProperty({ example: hash }) @Matches(/^[0-9a-f]{64}$/) hash: string;
}

export class VerificationRequest {
  @ApiProperty({ type: [NotedEntry], minItems: 1, maxItems: mostNoted, description: 'Entries noted elsewhere.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostNoted)
  @ValidateNested({ each: true })
  @Type(() => NotedEntry)
  noted: NotedEntry[];
}

export class VerificationDto {
  @ApiProperty({ type: 'integer', description: 'How many entries there are.' }) entries: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Older ones were removed by age.' })
  first_seq: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) last_seq: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Note it where nobody can change it.', example: hash })
  last_hash: string | null;
  @ApiProperty() intact: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'The first entry that is not as it was.' })
  broken_at: number | null;
  @ApiProperty({ enum: breakReasons, nullable: true }) reason: BreakReason | null;
  @ApiProperty({
    enum: unprovenParts,
    isArray: true,
    description: 'What an intact chain rests on that whoever may write the table could have written.',
  })
  unproven: UnprovenPart[];
}

export class CheckpointKeyDto {
  @ApiProperty({
    description: 'Thumbprint of the key by RFC 7638.',
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  kid: string;
  @ApiProperty({ enum: ['OKP'] }) kty: 'OKP';
  @ApiProperty({ enum: ['Ed25519'] }) crv: 'Ed25519';
  @ApiProperty({ enum: ['EdDSA'] }) alg: 'EdDSA';
  @ApiProperty({ enum: ['sig'] }) use: 'sig';
  @ApiProperty({ example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }) x: string;
  @ApiProperty({ description: 'The same as PEM, for openssl.', example: '-----BEGIN PUBLIC KEY-----...' }) pem: string;
}

export class CheckpointKeysDto {
  @ApiProperty({ type: [CheckpointKeyDto], description: 'The present one first; empty where none is configured.' })
  keys: CheckpointKeyDto[];
}

export function toVerificationDto({ entries, ends, broken, unproven }: Verification): VerificationDto {
  return {
    entries,
    first_seq: ends?.first_seq ?? null,
    last_seq: ends?.last_seq ?? null,
    last_hash: ends?.last_hash ?? null,
    intact: broken === null,
    broken_at: broken?.seq ?? null,
    reason: broken?.reason ?? null,
    unproven: [...unproven],
  };
}
