import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { DAY_MS, dateOf } from '../../platform/platform/time.js';
import type { ChangedSamples } from '../../storage/change-log/change.js';
import type { Tx } from '../../storage/database/tx.js';
import type { ClockSeries } from './person-clock.js';
import { PersonClocks } from './person-clocks.service.js';

/** Changed samples of one series, of which some may not say their offset from UTC. */
export interface UnplacedSamples extends ChangedSamples {
  /** Times of the first and the last one that does not; null if all do. */
  readonly unplaced: { readonly first: number; readonly last: number } | null;
}

/** Who sent them, and how much earlier than at midnight its days begin, in milliseconds. */
export interface ChangedSeries extends Pick<ClockSeries, 'provider' | 'source_type'> {
  /** `accounts.id`. */
  readonly account: number;
  readonly shift: number;
}

/** The local days of changed samples, by the clock of the person (person-clock.ts). */
@Injectable()
export class ChangedDays {
  constructor(
    private readonly clocks: PersonClocks,
    private readonly accounts: AccountsService,
  ) {}

  /** Adds the days of the samples that do not say their offset. Reads nothing if all do. */
  async placed(tx: Tx, series: ChangedSeries, { unplaced, ...change }: UnplacedSamples): Promise<ChangedSamples> {
    if (unplaced === null) return change;
    const account = await this.accounts.findById(series.account, tx);
    const dayOf = async (time: number): Promise<number> => {
      const days = { from: dateOf(time), to: dateOf(time) };
      const clock = await this.clocks.of(account ?? { id: series.account, fallback_time_zone: null }, days, tx);
      const ahead = clock.assumed({ start: time, end: time + 1 }, series)[0]?.ahead ?? 0;
      return Math.floor((time + ahead + series.shift) / DAY_MS);
    };
    const days = [await dayOf(unplaced.first), await dayOf(unplaced.last)];
    const [firstDay, lastDay] = [Math.min(change.firstDay, ...days), Math.max(change.lastDay, ...days)];
    return { ...change, firstDay, lastDay };
  }
}
