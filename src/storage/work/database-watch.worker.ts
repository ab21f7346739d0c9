import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { Reader } from '../database/reader.js';
import { DATABASE_WATCH_EVERY_MS } from '../database/tuning.js';
import { SchemaService } from '../schema/schema.service.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import { WorkerRegistry } from './worker-registry.js';

/** Longer than the pools keep to what they have before they ask for more. */
const FEW_MS = 5 * 60_000;
/** A replica restarts, or lags for a while under load, without anyone having to act. */
const UNUSED_MS = 60_000;

/**
 * Repeats on PostgreSQL what the start checks, because an administrator can change it under a running process: while
 * rows of the tables may be hidden, nothing is read or written, so that no person seems unknown or not erased;
 * sequences that gave a number again are set forward; sessions that the server or its pooler lacks are named; the
 * replica is used or not. In every process, because each keeps its own sessions.
 */
@Injectable()
export class DatabaseWatchWorker {
  readonly loop: WorkerLoop;
  private unusedSince: number | null = null;

  constructor(
    private readonly schema: SchemaService,
    private readonly reader: Reader,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
    private readonly log: Log,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: 'database-watch',
      everyMs: DATABASE_WATCH_EVERY_MS,
      inEveryRole: true,
      work: () => this.round(),
    });
  }

  private async round(): Promise<WorkOutcome> {
    if (this.reader.dialect === 'sqlite') return 'idle';
    this.watchSessions();
    const before = this.schema.hiddenBecause;
    const hidden = await this.schema.lookForHiddenRows();
    if (hidden === null) this.thisProcess.clear('rows_hidden');
    else this.thisProcess.note('rows_hidden', this.clock.now());
    if (hidden !== null && before === null) this.log.event('database.rows_hidden', {}, 'error');
    if (hidden === null) await this.continueNumbers();
    await this.watchReplica();
    return 'idle';
  }

  private watchSessions(): void {
    const now = this.clock.now();
    const count = this.reader.fewSessions;
    const wasFew = this.thisProcess.signs(now).sessions_few !== undefined;
    if (count === null) return;
    this.thisProcess.note('sessions_few', now, now + FEW_MS);
    if (!wasFew) this.log.event('database.sessions_few', { count }, 'warn');
  }

  private async watchReplica(): Promise<void> {
    const { replica } = this.reader;
    if (!replica) return;
    const before = replica.state.fault;
    await replica.look();
    const { fault } = replica.state;
    const now = this.clock.now();
    if (fault === null) this.thisProcess.clear('replica_unused');
    this.unusedSince = fault === null ? null : (this.unusedSince ?? now);
    if (this.unusedSince !== null && now - this.unusedSince >= UNUSED_MS) {
      this.thisProcess.note('replica_unused', this.unusedSince);
    }
    if (fault === null && before !== null) this.log.event('database.replica_used');
    if (fault !== null && before !== fault) this.log.event('database.replica_unused', { reason: fault }, 'warn');
  }

  private async continueNumbers(): Promise<void> {
    if (this.schema.takeRepeatedNumber() === null) return;
    const now = this.clock.now();
    this.thisProcess.note('numbers_repeated', now, now + HOUR_MS);
    const parts = await this.schema.setSequencesForward();
    this.log.event('database.sequences_set_forward', { parts }, 'error');
  }
}
