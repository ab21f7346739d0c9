import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock.js';
import { Metrics } from '../../platform/metrics.js';
import { LinkAttemptsReader } from './link-attempts.reader.js';
import { type LinkFunnel, linkFunnel } from './link-funnel.js';
import { linkStates } from './link-state.js';

const day = 86_400_000;

/** How linking goes for everybody together. */
@Injectable()
export class LinkFunnelService {
  constructor(
    private readonly reader: LinkAttemptsReader,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gauge('link_attempts', 'Linking attempts of the last 24 hours by state', ['state'], async (gauge) => {
      const { day: counts } = await this.read(day);
      for (const state of linkStates) gauge.set({ state }, counts[state]);
    });
    metrics.gauge('link_attempts_confirmed', 'Those of them that a connection came of', [], async (gauge) => {
      gauge.set((await this.read(day)).day.confirmed);
    });
  }

  /** Attempts of the last 24 hours and of the last 7 days by what became of them. */
  funnel(): Promise<LinkFunnel> {
    return this.read(7 * day);
  }

  private async read(windowMs: number): Promise<LinkFunnel> {
    const now = this.clock.now();
    return linkFunnel(await this.reader.counts({ now, since: now - windowMs, latelySince: now - day }));
  }
}
