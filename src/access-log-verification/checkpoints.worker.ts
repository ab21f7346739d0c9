import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccessLog } from '../access-log/access-log.service.js';
import { AccessLogConfig } from '../config/config.js';
import type { SigningKey } from '../config/signing-keys.js';
import { Clock } from '../platform/clock.js';
import { NetworkGate } from '../platform/network-gate.js';
import { ThisProcess } from '../process-state/this-process.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { signCheckpoint } from './checkpoint.js';
import { addressKeeper, fileKeeper, type Keeper } from './checkpoint-places.js';
import { VerificationTelemetry } from './verification.telemetry.js';

const MINUTE_MS = 60_000;
/** One failed try is no alarm. */
const UNDELIVERED_AFTER_MS = 300_000;

interface Delivery {
  readonly keeper: Keeper;
  /** The newest checkpoint that was not taken yet. */
  pending: string | null;
  failingSince: number | null;
}

/**
 * Signs where the access log ends, on schedule, and hands that to what is not the database: the log of the process,
 * a file, an address. What one of them did not take is tried again every minute, or replaced by a newer one, which
 * covers it. A crash loses no more than what was not taken yet, and begins with a new one. Needs no lease: each process
 * that works makes its own.
 */
@Injectable()
export class CheckpointsWorker implements OnApplicationShutdown {
  readonly loop: WorkerLoop;
  private readonly deliveries: readonly Delivery[];
  /** By the monotonic clock. */
  private dueAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: AccessLogConfig,
    private readonly log: AccessLog,
    private readonly clock: Clock,
    private readonly gate: NetworkGate,
    private readonly thisProcess: ThisProcess,
    private readonly telemetry: VerificationTelemetry,
    workers: WorkerRegistry,
  ) {
    const { checkpointPath, checkpointUrl } = config;
    const keepers = [
      ...(checkpointPath === undefined ? [] : [fileKeeper(checkpointPath)]),
      ...(checkpointUrl === undefined ? [] : [addressKeeper(checkpointUrl)]),
    ];
    this.deliveries = keepers.map((keeper) => ({ keeper, pending: null, failingSince: null }));
    this.loop = workers.register({ name: 'checkpoints', everyMs: MINUTE_MS, work: (signal) => this.round(signal) });
  }

  onApplicationShutdown(): void {
    for (const { keeper } of this.deliveries) keeper.close();
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const { checkpointKey: key } = this.config;
    if (!key) return 'idle';
    if (this.clock.monotonic() >= this.dueAt) await this.make(key);
    for (const delivery of this.deliveries) await this.deliver(delivery, signal);
    this.tell();
    return 'idle';
  }

  /** Also where nothing was added: that they come is a sign too. Of an empty log there is nothing to say. */
  private async make(key: SigningKey): Promise<void> {
    const ends = await this.log.ends();
    if (!ends || ends.last_seq === 0) return;
    this.dueAt = this.clock.monotonic() + this.config.checkpointMinutes * MINUTE_MS;
    const checkpoint = signCheckpoint(ends, this.clock.now(), key);
    this.telemetry.checkpoint(ends.last_seq, checkpoint);
    for (const delivery of this.deliveries) delivery.pending = checkpoint;
  }

  private async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { keeper, pending } = delivery;
    if (pending === null) return;
    try {
      this.gate.assertOpen('checkpoint');
      await keeper.deliver(pending, signal);
      this.telemetry.delivered(keeper.place, this.clock.now());
      Object.assign(delivery, { pending: null, failingSince: null });
    } catch (error) {
      if (signal.aborted) return;
      this.telemetry.undelivered(keeper.place, error);
      delivery.failingSince ??= this.clock.now();
    }
  }

  private tell(): void {
    const now = this.clock.now();
    const failing = this.deliveries.map(({ failingSince }) => failingSince ?? now);
    const since = Math.min(now, ...failing);
    if (now - since >= UNDELIVERED_AFTER_MS) this.thisProcess.note('checkpoints_undelivered', since);
    else this.thisProcess.clear('checkpoints_undelivered');
  }
}
