import { Injectable } from '@nestjs/common';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';

/** Counts and logs unreadable items that were skipped in lists from upstream, without their content. */
@Injectable()
export class UnreadableItems {
  private readonly items;

  constructor(
    metrics: Metrics,
    private readonly log: Log,
  ) {
    const help = 'Unreadable items skipped in lists from upstream, by call or as webhook';
    this.items = metrics.counter('upstream_unreadable_items_total', help, ['operation']);
  }

  /** `operation`: the call, or `webhook`. `field`: the field that could not be read. */
  skipped(operation: string, field: string): void {
    this.items.inc({ operation });
    this.log.event('upstream.item_unreadable', { operation, at: field }, 'warn');
  }
}
