import { Injectable } from '@nestjs/common';
import { AccessLog } from '../access-log/access-log.service.js';
import type { ChainEnds } from '../access-log/chain.js';
import { AccessLogConfig } from '../config/config.js';
import { Clock } from '../platform/clock.js';
import { yieldToEventLoop } from '../platform/event-loop.js';
import { DAY_MS, HOUR_MS } from '../platform/time.js';
import { ThisProcess } from '../process-state/this-process.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { type ChainBreak, ChainCheck, type Noted } from './chain-check.js';
import { ChainVerifier, SLICE_SIZE } from './chain-verifier.js';
import { readCheckpoint } from './checkpoint.js';
import { lastLineOf } from './checkpoint-places.js';
import { VerificationTelemetry } from './verification.telemetry.js';

const everyMs = 10_000;
/** Entries followed in one round: some tenths of a second, in many turns of the event loop. */
const MOST_IN_ROUND = 20_000;

interface Running {
  readonly check: ChainCheck;
  readonly begunAt: number;
  readonly firstSeq: number;
  /** It has reached an end before, and only follows what is added. */
  isWhole: boolean;
}

/**
 * Follows the access log from its first entry, some thousand entries every ten seconds, then what is added to it, and
 * once a day begins anew. Where it had come to is kept in memory, out of reach of whoever writes the table: an end that
 * is cut off or written anew is found at the next round. After a start the newest checkpoint of the file takes its
 * place. What was found stays an alarm for as long as the process lives, since a table can be put back.
 */
@Injectable()
export class VerificationWorker {
  readonly loop: WorkerLoop;
  private running: Running | null = null;
  /** Where the chain was whole last. */
  private noted: Noted | null = null;
  private hasReadFile = false;
  private notBefore = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: AccessLog,
    private readonly verifier: ChainVerifier,
    private readonly config: AccessLogConfig,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    private readonly telemetry: VerificationTelemetry,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'access-log-verification', everyMs, work: (signal) => this.round(signal) });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    if (this.clock.monotonic() < this.notBefore) return 'idle';
    const ends = await this.log.ends();
    if (!ends) return this.found({ seq: null, reason: 'chain_missing' });
    const running = await this.runningOn(ends);
    if (await this.isBehind(running, ends, signal)) return 'idle';
    const broken = running.check.judge(ends) ?? (await this.verifier.outside());
    if (!broken) return this.whole(running);
    this.running = null;
    // Entries that retention removed meanwhile look as if they were missing: from the new front on it is judged anew.
    return ends.first_seq === running.firstSeq ? this.found(broken) : 'more';
  }

  private async runningOn(ends: ChainEnds): Promise<Running> {
    const now = this.clock.monotonic();
    if (this.running && now - this.running.begunAt < DAY_MS) return this.running;
    const noted = this.noted ?? (await this.notedInFile());
    const check = new ChainCheck(ends, { noted: noted ? [noted] : [], keys: this.verifier.keys });
    return (this.running = { check, begunAt: now, firstSeq: ends.first_seq, isWhole: false });
  }

  /** Follows as many entries as a round may; true while there are more. */
  private async isBehind({ check }: Running, ends: ChainEnds, signal: AbortSignal): Promise<boolean> {
    for (let count = 0; count < MOST_IN_ROUND && !signal.aborted; count += SLICE_SIZE) {
      if (!(await this.verifier.follow(check, ends, SLICE_SIZE))) return false;
      await yieldToEventLoop();
    }
    return true;
  }

  private whole(running: Running): WorkOutcome {
    if (!running.isWhole) this.telemetry.whole(this.clock.now());
    running.isWhole = true;
    this.noted = running.check.reached;
    return 'idle';
  }

  private found(broken: ChainBreak): WorkOutcome {
    this.running = null;
    this.notBefore = this.clock.monotonic() + HOUR_MS;
    this.thisProcess.note('access_log_broken', this.clock.now());
    this.telemetry.broken(broken);
    return 'idle';
  }

  /** What is no checkpoint of ours in there proves nothing, neither way. */
  private async notedInFile(): Promise<Noted | null> {
    if (this.hasReadFile || this.config.checkpointPath === undefined) return null;
    const line = await lastLineOf(this.config.checkpointPath);
    this.hasReadFile = true;
    const checkpoint = line === null ? 'unreadable' : readCheckpoint(line, this.verifier.keys);
    return typeof checkpoint === 'string' ? null : { seq: checkpoint.seq, hash: checkpoint.hash };
  }
}
