import { ApiProperty } from '@nestjs/swagger';
import { count, OptionalField, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { rowNumber, ToInt } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { failuresOf } from '../../storage/work/lease.js';
import {
  type DifferenceKind,
  differenceKinds,
  type ImportPhase,
  type ImportState,
  importPhases,
  importStates,
} from './account-import.entity.js';
import type { ShownDifference } from './account-imports.repository.js';
import type { ShownImport } from './account-imports.service.js';
import { absenceReasons, refusalReasons } from './import-rules.js';

const counts = (description: string, example: object) =>
  ({ type: 'object', additionalProperties: { type: 'integer' }, description, example }) as const;

export class ImportPath {
  @ApiProperty({ type: 'integer' })
  @ToInt(rowNumber)
  import_id: number;
}

export class DifferenceQuery extends PageQuery {
  @OptionalField({ enum: differenceKinds })
  kind?: DifferenceKind;
}

export class AccountImportDto {
  @ApiProperty({ type: 'integer', example: 1 }) import_id: number;
  @ApiProperty({ enum: importStates }) state: ImportState;
  @ApiProperty({
    enum: importPhases,
    description: "walk: reading upstream's list of users. verify: looking up accounts missing from that list.",
  })
  phase: ImportPhase;
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Number of the current pass over the list; above 1 if the list changed during a pass.',
  })
  pass: number;
  @ApiProperty({
    ...count,
    nullable: true,
    description: 'Users reported by upstream; null until known.',
    example: 12_000,
  })
  users_total: number | null;
  @ApiProperty({ ...count, description: 'Users seen in this pass.', example: 4_500 }) users_seen: number;
  @ApiProperty({ ...count, description: 'Users that already had an account.' }) known: number;
  @ApiProperty({ ...count, description: 'Users adopted.' }) adopted: number;
  @ApiProperty({ ...count, description: 'Users that cannot be adopted.' }) refused: number;
  @ApiProperty(counts(`Refused users by reason: ${refusalReasons.join(', ')}.`, { personal_id: 2 }))
  refused_by_reason: Record<string, number>;
  @ApiProperty({ ...count, description: 'Accounts without an upstream user.' }) unknown_upstream: number;
  @ApiProperty(counts(`These accounts by reason: ${absenceReasons.join(', ')}.`, { user_gone: 1 }))
  unknown_by_reason: Record<string, number>;
  @ApiProperty({ ...count, description: 'Accounts looked up individually.' }) accounts_verified: number;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'False if the list changed during every pass: import again. Null until the scan ends.',
  })
  stable: boolean | null;
  @ApiProperty({ ...count, description: 'List pages read.' }) pages: number;
  @ApiProperty({ minimum: 0, maximum: 1, description: 'Progress; decreases when another pass starts.' })
  share_done: number;
  @ApiProperty(timeOrNull) estimated_end: string | null;
  @ApiProperty({ ...count, description: 'Failures since the last successful step.' }) failures: number;
  @ApiProperty({ type: String, nullable: true, example: 'upstream_throttled' }) last_error: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the next step; null once finished.' }) due_at: string | null;
  @ApiProperty(time) started_at: string;
  @ApiProperty(timeOrNull) finished_at: string | null;
}

export class ImportDifferenceDto {
  @ApiProperty({ enum: differenceKinds }) kind: DifferenceKind;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...refusalReasons, ...absenceReasons, null],
    description: 'Null for an adopted user.',
  })
  reason: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null without an account. A refused id is not shown.',
  })
  account_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Upstream user id.' }) user_id: string | null;
  @ApiProperty(time) found_at: string;
}

const byReason = (list: ShownImport['refusals']): Record<string, number> =>
  Object.fromEntries(list.map(({ reason, count: times }) => [reason, times]));

export function toImportDto({ row, refusals, absences, share, estimatedEnd }: ShownImport): AccountImportDto {
  const { state, phase, pass, known, adopted, refused, pages } = row;
  return {
    import_id: row.id,
    state,
    phase,
    pass,
    users_total: row.total,
    users_seen: row.pass_seen,
    known,
    adopted,
    refused,
    refused_by_reason: byReason(refusals),
    unknown_upstream: row.missing,
    unknown_by_reason: byReason(absences),
    accounts_verified: row.verified,
    stable: row.stable === null ? null : row.stable === 1,
    pages,
    share_done: share,
    estimated_end: isoOrNull(estimatedEnd),
    failures: failuresOf(row),
    last_error: row.error_code,
    due_at: state === 'running' ? isoOrNull(row.due_at) : null,
    started_at: toIso(row.started_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

export function toDifferenceDto({ kind, reason, account, user_id, found_at }: ShownDifference): ImportDifferenceDto {
  return { kind, reason, account_id: account, user_id, found_at: toIso(found_at) };
}
