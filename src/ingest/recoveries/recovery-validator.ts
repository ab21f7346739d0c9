import { Injectable } from '@nestjs/common';
import { SyncConfig, UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { invalidFields } from '../../platform/platform/errors.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import { type Affected, AffectedAccounts } from './affected-accounts.js';
import { type Estimate, estimate } from './estimate.js';

/** An operator's request. Times in epoch milliseconds. */
export interface RecoveryOptions {
  readonly from: number;
  readonly to: number;
  /** Default: every synced resource. */
  readonly resources?: readonly string[] | undefined;
}

/** A valid request and the accounts it affects. */
export interface RecoveryScope {
  readonly window: TimeRange;
  readonly askedEnd: number;
  /** Sorted, without duplicates. */
  readonly resources: readonly string[];
  readonly affected: Affected;
  readonly now: number;
}

const MAX_DAYS = 366;

@Injectable()
export class RecoveryValidator {
  constructor(
    private readonly affected: AffectedAccounts,
    private readonly listedPulls: ListedPulls,
    private readonly sync: SyncConfig,
    private readonly upstream: UpstreamConfig,
    private readonly clock: Clock,
  ) {}

  /** For an estimate: with counts that may be some minutes old. Throws like `scopeOf`. */
  async roughScopeOf(options: RecoveryOptions): Promise<RecoveryScope> {
    return this.within(options, () => this.affected.lately());
  }

  /** Validates a request. Throws `invalid_request` for a window that is empty, in the future or over 366 days. */
  scopeOf(options: RecoveryOptions): Promise<RecoveryScope> {
    return this.within(options, () => this.affected.now());
  }

  private async within(
    { from, to, resources }: RecoveryOptions,
    affected: () => Promise<Affected>,
  ): Promise<RecoveryScope> {
    const now = this.clock.now();
    if (from >= now) throw invalidFields({ field: 'from', message: 'from must be in the past' });
    if (to <= from) throw invalidFields({ field: 'to', message: 'to must be after from' });
    const window = { start: from, end: Math.min(to, now) };
    if (window.end - window.start > MAX_DAYS * DAY_MS) {
      throw invalidFields({ field: 'from', message: `from must be at most ${MAX_DAYS} days before to` });
    }
    const wanted = [...new Set(resources ?? this.sync.resources)].sort();
    return { window, askedEnd: to, resources: wanted, affected: await affected(), now };
  }

  async estimate({ window, resources, affected }: RecoveryScope): Promise<Estimate> {
    const { accounts, pulledAccounts } = affected;
    return estimate(
      { window, resources, accounts, pulledAccounts },
      await this.listedPulls.throughput(),
      this.upstream,
    );
  }
}
