import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { LinkAttemptsReader } from './link-attempts.reader.js';
import { type FrequentInLinks, frequentIn, type LinkCounts } from './link-funnel.js';
import { linkStates } from './link-state.js';

/** Number of link attempts by state, and frequent values among them. */
export interface LinkFunnel extends FrequentInLinks {
  /** The last 24 hours. */
  readonly day: LinkCounts;
  /** The last 7 days; their newest attempts are searched for frequent values. */
  readonly week: LinkCounts;
}

/** Results of link attempts over all accounts. */
@Injectable()
export class LinkFunnelService {
  constructor(
    private readonly reader: LinkAttemptsReader,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.storeGauge('link_attempts', 'Link attempts of the last 24 hours by state', ['state'], async (gauge) => {
      const counts = await this.ofDay();
      for (const state of linkStates) gauge.set({ state }, counts[state]);
    });
    const confirmed = 'Link attempts of the last 24 hours confirmed by a connection';
    metrics.storeGauge('link_attempts_confirmed', confirmed, [], async (gauge) => {
      gauge.set((await this.ofDay()).confirmed);
    });
  }

  async funnel(): Promise<LinkFunnel> {
    const now = this.clock.now();
    const week = now - 7 * DAY_MS;
    const [ofDay, ofWeek, alike] = await Promise.all([
      this.ofDay(),
      this.reader.counts(week, now),
      this.reader.alike(week, now),
    ]);
    return { day: ofDay, week: ofWeek, ...frequentIn(alike) };
  }

  private ofDay(): Promise<LinkCounts> {
    const now = this.clock.now();
    return this.reader.counts(now - DAY_MS, now);
  }
}
