import { Injectable } from '@nestjs/common';
import { WebhookConfig } from '../../platform/config/config.js';
import { isLive } from './alarm-facts.js';
import { ProcessReports } from './process-reports.js';

/** Whether upstream's messages are taken from the broker. */
@Injectable()
export class BrokerUse {
  constructor(
    private readonly reports: ProcessReports,
    private readonly webhook: WebhookConfig,
  ) {}

  /** True if a process consumes messages; null if none is to. */
  async isConsumed(now: number): Promise<boolean | null> {
    const live = (await this.reports.all(now)).filter((report) => isLive(report, now));
    const meant = live.filter(({ working, signs }) => working.includes('broker') || signs.broker_not_consuming);
    if (meant.length === 0 && !this.webhook.amqpServer) return null;
    return meant.some(({ signs }) => !signs.broker_not_consuming);
  }
}
