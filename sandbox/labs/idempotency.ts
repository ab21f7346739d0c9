import { HOUR } from '../engine/times.js';
import type { World } from '../world.js';

export interface Outcome {
  status: number;
  body: unknown;
}

interface Kept extends Outcome {
  at: number;
}

/**
 * First outcomes by idempotency key (docs/upstream/orders.md#idempotency): the same key gets the same success or
 * failure again, whatever the body. `no-cache` keeps only successes. Validation failures and conflicts of concurrent
 * requests are never kept.
 */
export class IdempotencyKeys {
  private readonly kept = new Map<string, Kept>();
  private readonly running = new Set<string>();

  constructor(
    private readonly world: Pick<World, 'timeline' | 'wording'>,
    private readonly lifetimeMs: number = 24 * HOUR,
  ) {}

  /** Refuses a request while another one with the same key has no outcome yet. */
  begin(key: string): void {
    if (this.running.has(key)) throw this.world.wording.plain(409, 'busy');
    this.running.add(key);
  }

  end(key: string): void {
    this.running.delete(key);
  }

  find(key: string): Outcome | null {
    const outcome = this.kept.get(key);
    return outcome === undefined || this.world.timeline.now() - outcome.at > this.lifetimeMs ? null : outcome;
  }

  keep(key: string, outcome: Outcome, noCache: boolean): void {
    if (outcome.status === 422 || (noCache && outcome.status >= 400)) return;
    this.kept.set(key, { ...outcome, at: this.world.timeline.now() });
  }
}
