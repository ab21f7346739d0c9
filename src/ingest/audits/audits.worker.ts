import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { resourceByName } from '../../health/catalogue/catalogue.js';
import { AuditConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AUDIT_PULLS_LOOK_MS, AUDITS_EVERY_MS, MAX_AUDIT_PAUSE_MS, MAX_SAMPLE_CALLS } from '../streams/tuning.js';
import type { AuditEntity, DayProofEntity } from './audit.entity.js';
import { type AuditPlace, daysAtOnce, nextUnit, placeAfterFailure, runsOfDays } from './audit-plan.js';
import { AuditRepairs } from './audit-repairs.js';
import { AuditStreams } from './audit-streams.js';
import { AuditsRepository } from './audits.repository.js';
import { DayVerdicts } from './day-verdicts.js';
import { PatientLooks } from './patient-looks.js';
import { ThinnedDays } from './thinned-days.service.js';

/*
 * Compares days of an account with upstream, repairs what differs, and compares it again.
 *
 *   (none)     --requested-->        comparing  an identical open audit absorbs the request
 *   (none)     --asked about-->      waiting    an identical open question absorbs it
 *   waiting    --its turn-->         comparing  one question or sample at a time (audit-sample.worker.ts)
 *   comparing  --look-->             comparing  the proofs of some days and the place, in one transaction; without
 *                                               proofs if the source changed, or the look failed (patient-looks.ts)
 *   comparing  --last look-->        repairing, or done if nothing is to be repaired; only now, because the pull that
 *                                               repairs a day may repair its neighbours before they are compared
 *   repairing  --a day needs it-->   repairing  the pulls of the days of a stream are requested
 *   repairing  --a pull has ended--> repairing  its days are compared again: proven, different, pulled once more, or
 *                                               looked at later, when a deletion can be confirmed
 *   repairing  --no day is left-->   done
 *   any        --cancelled-->        cancelled  requested pulls still run
 *   any        --refused-->          failed
 *
 * A turn is one look. After a crash, it is repeated; no proof is stored before the look is complete. Leases:
 * work/leased-rows.ts.
 */

const retry = { pause: { baseMs: 10_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 5 };

@Injectable()
export class AuditsWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly audits: AuditsRepository,
    private readonly looks: PatientLooks,
    private readonly streams: AuditStreams,
    private readonly accounts: AccountsService,
    private readonly verdicts: DayVerdicts,
    private readonly repairs: AuditRepairs,
    private readonly thinned: ThinnedDays,
    private readonly config: AuditConfig,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'audit',
      everyMs: AUDITS_EVERY_MS,
      batch: 1,
      rows: audits.rows,
      retry,
      judge: classifyPatiently,
      handle: (audit, signal) => this.turn(audit, signal),
      bury: (tx, audit, code) => this.bury(tx, audit, code),
    });
  }

  private async bury(tx: Tx, audit: AuditEntity, code: string): Promise<void> {
    await this.audits.leaveRepairs(tx, audit.id);
    await this.audits.rows.bury(tx, audit, code, { state: 'failed', finished_at: this.clock.now() });
  }

  private async turn(audit: AuditEntity, signal: AbortSignal): Promise<void> {
    if (audit.cancelled_at !== null) return this.end(audit, 'cancelled');
    const account = await this.accounts.findById(audit.account_id);
    if (!account?.upstream_user_id || account.user_gone_at !== null) {
      throw new AppError('conflict', 'The account has no upstream user.');
    }
    await (audit.state === 'repairing' ? this.repair(audit, account, signal) : this.compare(audit, account, signal));
  }

  private async compare(audit: AuditEntity, account: Account, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const streams = await this.streams.of(audit, now);
    const before = placeOf(audit);
    const next = nextUnit(streams, before);
    const isSample = audit.origin !== 'request';
    // A sample no longer counts the days that it has compared among its days.
    const total = streams.reduce((sum, { days }) => sum + days.length, isSample ? audit.days_compared : 0);
    if (!next) return this.compared({ ...audit, days_total: total, place: null });
    if (isSample && audit.calls >= MAX_SAMPLE_CALLS) return this.compared({ ...audit, days_total: total });
    const { unit, place } = next;
    const { look, calls, hasFailed } = await this.looks.compare(audit, account, unit, signal);
    const after = hasFailed ? placeAfterFailure(place, before) : place;
    const days = look ? await this.verdicts.first(audit, unit, look) : [];
    await this.lane.run(async (tx) => {
      await assertWritable(tx, audit.account_id);
      await this.audits.store(tx, await this.thinned.stillComparable(tx, audit.account_id, days));
      await this.audits.rows.complete(tx, audit, this.nextAt(audit, calls), {
        place: JSON.stringify(after),
        days_total: total,
        days_compared: audit.days_compared + days.length,
        calls: audit.calls + calls,
        objects: audit.objects + days.reduce((sum, { objects }) => sum + objects, 0),
      });
    });
  }

  /** Calls of samples keep their distance, so that they never exceed the budget of a day. */
  private nextAt({ origin }: AuditEntity, calls: number): number {
    const { callsPerDay } = this.config;
    const distance = origin !== 'request' ? DAY_MS / Math.max(1, callsPerDay) : 0;
    return this.clock.now() + Math.ceil(calls * distance);
  }

  private async compared(audit: AuditEntity): Promise<void> {
    const { days_total, place } = audit;
    const open = await this.audits.repairing(audit.id);
    if (open.length === 0) return this.end(audit, 'done');
    await this.lane.run((tx) =>
      this.audits.rows.complete(tx, audit, this.clock.now(), { state: 'repairing', days_total, place }),
    );
  }

  private async repair(audit: AuditEntity, account: Account, signal: AbortSignal): Promise<void> {
    const rows = await this.audits.repairing(audit.id);
    if (rows.length === 0) return this.end(audit, 'done');
    if (rows.some(needsPull)) return this.pull(audit, rows.filter(needsPull));
    const now = this.clock.now();
    const { isOpen, hasFailed } = await this.repairs.pullsOf(rows);
    const ready = rows.filter((row) => !isOpen(row) && (row.look_due_at ?? 0) <= now);
    const [first] = ready;
    const resource = first && resourceByName(first.resource);
    if (!first || !resource) {
      const next = Math.min(
        ...rows.map((row) =>
          isOpen(row) ? now + AUDIT_PULLS_LOOK_MS : (row.look_due_at ?? now + AUDIT_PULLS_LOOK_MS),
        ),
      );
      await this.lane.run((tx) => this.audits.rows.complete(tx, audit, Math.min(next, now + MAX_AUDIT_PAUSE_MS)));
      return;
    }
    const own = ready.filter((row) => row.resource === first.resource && row.provider === first.provider);
    const listed = own.map(({ day }) => day);
    const [days = []] = runsOfDays(listed, daysAtOnce(resource));
    const unit = { resource, provider: first.provider, days };
    const { look, calls } = await this.looks.compare(audit, account, unit, signal);
    const byDay = groupedBy(own, ({ day }) => day);
    const judged = days.flatMap((day) => {
      const row = byDay.get(day)?.[0];
      const found = look?.days.find((one) => one.day === day);
      if (!row) return [];
      if (!look || !found) return [{ ...row, state: 'different' as const, task_id: null }];
      return [this.verdicts.again(row, found, !hasFailed(row), look.lookedAt)];
    });
    await this.lane.run(async (tx) => {
      await assertWritable(tx, audit.account_id);
      await this.audits.store(tx, await this.thinned.stillComparable(tx, audit.account_id, judged));
      await this.audits.rows.complete(tx, audit, this.nextAt(audit, calls), { calls: audit.calls + calls });
    });
  }

  /** Requests the pulls for the days of one stream. */
  private async pull(audit: AuditEntity, days: readonly DayProofEntity[]): Promise<void> {
    const [first] = days as [DayProofEntity];
    const own = days.filter((row) => row.resource === first.resource && row.provider === first.provider);
    await this.lane.run(async (tx) => {
      await assertWritable(tx, audit.account_id);
      const comparable = await this.thinned.stillComparable(tx, audit.account_id, own);
      await this.audits.store(tx, await this.repairs.withPulls(tx, comparable));
      await this.audits.rows.complete(tx, audit, this.clock.now());
    });
  }

  private async end(audit: AuditEntity, state: 'done' | 'cancelled'): Promise<void> {
    const { days_total, place } = audit;
    await this.lane.run(async (tx) => {
      if (state === 'cancelled') await this.audits.leaveRepairs(tx, audit.id);
      await this.audits.rows.complete(tx, audit, null, { state, days_total, place, finished_at: this.clock.now() });
    });
  }
}

function needsPull({ task_id, look_due_at }: DayProofEntity): boolean {
  return task_id === null && look_due_at === null;
}

function placeOf({ place }: AuditEntity): AuditPlace | null {
  return place === null ? null : (JSON.parse(place) as AuditPlace);
}
