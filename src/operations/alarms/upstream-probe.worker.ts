import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { UPSTREAM_PROBE_EVERY_MS } from './tuning.js';

/**
 * Probes upstream while this process considers it unavailable; otherwise the alarm would stay raised until the next
 * call. Needs no lease, because each process has its own view of upstream.
 */
@Injectable()
export class UpstreamProbeWorker {
  readonly loop: WorkerLoop;
  /** Monotonic time. */
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    const work = (signal: AbortSignal): Promise<WorkOutcome> => this.ask(signal);
    this.loop = workers.register({ name: 'upstream-probe', everyMs: UPSTREAM_PROBE_EVERY_MS, inEveryRole: true, work });
  }

  private async ask(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.monotonic();
    const { upstream_away, upstream_key_refused } = this.thisProcess.signs(this.clock.now());
    const isInTrouble = upstream_away !== undefined || upstream_key_refused !== undefined;
    if (!isInTrouble || now - this.askedAt < UPSTREAM_PROBE_EVERY_MS) return 'idle';
    this.askedAt = now;
    // The transport updates the state of upstream from any response.
    await this.upstream.listUsers({ offset: 0, limit: 1 }, { priority: 'background', signal }).catch(() => undefined);
    return 'idle';
  }
}
