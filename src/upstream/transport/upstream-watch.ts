import type { Clock } from '../../platform/platform/clock.js';
import type { ThisProcess } from '../../platform/platform/this-process.js';
import type { CircuitStateName } from './circuit.js';
import type { UpstreamError } from './upstream-error.js';

/** Upstream counts as away if no attempt succeeded for this long, even with the circuit closed. */
const AWAY_AFTER_MS = 120_000;

/** Outcome of one attempt. */
export interface Try {
  readonly down: boolean;
  readonly error?: UpstreamError;
}

/** Tracks, from the attempts of this process, whether upstream works and accepts our key. */
export class UpstreamWatch {
  /** Start of the outage, by the wall clock and by the monotonic clock. */
  private down: { readonly since: number; readonly from: number } | null = null;

  constructor(
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {}

  saw({ down, error }: Try, circuit: CircuitStateName): void {
    const now = this.clock.now();
    if (down) {
      this.down ??= { since: now, from: this.clock.monotonic() };
      const isAway = circuit !== 'closed' || this.clock.monotonic() - this.down.from >= AWAY_AFTER_MS;
      if (isAway) this.thisProcess.note('upstream_away', this.down.since);
      return;
    }
    this.down = null;
    this.thisProcess.clear('upstream_away');
    if (error?.isUnauthorized) this.thisProcess.note('upstream_key_refused', now);
    else if (!error) this.thisProcess.clear('upstream_key_refused');
  }
}
