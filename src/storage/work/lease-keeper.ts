import type { Clock } from '../../platform/platform/clock.js';
import { LEASE_MS, LEASE_RENEW_MS, STUCK_AFTER_MS } from '../database/tuning.js';
import type { WriteLane } from '../database/write-lane.js';
import { endsBefore, type LeasedRow } from './lease.js';
import type { LeasedRows } from './leased-rows.js';

export interface HoldOptions {
  readonly worker: string;
  /** Work without progress for this long counts as stuck, and its lease is left to expire; default ten minutes. */
  readonly stuckAfterMs?: number | undefined;
}

/** Claimed rows in progress. */
export interface Holding {
  /** True if the lease is known to have ended. */
  isOver(): boolean;
  /** Call when the work has ended, with any outcome. */
  end(): void;
}

type Rows = Pick<LeasedRows<LeasedRow>, 'renew' | 'giveBack' | 'markCompany' | 'stepsOf'>;

interface LeftOver {
  readonly rows: Rows;
  readonly row: LeasedRow;
}

interface Held {
  readonly rows: Rows;
  readonly claimed: readonly LeasedRow[];
  readonly worker: string;
  readonly stuckAfterMs: number;
  leaseUntil: number;
  /** True once it is noted that other rows are in flight. */
  isInCompany: boolean;
  /** Last seen number of steps, and when it last changed. */
  steps: number;
  steppedAt: number;
}

/**
 * Renews the leases of this process. Leases are short, so that other processes soon take over the work of a dead one.
 * Knows which rows are in flight together, and notes it on those that are suspected of ending processes.
 * Releases rows whose outcome could not be stored; otherwise they would wait for the end of their lease.
 */
export class LeaseKeeper {
  private readonly held = new Set<Held>();
  private readonly leftOver: LeftOver[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.renew(), LEASE_RENEW_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  hold<Row extends LeasedRow>(rows: LeasedRows<Row>, claimed: readonly Row[], options: HoldOptions): Holding {
    const { clock } = this;
    const { worker, stuckAfterMs = STUCK_AFTER_MS } = options;
    const leaseUntil = claimed[0]?.lease_until ?? 0;
    const held: Held = {
      rows,
      claimed,
      worker,
      stuckAfterMs,
      leaseUntil,
      isInCompany: false,
      steps: 0,
      steppedAt: clock.monotonic(),
    };
    if (claimed.length > 0) this.held.add(held);
    void this.noteCompany();
    return { isOver: () => held.leaseUntil <= clock.now(), end: () => void this.held.delete(held) };
  }

  /** For a row whose outcome could not be stored: releases it as soon as the store accepts writes. */
  giveBack<Row extends LeasedRow>(rows: LeasedRows<Row>, row: Row): void {
    this.leftOver.push({ rows, row });
  }

  /** Workers with a row that has made no progress for too long. */
  stuck(): string[] {
    return [...this.held].filter((held) => this.isStuck(held)).map(({ worker }) => worker);
  }

  /** Renews every held lease and releases leftover rows. Never rejects. */
  async renew(): Promise<void> {
    const working = [...this.held].filter((held) => !this.isStuck(held));
    await Promise.all([
      this.noteCompany(),
      ...working.map((held) => this.renewOne(held)),
      ...this.leftOver.splice(0).map((left) => this.giveBackNow(left)),
    ]);
  }

  /** Never rejects. Only a row whose holders ended before is suspected, and it is claimed alone. */
  private async noteCompany(): Promise<void> {
    if (this.held.size < 2) return;
    const suspected = [...this.held].filter((held) => !held.isInCompany && held.claimed.some(isSuspected));
    await Promise.all(suspected.map((held) => this.noteCompanyOf(held)));
  }

  private async noteCompanyOf(held: Held): Promise<void> {
    held.isInCompany = true;
    try {
      await this.lane.run(async (tx) => {
        for (const row of held.claimed) await held.rows.markCompany(tx, row);
      });
    } catch {
      // Noted at the next renewal.
      held.isInCompany = false;
    }
  }

  private async giveBackNow(left: LeftOver): Promise<void> {
    try {
      await this.lane.run((tx) => left.rows.giveBack(tx, left.row));
    } catch {
      this.leftOver.push(left);
    }
  }

  private async renewOne(held: Held): Promise<void> {
    const now = this.clock.now();
    try {
      const renewed = await this.lane.run((tx) => held.rows.renew(tx, held.claimed, now));
      if (renewed > 0) held.leaseUntil = now + LEASE_MS;
    } catch {
      // The lease is still valid for a while, and the next renewal may succeed.
    }
  }

  private isStuck(held: Held): boolean {
    const now = this.clock.monotonic();
    const steps = held.rows.stepsOf(held.claimed);
    if (steps !== held.steps) Object.assign(held, { steps, steppedAt: now });
    return now - held.steppedAt > held.stuckAfterMs;
  }
}

function isSuspected(row: LeasedRow): boolean {
  return endsBefore(row).all > 0;
}
