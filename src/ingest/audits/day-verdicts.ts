import { Injectable } from '@nestjs/common';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import { DeletionsConfig } from '../../platform/config/config.js';
import { MIN_HELD } from '../../platform/config/deletions.js';
import { covers, HOUR_MS, overlaps } from '../../platform/platform/time.js';
import { CoverageService } from '../streams/coverage.service.js';
import type { AuditEntity, DayProofEntity } from './audit.entity.js';
import type { AuditLook } from './audit-looks.js';
import { type AuditUnit, rangeOfDay } from './audit-plan.js';
import { AuditsRepository } from './audits.repository.js';
import type { ComparedDay } from './day-comparison.js';
import { countOf, differencesOf, proofOf } from './day-proofs.js';
import { afterRepair, causeOf, type KnownOfDay } from './difference-cause.js';

/** A deletion is confirmed by a pull that becomes due then. */
const CONFIRMED_MS = 15 * 60_000;

/** Decides what a look at days of a stream proves, and what becomes of the days that differ. */
@Injectable()
export class DayVerdicts {
  constructor(
    private readonly audits: AuditsRepository,
    private readonly coverage: CoverageService,
    private readonly rejected: RejectedRecords,
    private readonly deletions: DeletionsConfig,
  ) {}

  /** The rows of the days of a first look. */
  async first(audit: AuditEntity, unit: AuditUnit, look: AuditLook): Promise<DayProofEntity[]> {
    const { resource, provider, days } = unit;
    const of = {
      account: audit.account_id,
      resource: resource.name,
      provider,
      firstDay: days[0],
      lastDay: days.at(-1),
    };
    const before = new Map((await this.audits.proofs(of)).map((row) => [row.day, row]));
    const known = await this.known(audit.account_id, unit, look);
    const isHeld = audit.repair_all === 0 && this.changesTooMuch(look.days);
    const changed = audit.report_only === 1 ? 'different' : isHeld ? 'held' : 'repairing';
    return look.days.map((day) => {
      const last = before.get(day.day) ?? null;
      const proof = proofOf(audit, resource, day, look.lookedAt);
      if (day.isEqual) return { ...proof, state: 'proven', proven_at: look.lookedAt };
      const cause = causeOf(day, { before: last, ...known(day.day) });
      return { ...proof, state: changed, cause, proven_at: last?.proven_at ?? null };
    });
  }

  /** The row of a day after another look. It keeps the differences of the first look. */
  again(row: DayProofEntity, day: ComparedDay, isPulled: boolean, lookedAt: number): DayProofEntity {
    const hidesGone = this.deletions.modes.of(row.provider) === 'apply';
    const { then, cause } = afterRepair({ row, day, isPulled, hidesGone });
    const next = { ...row, cause, hash: day.hash, objects: day.objects, looked_at: lookedAt, looks: row.looks + 1 };
    if (then === 'proven') return { ...next, state: 'proven', proven_at: lookedAt, look_due_at: null };
    if (then === 'pull') return { ...next, task_id: null, look_due_at: null };
    if (then === 'wait') {
      return { ...next, look_due_at: lookedAt + this.deletions.confirmHours * HOUR_MS + CONFIRMED_MS };
    }
    return { ...next, ...differencesOf(day), state: 'different', look_due_at: null };
  }

  private changesTooMuch(days: readonly ComparedDay[]): boolean {
    const differences = days.reduce((sum, day) => sum + day.differences.length, 0);
    const objects = days.reduce((sum, day) => sum + day.objects + countOf(day, 'extra'), 0);
    return differences >= MIN_HELD && differences / objects > this.deletions.holdShare;
  }

  private async known(
    account: number,
    { resource, provider }: AuditUnit,
    { days }: AuditLook,
  ): Promise<(day: string) => Omit<KnownOfDay, 'before'>> {
    if (days.every(({ isEqual }) => isEqual)) return () => ({ isSettled: false, isRejected: false });
    const isOwn = (row: { readonly provider: string; readonly resource: string }): boolean =>
      row.resource === resource.name && (row.provider === provider || row.provider === '');
    const covered = (await this.coverage.list(account)).filter((row) => isOwn(row) && row.state !== 'fresh');
    const rejected = (await this.rejected.ranges(account)).filter(isOwn);
    return (day) => {
      const range = rangeOfDay(day);
      return { isSettled: covers(covered, range), isRejected: rejected.some((row) => overlaps(row, range)) };
    };
  }
}
