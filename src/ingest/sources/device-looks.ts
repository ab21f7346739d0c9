import { Injectable } from '@nestjs/common';
import { DevicesService } from '../../accounts/connections/devices.service.js';
import { DeletionsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { PollResult } from './source-poll.js';

const WEEK_MS = 7 * DAY_MS;

/**
 * Applies upstream's complete list of an account's devices by the rule for records
 * (docs/decisions/0032-what-is-gone.md): a device missing from two lists is gone. To save calls, a poll reads the list
 * only if a stored device was not seen for a week, or was missing from a list some hours ago.
 */
@Injectable()
export class DeviceLooks {
  constructor(
    private readonly devices: DevicesService,
    private readonly config: DeletionsConfig,
    private readonly clock: Clock,
  ) {}

  async isDue(account: number): Promise<boolean> {
    const now = this.clock.now();
    const devices = await this.devices.list(account);
    return devices.some(({ provider, observed_at, missed_at, gone_at }) => {
      if (!this.judges(provider)) return false;
      if (gone_at !== null) return observed_at > gone_at;
      const isMissed = missed_at !== null && missed_at >= observed_at;
      return isMissed ? now - missed_at >= this.confirmMs : now - observed_at >= WEEK_MS;
    });
  }

  async apply(tx: Tx, account: number, { devices, at }: PollResult): Promise<void> {
    if (!devices) return;
    const look = { observedAt: at, confirmMs: this.confirmMs, judges: (provider: string) => this.judges(provider) };
    await this.devices.reconcile(tx, account, devices, look);
  }

  private judges(provider: string): boolean {
    return this.config.modes.of(provider) === 'apply';
  }

  /** Never zero, because each of the frequent polls after a new connection would read the list. */
  private get confirmMs(): number {
    return Math.max(this.config.confirmHours, 1) * HOUR_MS;
  }
}
