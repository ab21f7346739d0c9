import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';
import type { Clock } from '../../platform/platform/clock.js';

/**
 * closed    --`failures` tries in a row found upstream down--> open
 * open      --pause over, next try--> half open (that try is the probe; all others fail immediately)
 * half open --probe got a response--> closed; --probe found upstream down--> open, twice as long, up to `maxOpenMs`
 *
 * Any response that is not "down" counts as alive. An attempt that we ended ourselves (its caller left, or too little
 * time remained) throws and does not count. If such an attempt was the probe, the circuit closes, but the next try that
 * finds upstream down opens it again. The state is in memory only; a new process starts closed.
 */
export interface CircuitRule {
  failures: number;
  openMs: number;
  maxOpenMs: number;
}

export const circuitStates = ['closed', 'half_open', 'open'] as const;
export type CircuitStateName = (typeof circuitStates)[number];

export interface Verdict {
  /** The attempt showed that upstream is unreachable or broken. */
  readonly down: boolean;
}

/** No call is sent to upstream for another `retryAfterMs`. */
export class CircuitOpen extends Error {
  constructor(readonly retryAfterMs: number) {
    super('circuit open');
    this.name = 'CircuitOpen';
  }
}

export class Circuit {
  private readonly policy;
  /** By the monotonic clock. */
  private reopensAt = 0;

  constructor(
    private readonly rule: CircuitRule,
    private readonly clock: Clock,
    onChange: (state: CircuitStateName) => void,
  ) {
    this.policy = circuitBreaker(
      handleWhenResult((verdict) => (verdict as Verdict).down),
      {
        breaker: new ConsecutiveBreaker(rule.failures),
        halfOpenAfter: { next: ({ attempt }: { attempt: number }) => this.pause(attempt) },
      },
    );
    this.policy.onStateChange(() => onChange(this.state));
  }

  get state(): CircuitStateName {
    if (this.policy.state === CircuitState.Closed) return 'closed';
    return this.policy.state === CircuitState.HalfOpen ? 'half_open' : 'open';
  }

  /** Throws `CircuitOpen` while the circuit is open, before the call occupies a slot. */
  assertMayTry(): void {
    const wait = Math.max(0, this.reopensAt - this.clock.monotonic());
    if (this.state === 'half_open' || (this.state === 'open' && wait > 0)) throw new CircuitOpen(wait);
  }

  /** Runs one attempt and records its outcome. Throws `CircuitOpen` without an attempt while the circuit is open. */
  async run<V extends Verdict>(attempt: () => Promise<V>): Promise<V> {
    this.assertMayTry();
    try {
      return await this.policy.execute(attempt);
    } catch (error) {
      if (error instanceof BrokenCircuitError)
        throw new CircuitOpen(Math.max(0, this.reopensAt - this.clock.monotonic()));
      throw error;
    }
  }

  /** Makes the pause follow our clock. The policy compares `duration` with the time elapsed on the wall clock. */
  private pause(attempt: number): { readonly duration: number; next: (context: { attempt: number }) => never } {
    const length = Math.min(this.rule.maxOpenMs, this.rule.openMs * 2 ** (attempt - 1));
    this.reopensAt = this.clock.monotonic() + length;
    const { clock, reopensAt } = this;
    return {
      get duration() {
        return clock.monotonic() >= reopensAt ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      },
      next: ({ attempt: later }) => this.pause(later) as never,
    };
  }
}
