import type { Clock } from '../../platform/platform/clock.js';
import type { ThisProcess } from '../../platform/platform/this-process.js';
import type { CircuitStateName } from './circuit.js';
import type { UpstreamError } from './upstream-error.js';

/** Upstream is called away when no try has found it working for so long, even if the circuit has not opened. */
const AWAY_AFTER_MS = 120_000;

/** What one try says of upstream as a whole. */
export interface Try {
  readonly down: boolean;
  readonly error?: UpstreamError;
}

/** Notes from the tries of this process whether upstream works and takes our key, until a try says otherwise. */
export class UpstreamWatch {
  /** When upstream was first found down, and by the monotonic clock. */
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
