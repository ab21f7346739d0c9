import { Injectable } from '@nestjs/common';
import { assertWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, dateOf } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { AUDIT_SAMPLE_EVERY_MS } from '../streams/tuning.js';
import { AuditCycle } from './audit-cycle.js';
import { MAX_AUDIT_DAYS } from './audit-plan.js';
import { AuditsRepository } from './audits.repository.js';
import { AuditsWorker } from './audits.worker.js';

/**
 * Proves everybody's days in turn: starts an audit of one account after the other (audits.worker.ts), one at a time.
 * Each is a slice: it compares what is due (audit-streams.ts), up to a number of calls. A recovery brings everybody's
 * turn forward. Questions come first.
 */
@Injectable()
export class AuditSampleWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly audits: AuditsRepository,
    private readonly worker: AuditsWorker,
    private readonly cycle: AuditCycle,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'audit_sample', everyMs: AUDIT_SAMPLE_EVERY_MS, work: () => this.work() });
  }

  private async work(): Promise<WorkOutcome> {
    if (!this.cycle.isOn || (await this.audits.isSampling())) return 'idle';
    const next = await this.next();
    if (next === null) return 'idle';
    await this.lane.run(async (tx) => {
      await tx.lock('sample', 0);
      if (!(await this.audits.isSampling(tx))) await next(tx);
    });
    this.worker.loop.tick();
    return 'idle';
  }

  private async next(): Promise<((tx: Tx) => Promise<void>) | null> {
    const question = await this.audits.nextQuestion();
    if (question !== null) return (tx) => this.audits.begin(tx, question, this.clock.now());
    const account = await this.nextAccount();
    return account === null ? null : (tx) => this.sample(tx, account, this.clock.now());
  }

  private async nextAccount(): Promise<number | null> {
    const now = this.clock.now();
    return this.audits.nextToSample({ since: await this.cycle.beganAt(now), leftSince: now - DAY_MS });
  }

  private async sample(tx: Tx, account: number, now: number): Promise<void> {
    await assertWritable(tx, account);
    await this.audits.insert(tx, {
      ...{ account_id: account, origin: 'sample', resource: '', report_only: 0, repair_all: 0 },
      first_day: dateOf(now - MAX_AUDIT_DAYS * DAY_MS),
      last_day: dateOf(now),
      created_at: now,
    });
  }
}
