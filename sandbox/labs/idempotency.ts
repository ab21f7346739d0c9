import { HOUR } from '../engine/times.js';

export interface Outcome {
  status: number;
  body: unknown;
}

interface Kept extends Outcome {
  at: number;
}

/**
 * First outcomes by idempotency key (supplement 9.4): success or failure is returned again for the same key, whatever the
 * body; `no-cache` keeps successes only; validation failures are never kept.
 */
export class IdempotencyKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly now: () => number,
    private readonly lifetimeMs: number = 24 * HOUR,
  ) {}

  find(key: string): Outcome | null {
    const outcome = this.kept.get(key);
    return outcome === undefined || this.now() - outcome.at > this.lifetimeMs ? null : outcome;
  }

  keep(key: string, outcome: Outcome, noCache: boolean): void {
    if (outcome.status === 422 || (noCache && outcome.status >= 400)) return;
    this.kept.set(key, { ...outcome, at: this.now() });
  }
}
