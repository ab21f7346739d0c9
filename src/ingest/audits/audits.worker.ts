import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import type { ComparedDay } from '../../health/canonical/day-comparison.js';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { RejectedRecords } from '../../health/records/rejected-records.service.js';
import { AuditConfig, DeletionsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { covers, DAY_MS, HOUR_MS, overlaps } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { CoverageService } from '../coverage/coverage.service.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import { PullRequests } from '../pulls/pull-requests.service.js';
import type { AuditEntity, DayProofEntity } from './audit.entity.js';
import { type AuditLook, AuditLooks } from './audit-looks.js';
import {
  type AuditPlace,
  type AuditUnit,
  daysAtOnce,
  nextUnit,
  rangeOfDay,
  runsOfDays,
  windowOf,
} from './audit-plan.js';
import { AuditStreams } from './audit-streams.js';
import { AuditsRepository } from './audits.repository.js';
import { countOf, differencesOf, proofOf } from './day-proofs.js';
import { afterRepair, causeOf, type KnownOfDay } from './difference-cause.js';

/*
 * Compares days of an account with upstream, repairs what differs, and compares it again.
 *
 *   (none)     --requested-->        comparing  an identical open audit absorbs the request
 *   comparing  --look-->             comparing  the proofs of some days, the requests of pulls that repair them, and
 *                                               the place, in one transaction
 *   comparing  --last look-->        repairing, or done if nothing is to be repaired
 *   repairing  --a pull has ended--> repairing  its days are compared again: proven, different, pulled once more, or
 *                                               looked at later, when a deletion can be confirmed
 *   repairing  --no day is left-->   done
 *   any        --cancelled-->        cancelled  requested pulls still run
 *   any        --refused-->          failed
 *
 * A turn is one look. After a crash, it is repeated; no proof is stored before the look is complete. Leases:
 * work/leased-rows.ts.
 */

const everyMs = 2_000;
const retry = { pause: { baseMs: 10_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 5 };
/** While pulls of a repair run. */
const PULLS_MS = 5_000;
/** Between turns, so that a cancellation is noticed. */
const MAX_PAUSE_MS = 60_000;
/** A look with fewer differences is repaired, whatever their share. */
const LEAST_HELD = 10;
/** After so many calls, a sample ends and leaves the rest to the next one, so that everybody's turn comes. */
const SLICE_CALLS = 20;
/** A deletion is confirmed by a pull that becomes due then. */
const CONFIRMED_MS = 15 * 60_000;

@Injectable()
export class AuditsWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly audits: AuditsRepository,
    private readonly looks: AuditLooks,
    private readonly streams: AuditStreams,
    private readonly accounts: AccountsService,
    private readonly guard: ErasureGuard,
    private readonly coverage: CoverageService,
    private readonly rejected: RejectedRecords,
    private readonly pulls: PullRequests,
    private readonly tasks: ListedPulls,
    private readonly deletions: DeletionsConfig,
    private readonly config: AuditConfig,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'audit',
      everyMs,
      batch: 1,
      rows: audits.rows,
      retry,
      judge: classifyPatiently,
      handle: (audit, signal) => this.turn(audit, signal),
      bury: (tx, audit, code) => audits.rows.bury(tx, audit, code, { state: 'failed', finished_at: this.clock.now() }),
    });
  }

  private async turn(audit: AuditEntity, signal: AbortSignal): Promise<void> {
    if (audit.cancelled_at !== null) return this.end(audit, 'cancelled');
    const account = await this.accounts.findById(audit.account_id);
    if (!account?.upstream_user_id || account.user_gone_at !== null) {
      throw new AppError('conflict', 'The account has no upstream user.');
    }
    await (audit.state === 'comparing' ? this.compare(audit, account, signal) : this.repair(audit, account, signal));
  }

  private async compare(audit: AuditEntity, account: Account, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const streams = await this.streams.of(audit, now);
    const unit = nextUnit(streams, placeOf(audit));
    const isSample = audit.origin === 'sample';
    // A sample no longer counts the days that it has compared among its days.
    const total = streams.reduce((sum, { days }) => sum + days.length, isSample ? audit.days_compared : 0);
    if (!unit) return this.compared({ ...audit, days_total: total, place: null });
    if (isSample && audit.calls >= SLICE_CALLS) return this.compared({ ...audit, days_total: total });
    const look = await this.looks.compare(account, unit, signal);
    const days = look ? await this.judge(audit, unit, look) : [];
    const place: AuditPlace = [unit.resource.name, unit.provider, unit.days.at(-1) ?? ''];
    await this.lane.run(async (tx) => {
      await this.guard.assertWritable(tx, audit.account_id);
      await this.audits.store(tx, await this.withPulls(tx, unit.resource, days));
      await this.audits.rows.complete(tx, audit, this.nextAt(audit, look), {
        place: JSON.stringify(place),
        days_total: total,
        days_compared: audit.days_compared + days.length,
        calls: audit.calls + (look?.calls ?? 0),
        objects: audit.objects + days.reduce((sum, { objects }) => sum + objects, 0),
      });
    });
  }

  /** Calls of samples keep their distance, so that they never exceed the budget of a day. */
  private nextAt({ origin }: AuditEntity, look: AuditLook | null): number {
    const { callsPerDay } = this.config;
    const distance = origin === 'sample' ? DAY_MS / Math.max(1, callsPerDay) : 0;
    return this.clock.now() + Math.ceil((look?.calls ?? 0) * distance);
  }

  private async compared(audit: AuditEntity): Promise<void> {
    const { days_total, place } = audit;
    const open = await this.audits.repairing(audit.id);
    if (open.length === 0) return this.end(audit, 'done');
    await this.lane.run((tx) =>
      this.audits.rows.complete(tx, audit, this.clock.now(), { state: 'repairing', days_total, place }),
    );
  }

  private async judge(audit: AuditEntity, unit: AuditUnit, look: AuditLook): Promise<DayProofEntity[]> {
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

  private changesTooMuch(days: readonly ComparedDay[]): boolean {
    const differences = days.reduce((sum, day) => sum + day.differences.length, 0);
    const objects = days.reduce((sum, day) => sum + day.objects + countOf(day, 'extra'), 0);
    return differences >= LEAST_HELD && differences / objects > this.deletions.holdShare;
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

  /** Requests the pulls that repair days. */
  private async withPulls(tx: Tx, resource: Resource, days: readonly DayProofEntity[]): Promise<DayProofEntity[]> {
    const wanted = days.filter(({ state, task_id }) => state === 'repairing' && task_id === null);
    const taskOf = new Map<string, number>();
    const listed = wanted.map(({ day }) => day);
    for (const run of runsOfDays(listed, daysAtOnce(resource))) {
      const { account_id: account, provider } = wanted[0] as DayProofEntity;
      const window = windowOf({ resource, provider, days: run });
      const request = { account, provider, resource: resource.name, origin: 'reread', ...window } as const;
      const task = await this.pulls.request(tx, request);
      for (const day of run) taskOf.set(day, task);
    }
    return days.map((row) => ({ ...row, task_id: taskOf.get(row.day) ?? row.task_id }));
  }

  private async repair(audit: AuditEntity, account: Account, signal: AbortSignal): Promise<void> {
    const rows = await this.audits.repairing(audit.id);
    if (rows.length === 0) return this.end(audit, 'done');
    const now = this.clock.now();
    const statuses = await this.tasks.statuses([...new Set(rows.flatMap(({ task_id }) => task_id ?? []))]);
    const isOpen = ({ task_id }: DayProofEntity): boolean => {
      const status = statuses.get(task_id ?? 0);
      return status === 'pending' || status === 'running';
    };
    const ready = rows.filter((row) => !isOpen(row) && (row.look_due_at ?? 0) <= now);
    const [first] = ready;
    const resource = first && resourceByName(first.resource);
    if (!first || !resource) {
      const next = Math.min(...rows.map((row) => (isOpen(row) ? now + PULLS_MS : (row.look_due_at ?? now + PULLS_MS))));
      await this.lane.run((tx) => this.audits.rows.complete(tx, audit, Math.min(next, now + MAX_PAUSE_MS)));
      return;
    }
    const own = ready.filter((row) => row.resource === first.resource && row.provider === first.provider);
    const listed = own.map(({ day }) => day);
    const [days = []] = runsOfDays(listed, daysAtOnce(resource));
    const look = await this.looks.compare(account, { resource, provider: first.provider, days }, signal);
    const byDay = groupedBy(own, ({ day }) => day);
    const judged = days.flatMap((day) => {
      const row = byDay.get(day)?.[0];
      const found = look?.days.find((one) => one.day === day);
      if (!row) return [];
      if (!look || !found) return [{ ...row, state: 'different' as const, task_id: null }];
      const isPulled = statuses.get(row.task_id ?? 0) !== 'failed';
      return [this.again(row, found, isPulled, look.lookedAt)];
    });
    await this.lane.run(async (tx) => {
      await this.guard.assertWritable(tx, audit.account_id);
      await this.audits.store(tx, await this.withPulls(tx, resource, judged));
      await this.audits.rows.complete(tx, audit, this.nextAt(audit, look), {
        calls: audit.calls + (look?.calls ?? 0),
      });
    });
  }

  /** The row of a day after another look. It keeps the differences of the first look. */
  private again(row: DayProofEntity, day: ComparedDay, isPulled: boolean, lookedAt: number): DayProofEntity {
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

  private async end(audit: AuditEntity, state: 'done' | 'cancelled'): Promise<void> {
    const { days_total, place } = audit;
    await this.lane.run(async (tx) => {
      if (state === 'cancelled') await this.audits.leaveRepairs(tx, audit.id);
      await this.audits.rows.complete(tx, audit, null, { state, days_total, place, finished_at: this.clock.now() });
    });
  }
}

function placeOf({ place }: AuditEntity): AuditPlace | null {
  return place === null ? null : (JSON.parse(place) as AuditPlace);
}
