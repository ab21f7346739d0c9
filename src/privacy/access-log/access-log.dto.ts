import { ApiProperty } from '@nestjs/swagger';
import { catalogue } from '../../health/catalogue/catalogue.js';
import { OptionalField, textOrNull, time } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { everyResource, labResults, orderDocuments } from '../../http/server/route-facts.js';
import { IsLine, IsText, rowNumber, ToInt } from '../../http/server/validation.js';
import { type AdminRole, adminRoles } from '../../platform/config/admin-roles.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { AccessRow } from './access-log.repository.js';

const action = 'GET /admin/v1/accounts/:account_id/records/:resource';
const hash = '5b1f2d6c0a7e4f3b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b';
const resources = [...catalogue.map(({ name }) => name), labResults, orderDocuments, everyResource];

export class AccessLogQuery extends PageQuery {
  @OptionalField({ minLength: 1, maxLength: 255, description: 'Entries about this account; 404 if it does not exist.' })
  @IsLine()
  account_id?: string;

  @OptionalField({
    type: 'integer',
    description:
      'Entries about the account with this number, as shown in the receipt of its erasure. 404 without entries.',
  })
  @ToInt(rowNumber)
  account_ref?: number;

  @OptionalField({
    description: 'Name of an admin key or a person, or app, cli, system; 400 if unknown.',
    example: 'app',
  })
  @IsText(/^[A-Za-z0-9._%+@-]{1,200}$/, 'the name of a key or a person, or app, cli, system')
  actor?: string;

  @OptionalField({ description: 'Method and route exactly as in the entries; 400 if unknown.', example: action })
  @IsText(/^[\x20-\x7e]{1,200}$/, 'a method and a route')
  action?: string;

  @OptionalField({
    enum: resources,
    description: 'Reads of this resource, including reads of all resources together, such as exports.',
  })
  resource?: string;

  @OptionalField({ ...time, description: 'Reads of values at or after this time, including reads without an end.' })
  window_start?: number;

  @OptionalField({ ...time, description: 'Reads of values before this time.' })
  window_end?: number;

  @OptionalField({ ...time, description: 'Recorded at or after this time.' })
  start?: number;

  @OptionalField({ ...time, description: 'Recorded before this time.' })
  end?: number;
}

export class AccessEntryDto {
  @ApiProperty({ type: 'integer', description: 'Number in the chain, without gaps.' }) seq: number;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'Name of an admin key or a person, or app, cli, system.', example: 'support' })
  actor: string;
  @ApiProperty({ enum: adminRoles, nullable: true, description: 'Role of the key; null for other callers.' })
  role: AdminRole | null;
  @ApiProperty({ example: action }) action: string;
  @ApiProperty({ ...textOrNull, description: 'Account the entry is about; null once it is erased.' })
  account_id: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Number of the account, kept after an erasure.' })
  account_ref: number | null;
  @ApiProperty({ ...textOrNull, description: 'Other ids in the path.', example: 'resource:sleep' }) target:
    | string
    | null;
  @ApiProperty({
    ...textOrNull,
    description: 'Resource that was read: a name, lab_results, or * for all.',
    example: 'sleep',
  })
  resource: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'Start of the requested time range; null if unbounded.' })
  window_start: string | null;
  @ApiProperty({ ...time, nullable: true, description: 'End of the requested time range; null if unbounded.' })
  window_end: string | null;
  @ApiProperty({ ...textOrNull, description: "The operator's address.", example: '10.0.0.7' })
  address: string | null;
  @ApiProperty() request_id: string;
  @ApiProperty({ type: 'integer', description: 'HTTP status; 102 for an action that is about to begin.' })
  status: number;
  @ApiProperty({ ...textOrNull, example: 'ticket 4711', description: 'Value of the header x-access-reason.' })
  reason: string | null;
  @ApiProperty({ description: 'Hash of the previous entry.', example: hash }) previous_hash: string;
  @ApiProperty({ description: 'Hash over all fields except account_id.', example: hash }) hash: string;
}

/** Columns of CSV, in order. */
export const accessColumns = [
  ...(['seq', 'at', 'actor', 'role', 'action', 'account_id', 'account_ref', 'target', 'resource'] as const),
  ...(['window_start', 'window_end', 'address', 'request_id', 'status', 'reason', 'previous_hash', 'hash'] as const),
] satisfies (keyof AccessEntryDto)[];

export function toAccessEntryDto({ at, window_start, window_end, ...row }: AccessRow): AccessEntryDto {
  return { ...row, at: toIso(at), window_start: isoOrNull(window_start), window_end: isoOrNull(window_end) };
}
