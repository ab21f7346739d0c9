import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { backoffDelay } from '../platform/backoff.js';
import { Clock } from '../platform/clock.js';
import { CodedError } from '../platform/errors.js';
import { DAY_MS, HOUR_MS } from '../platform/time.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { type ErasureChange, ErasureLost, type ErasureNeed, ErasuresRepository } from './erasures.repository.js';

const LEASE_MS = 600_000;

/** Upstream keeps the data of a deleted user for seven days, in which it can be brought back (supplement 1.2). */
const GRACE_MS = 8 * DAY_MS;

const pause = { baseMs: 30_000, capMs: HOUR_MS, factor: 2, jitter: 0.2 };
const unleased = { lease_owner: null, lease_until: null } as const;

/** Findings that stay on the receipt until a check finds nothing. */
export const findings = ['user_found', 'rows_found'] as const;

function cameBack(code: string | null): boolean {
  return findings.some((finding) => finding === code);
}

/** Taking erasures that are due, and giving them back. */
@Injectable()
export class ErasureLeases {
  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly events: ErasureTelemetry,
  ) {}

  now(): number {
    return this.clock.now();
  }

  anyDue(need: ErasureNeed): Promise<boolean> {
    return this.erasures.anyDue(need, this.now());
  }

  claim(need: ErasureNeed, owner: string, limit: number): Promise<ErasureEntity[]> {
    const now = this.now();
    return this.lane.run((tx) => this.erasures.claim(tx, need, { owner, now, leaseUntil: leaseEnd(now), limit }));
  }

  /** Runs a step; puts the erasure off when it fails, and hands it back when the process is stopping. */
  async withLease(held: ErasureEntity, signal: AbortSignal, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof ErasureLost) this.events.lost(held);
      else if (signal.aborted) await this.updateHeld(held, { ...unleased, due_at: this.now() });
      else await this.failed(held, error);
    }
  }

  /** The step is done; what `held` says of its times is stored, and the next step is due at `dueAt`, by default now. */
  async release(held: ErasureEntity, dueAt: number | null = this.now()): Promise<void> {
    const { state, scrubbed_at, scrub, upstream_at, verified_at } = held;
    const error_code = state !== 'done' && cameBack(held.error_code) ? held.error_code : null;
    const change = { state, scrubbed_at, scrub, upstream_at, verified_at, error_code, attempts: 0 };
    await this.updateHeld(held, { ...change, ...unleased, due_at: dueAt });
    this.events.moved(held);
  }

  async defer(held: ErasureEntity, code: string, delayMs: number): Promise<void> {
    const change = { attempts: held.attempts + 1, error_code: code, due_at: this.now() + delayMs };
    await this.updateHeld(held, { ...change, ...unleased });
    this.events.deferred(held, code, delayMs);
  }

  private async failed(held: ErasureEntity, error: unknown): Promise<void> {
    const asked = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
    const delayMs = Math.max(asked, backoffDelay(pause, held.attempts + 1));
    await this.defer(held, error instanceof CodedError ? error.code : 'internal', delayMs);
    this.events.failed(held, error);
  }

  private async updateHeld(held: ErasureEntity, change: ErasureChange): Promise<void> {
    try {
      await this.lane.run((tx) => this.erasures.change(tx, held, change));
    } catch (error) {
      if (!(error instanceof ErasureLost)) throw error;
      this.events.lost(held);
    }
  }
}

/** Where a lease taken or renewed at `now` ends; longer than any one step takes. */
export function leaseEnd(now: number): number {
  return now + LEASE_MS;
}

/** When to check that all is still gone: a day after upstream's grace, on the hour, so that one scan serves many. */
export function checkAt(now: number): number {
  return Math.ceil((now + GRACE_MS) / HOUR_MS) * HOUR_MS;
}
