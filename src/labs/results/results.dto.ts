import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { OptionalField, time } from '../../http/server/openapi.js';
import { ToInt } from '../../http/server/validation.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { ChainDto, toChainDto } from '../order-api/orders.dto.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { type ResultSource, resultSources, resultStatuses } from './lab-result.entity.js';
import { LegacyResult, Marker, MissingMarker, ResultMetadata, SampleInformation } from './result-content.dto.js';
import type { ResultVersion } from './results.repository.js';
import type { ResultRead } from './results.service.js';

const count = { type: 'integer', minimum: 1 } as const;
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const withdrawal = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  description: 'When upstream no longer returned it (404); null while it is valid.',
} as const;
const shownStatuses = [...resultStatuses, 'withdrawn'] as const;
type ShownStatus = (typeof shownStatuses)[number];

export class ResultQuery {
  @OptionalField({ ...count, description: 'Stored version to return, without a call to upstream.' })
  @ToInt({ min: 1, max: 1_000_000 })
  version?: number;
}

class StoredVersionDto {
  @ApiProperty(count) version: number;
  @ApiProperty({ ...sha256, description: 'SHA-256 in hex.' }) checksum: string;
  @ApiProperty({ ...count, description: 'Size in bytes.' }) bytes: number;
  @ApiProperty(time) first_seen_at: string;
  @ApiProperty({ ...time, description: 'When upstream last returned the same content.' }) last_confirmed_at: string;
  @ApiProperty(withdrawal) withdrawn_at: string | null;
}

/** A version of the result, without its values. */
export class ResultVersionDto extends StoredVersionDto {
  @ApiProperty({ enum: shownStatuses }) status: ShownStatus;
  @ApiProperty({ enum: resultSources, description: 'fetch: triggered by an event; read: by a request.' })
  source: ResultSource;
}

/** A delivered PDF. Its bytes are not stored. */
export class ResultPdfVersionDto extends StoredVersionDto {}

@ApiExtraModels(LegacyResult, Marker, SampleInformation)
export class ResultDto {
  @ApiPropertyOptional({ type: 'string', description: 'Set for results of one order.' }) order_id?: string;
  @ApiPropertyOptional({ type: 'string', description: 'Set for results of a transaction.' })
  order_transaction_id?: string;
  @ApiProperty({
    enum: shownStatuses,
    description:
      'partial: incomplete; never show it as the final result. withdrawn: upstream no longer has it; do not show it. ' +
      'The values of a withdrawn result are left out unless a version is requested.',
  })
  status: ShownStatus;
  @ApiProperty(count) version: number;
  @ApiProperty({ ...sha256, description: 'SHA-256 of the canonical form of the upstream response.' })
  checksum: string;
  @ApiProperty(time) first_seen_at: string;
  @ApiProperty(time) last_confirmed_at: string;
  @ApiProperty(withdrawal) withdrawn_at: string | null;
  @ApiProperty({
    description:
      'True if upstream did not confirm it in this request: upstream was unavailable, or an old version was requested.',
  })
  stale: boolean;
  @ApiProperty({ description: 'Health values.' }) metadata: ResultMetadata;
  @ApiProperty({
    anyOf: [
      { type: 'array', items: { $ref: getSchemaPath(Marker) } },
      { $ref: getSchemaPath(LegacyResult) },
      { type: 'null' },
    ],
    description: 'Markers; an object of any form in old results.',
  })
  results: Marker[] | LegacyResult | null;
  @ApiProperty({ type: [MissingMarker] }) missing_results: MissingMarker[];
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(SampleInformation) },
    nullable: true,
    description: 'By sample id.',
  })
  sample_information: Record<string, SampleInformation> | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Unknown fields of upstream, unchanged. Also `results` and `missing_results` if an entry of them is not an object.',
  })
  extra: Record<string, unknown>;
  @ApiProperty({ type: ChainDto, nullable: true, description: 'The current transaction.' })
  order_transaction: ChainDto | null;
  @ApiProperty({ type: [ResultVersionDto], description: 'Newest first.' }) versions: ResultVersionDto[];
  @ApiProperty({ type: [ResultPdfVersionDto], description: 'Delivered PDFs, newest first.' })
  pdf_versions: ResultPdfVersionDto[];
}

export function toResultDto({ scope, id }: ResultSubject, read: ResultRead): ResultDto {
  const { shown, versions, pdfVersions, transaction } = read;
  const { metadata, sample_information, ...content } = JSON.parse(read.content) as WireFields;
  const { results, missing_results, ...unknown } = content;
  const unfit = Object.entries({ results, missing_results }).filter(([, value]) => !isDocumented(value));
  return {
    ...(scope === 'order' ? { order_id: id } : { order_transaction_id: id }),
    status: statusOf(shown),
    version: shown.version,
    checksum: shown.checksum,
    first_seen_at: toIso(shown.first_seen_at),
    last_confirmed_at: toIso(shown.last_confirmed_at),
    withdrawn_at: isoOrNull(shown.withdrawn_at),
    stale: read.isStale,
    metadata: metadata as ResultMetadata,
    results: Array.isArray(results) ? results.filter(isFields) : isFields(results) ? results : null,
    missing_results: (missing_results as unknown[]).filter(isFields),
    sample_information: isFields(sample_information) ? (sample_information as Record<string, WireFields>) : null,
    extra: { ...unknown, ...Object.fromEntries(unfit) },
    order_transaction: transaction && toChainDto(transaction),
    versions: versions.map(toVersionDto),
    pdf_versions: pdfVersions.map(toStoredVersionDto),
  };
}

/** False for a list with an entry that is not an object, and for a text or number. */
function isDocumented(results: unknown): boolean {
  return Array.isArray(results) ? results.every(isFields) : (results ?? null) === null || isFields(results);
}

function statusOf({ status, withdrawn_at }: ResultVersion): ShownStatus {
  return withdrawn_at === null ? (status ?? 'partial') : 'withdrawn';
}

function toVersionDto(version: ResultVersion): ResultVersionDto {
  return { ...toStoredVersionDto(version), status: statusOf(version), source: version.source };
}

function toStoredVersionDto({ version, checksum, bytes, ...times }: ResultVersion): StoredVersionDto {
  const { first_seen_at, last_confirmed_at, withdrawn_at } = times;
  return {
    version,
    checksum,
    bytes,
    first_seen_at: toIso(first_seen_at),
    last_confirmed_at: toIso(last_confirmed_at),
    withdrawn_at: isoOrNull(withdrawn_at),
  };
}
