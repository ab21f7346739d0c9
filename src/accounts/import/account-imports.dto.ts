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
    description: "walk: upstream's list is read; verify: upstream is asked for accounts the list did not show.",
  })
  phase: ImportPhase;
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Passes over the list; more than one if it changed during a pass.',
  })
  pass: number;
  @ApiProperty({ ...count, nullable: true, description: 'Number of users that upstream reports.', example: 12_000 })
  users_total: number | null;
  @ApiProperty({ ...count, description: 'Users seen in this look.', example: 4_500 }) users_seen: number;
  @ApiProperty({ ...count, description: 'Users that had their account here.' }) known: number;
  @ApiProperty({ ...count, description: 'Users taken over.' }) adopted: number;
  @ApiProperty({ ...count, description: 'Users that cannot be taken over.' }) refused: number;
  @ApiProperty(counts(`Of those refused, how many why: ${refusalReasons.join(', ')}.`, { personal_id: 2 }))
  refused_by_reason: Record<string, number>;
  @ApiProperty({ ...count, description: 'Accounts here without a user upstream.' }) unknown_upstream: number;
  @ApiProperty(counts(`Of those, how many why: ${absenceReasons.join(', ')}.`, { user_gone: 1 }))
  unknown_by_reason: Record<string, number>;
  @ApiProperty({ ...count, description: 'Accounts upstream was asked for one by one.' }) accounts_verified: number;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'False: the list changed during every pass, so import again. Null before the scan has ended.',
  })
  stable: boolean | null;
  @ApiProperty({ ...count, description: 'Pages of the list read.' }) pages: number;
  @ApiProperty({ minimum: 0, maximum: 1, description: 'Falls back when the list is read again.' })
  share_done: number;
  @ApiProperty(timeOrNull) estimated_end: string | null;
  @ApiProperty({ ...count, description: 'Failures since the last step that worked.' }) failures: number;
  @ApiProperty({ type: String, nullable: true, example: 'upstream_throttled' }) last_error: string | null;
  @ApiProperty({ ...timeOrNull, description: 'When it goes on; null once it has ended.' }) due_at: string | null;
  @ApiProperty(time) started_at: string;
  @ApiProperty(timeOrNull) finished_at: string | null;
}

export class ImportDifferenceDto {
  @ApiProperty({ enum: differenceKinds }) kind: DifferenceKind;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...refusalReasons, ...absenceReasons, null],
    description: 'Null for a user that was taken over.',
  })
  reason: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Account id here; null if there is none. A refused id is not shown.',
  })
  account_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The upstream user.' }) user_id: string | null;
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
