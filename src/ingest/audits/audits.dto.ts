import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { AccountFilter, AccountPath } from '../../http/server/account-path.js';
import { count, OptionalField, textOrNull, time, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { IsCalendarDate, IsUpstreamWord, rowNumber, ToInt } from '../../http/server/validation.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import {
  type AuditOrigin,
  type AuditState,
  auditOrigins,
  auditStates,
  type DayProofEntity,
  type DayProofState,
  type DifferenceCause,
  dayProofStates,
  differenceCauses,
} from './audit.entity.js';
import { MAX_AUDIT_DAYS } from './audit-plan.js';
import type { ShownAudit } from './audits.service.js';

const day = { type: String, format: 'date', example: '2026-11-01' } as const;

export class AuditRequest extends AccountPath {
  @OptionalField({ enum: coveredResources, description: 'Default: every pulled resource.' })
  @IsIn(coveredResources)
  resource?: string;

  @ApiProperty({ ...day, description: 'First UTC day.' })
  @IsCalendarDate()
  first_day: string;

  @ApiProperty({ ...day, description: `Last UTC day, at most ${MAX_AUDIT_DAYS} days in all.` })
  @IsCalendarDate()
  last_day: string;

  @OptionalField({ type: Boolean, default: false, description: 'Change nothing.' })
  @IsBoolean()
  report_only?: boolean;

  @OptionalField({
    type: Boolean,
    default: false,
    description: 'Repair also where more than DELETION_HOLD_SHARE of the records differ.',
  })
  @IsBoolean()
  repair_all?: boolean;
}

export class AuditPath {
  @ToInt(rowNumber)
  audit_id: number;
}

export class AuditListQuery extends PageQuery {
  @AccountFilter() account_id?: string;
}

const causes =
  `mapping: a complete pull did not make the day equal, so this program loses something. lost: upstream has what was
  proven before, so what is stored has changed. rejected: records of the day cannot be stored. late: no pull has read
  the day since devices have sent their data. upstream_changed: anything else; upstream has added, changed or deleted
  data since the last pull.`.replaceAll(/\s+/g, ' ');

class CauseCountsDto implements Record<DifferenceCause, number> {
  @ApiProperty(count) mapping: number;
  @ApiProperty(count) lost: number;
  @ApiProperty(count) rejected: number;
  @ApiProperty(count) late: number;
  @ApiProperty(count) upstream_changed: number;
}

class DifferenceCountsDto {
  @ApiProperty({ ...count, description: 'Objects that upstream has and that were not stored.' }) missing: number;
  @ApiProperty({ ...count, description: 'Stored objects that upstream does not have.' }) extra: number;
  @ApiProperty({ ...count, description: 'Objects whose fields differ.' }) different: number;
}

export class AuditDto {
  @ApiProperty({ type: 'integer', example: 1 }) audit_id: number;
  @ApiProperty({ enum: auditStates }) state: AuditState;
  @ApiProperty({
    enum: auditOrigins,
    description: `request: an operator asked for it. sample: one of those that prove everybody's days in turn. question:
      of a day that somebody had explained; it comes before the samples.`.replaceAll(/\s+/g, ' '),
  })
  origin: AuditOrigin;
  @ApiProperty() account_id: string;
  @ApiProperty({ ...textOrNull, description: 'Null for every resource.' }) resource: string | null;
  @ApiProperty(day) first_day: string;
  @ApiProperty(day) last_day: string;
  @ApiProperty() report_only: boolean;
  @ApiProperty() repair_all: boolean;
  @ApiProperty({ ...count, description: 'Days of a source and resource that are over.' }) days_total: number;
  @ApiProperty({ ...count, description: 'Those compared. A source that changed during the look is left out.' })
  days_compared: number;
  @ApiProperty({ ...count, description: 'Days that are equal. This and the following: unless audited again since.' })
  proven: number;
  @ApiProperty({ ...count, description: 'Those of them that were repaired.' }) repaired: number;
  @ApiProperty({ ...count, description: 'Days that are being repaired.' }) repairing: number;
  @ApiProperty({ ...count, description: 'Days with too many differences to repair them without `repair_all`.' })
  held: number;
  @ApiProperty({ ...count, description: 'Days that are not equal.' }) different: number;
  @ApiProperty({ description: 'Found differences, also of days that were repaired.' }) differences: DifferenceCountsDto;
  @ApiProperty({ description: `Days with differences, by cause. ${causes}` }) causes: CauseCountsDto;
  @ApiProperty({ ...count, description: "Upstream's objects." }) objects: number;
  @ApiProperty({ ...count, description: 'Calls to upstream, without those of repairs.' }) calls: number;
  @ApiProperty({ minimum: 0, maximum: 1 }) share_done: number;
  @ApiProperty({ ...textOrNull, description: 'Code of the last failure.' }) error: string | null;
  @ApiProperty(time) created_at: string;
  @ApiProperty(timeOrNull) cancelled_at: string | null;
  @ApiProperty(timeOrNull) finished_at: string | null;
}

export class ProofListQuery extends PageQuery {
  @OptionalField({ enum: coveredResources })
  @IsIn(coveredResources)
  resource?: string;

  @OptionalField({ description: 'Only this source.', example: 'oura' })
  @IsUpstreamWord()
  provider?: string;

  @OptionalField(day)
  @IsCalendarDate()
  first_day?: string;

  @OptionalField(day)
  @IsCalendarDate()
  last_day?: string;

  @OptionalField({ enum: dayProofStates })
  @IsIn(dayProofStates)
  state?: DayProofState;
}

const proofStates =
  `proven: equal with upstream. repairing: the day is pulled and compared again. held: too many differences to repair
  it without repair_all. different: not equal.`.replaceAll(/\s+/g, ' ');

export class DayProofDto {
  @ApiProperty({ example: 'sleep' }) resource: string;
  @ApiProperty({ example: 'oura' }) provider: string;
  @ApiProperty({ ...day, description: 'UTC day.' }) day: string;
  @ApiProperty({ enum: dayProofStates, description: proofStates }) state: DayProofState;
  @ApiProperty({ description: "SHA-256 of upstream's list in the canonical form." }) hash: string;
  @ApiProperty({ ...count, description: "Upstream's objects." }) objects: number;
  @ApiProperty(time) looked_at: string;
  @ApiProperty({ ...timeOrNull, description: 'When it was last proven equal.' }) proven_at: string | null;
  @ApiProperty({ description: 'Found differences, also if the day was repaired since.' })
  differences: DifferenceCountsDto;
  @ApiProperty({ type: [String], description: 'Names of the fields that differed.' }) fields: string[];
  @ApiProperty({ type: String, nullable: true, enum: [...differenceCauses, null], description: causes })
  cause: DifferenceCause | null;
  @ApiProperty({ type: 'integer' }) audit_id: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Pull that repairs or repaired the day.' })
  task_id: number | null;
}

export function toAuditDto({ row, accountId, counts }: ShownAudit): AuditDto {
  const sum = (value: (one: ShownAudit['counts'][number]) => number): number =>
    counts.reduce((total, one) => total + value(one), 0);
  const inState = (state: DayProofState): number => sum((one) => (one.state === state ? one.count : 0));
  const byCause = differenceCauses.map((cause) => [cause, sum((one) => (one.cause === cause ? one.count : 0))]);
  const open = inState('repairing');
  const { id: audit_id, state, origin, first_day, last_day, days_total, days_compared, objects, calls } = row;
  return {
    ...{ audit_id, state, origin, account_id: accountId, resource: row.resource === '' ? null : row.resource },
    ...{ first_day, last_day, report_only: row.report_only === 1, repair_all: row.repair_all === 1 },
    ...{ days_total, days_compared },
    proven: inState('proven'),
    repaired: sum((one) => (one.state === 'proven' && one.cause !== null ? one.count : 0)),
    repairing: open,
    held: inState('held'),
    different: inState('different'),
    differences: {
      missing: sum(({ missing }) => missing),
      extra: sum(({ extra }) => extra),
      different: sum(({ differing }) => differing),
    },
    causes: Object.fromEntries(byCause) as Record<DifferenceCause, number>,
    ...{ objects, calls },
    share_done: state === 'done' ? 1 : days_total === 0 ? 0 : Math.max(0, days_compared - open) / days_total,
    error: row.error_code,
    created_at: toIso(row.created_at),
    cancelled_at: isoOrNull(row.cancelled_at),
    finished_at: isoOrNull(row.finished_at),
  };
}

export function toDayProofDto(row: DayProofEntity): DayProofDto {
  const {
    resource,
    provider,
    day: of,
    state,
    hash,
    objects,
    missing,
    extra,
    differing,
    cause,
    audit_id,
    task_id,
  } = row;
  return {
    ...{ resource, provider, day: of, state, hash, objects },
    looked_at: toIso(row.looked_at),
    proven_at: isoOrNull(row.proven_at),
    differences: { missing, extra, different: differing },
    fields: JSON.parse(row.fields) as string[],
    ...{ cause, audit_id, task_id },
  };
}

/** Days compared within a week that differed at first through one cause. */
export class DifferedDaysDto {
  @ApiProperty({ enum: differenceCauses }) cause: DifferenceCause;
  @ApiProperty(count) found: number;
  @ApiProperty({ ...count, description: 'Those of them that are not proven yet.' }) open: number;
}
