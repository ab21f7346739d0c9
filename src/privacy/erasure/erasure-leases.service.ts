import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Queue, QueueOptions } from '../../storage/work/queue.js';
import { classify, type Judgement } from '../../storage/work/retry.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasuresRepository, erasureNeeds } from './erasures.repository.js';

/**
 * One day more than upstream keeps the data of a deleted user, which can be restored for seven days
 * (docs/upstream/users.md#delete).
 */
const GRACE_MS = 8 * DAY_MS;

const pause = { baseMs: 30_000, capMs: HOUR_MS, factor: 2, jitter: 0.2 };
const MAX_ATTEMPTS = 16;

/** Findings that stay on the receipt until a check finds nothing. */
const findings = ['user_found', 'rows_found'] as const;

/** The finding that the erasure must keep; null if there is none or the erasure is done. */
function findingOf({ state, error_code }: ErasureEntity): string | null {
  return state !== 'done' && findings.some((finding) => finding === error_code) ? error_code : null;
}

/**
 * Claims due erasures and releases them. An erasure is a legal right, so it is retried after every failure. One that
 * killed the process `MAX_ATTEMPTS` times is retried once a day, and the overview raises an alarm.
 */
@Injectable()
export class ErasureLeases {
  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: ErasureTelemetry,
    private readonly workers: WorkerRegistry,
  ) {}

  /** The queue of erasures with this need. */
  queue(
    need: keyof typeof erasureNeeds,
    options: Pick<QueueOptions<ErasureEntity>, 'name' | 'batch' | 'handle'>,
  ): Queue<ErasureEntity> {
    const { telemetry } = this;
    return this.workers.queue({
      ...options,
      rows: this.erasures.rows,
      only: erasureNeeds[need],
      retry: { pause, mostAttempts: MAX_ATTEMPTS },
      judge,
      bury: (tx, held, code) => this.oncePerDay(tx, held, code),
      deferred: (held, { code, delayMs }, error) => {
        telemetry.deferred(held, code, delayMs);
        telemetry.failed(held, error);
      },
      buried: (held, code) => telemetry.deferred(held, code, DAY_MS),
    });
  }

  now(): number {
    return this.clock.now();
  }

  /** Completes a step: stores the times in `held`; the next step is due at `dueAt`, by default now. */
  async release(held: ErasureEntity, dueAt: number | null = this.now()): Promise<void> {
    const { state, scrubbed_at, scrub, upstream_at, verified_at } = held;
    const change = { state, scrubbed_at, scrub, upstream_at, verified_at, error_code: findingOf(held) };
    await this.lane.run((tx) => this.erasures.rows.complete(tx, held, dueAt, change));
    this.telemetry.moved(held);
  }

  /** Postpones an erasure for a reason that is not a failure. */
  async defer(held: ErasureEntity, code: string, delayMs: number): Promise<void> {
    const later = { dueAt: this.now() + delayMs, code, counts: false };
    await this.lane.run((tx) => this.erasures.rows.defer(tx, held, later));
    this.telemetry.deferred(held, code, delayMs);
  }

  private oncePerDay(tx: Tx, held: ErasureEntity, code: string): Promise<ErasureEntity> {
    const change = { error_code: code, attempts: MAX_ATTEMPTS - 1 };
    return this.erasures.rows.complete(tx, held, this.now() + DAY_MS, change);
  }
}

/** Retries every error. A pause requested by upstream affects only this erasure, not deletions here. */
function judge(error: unknown): Judgement {
  return { ...classify(error), then: 'wait', everybody: false };
}

/**
 * Time of the final check: a day after upstream's grace period, rounded up to the hour, so that one scan serves many
 * erasures.
 */
export function checkAt(now: number): number {
  return Math.ceil((now + GRACE_MS) / HOUR_MS) * HOUR_MS;
}
