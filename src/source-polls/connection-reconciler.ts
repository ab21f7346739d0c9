import { Injectable } from '@nestjs/common';
import { SyncConfig } from '../config/config.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { type NewStreams, PullStreamsRepository } from '../coverage/pull-streams.repository.js';
import type { Tx } from '../database/tx.js';
import { LinkAttempts } from '../link-attempts/link-attempts.service.js';
import { Clock } from '../platform/clock.js';
import { lenientInstant } from '../platform/time.js';
import type { PollResult } from './source-poll.js';

/** Takes upstream's list of an account's connections over: what is connected, what is pulled, what came of linking. */
@Injectable()
export class ConnectionReconciler {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreamsRepository,
    private readonly links: LinkAttempts,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  /** Answers how many linking attempts turned out successes. */
  async apply(tx: Tx, account: number, look: PollResult): Promise<number> {
    const now = this.clock.now();
    const changes = await this.connections.reconcile(tx, account, [...look.connections], look.at);
    const streamsOf = (provider: string): NewStreams => ({ account, provider, resources: this.config.resources, now });
    for (const provider of changes.connected) await this.streams.connect(tx, streamsOf(provider));
    for (const provider of [...changes.errored, ...changes.gone]) await this.streams.pause(tx, account, provider, now);
    for (const { slug } of connectedOf(look)) await this.streams.add(tx, streamsOf(slug));
    return this.confirmLinks(tx, account, look, changes.connected);
  }

  /**
   * Upstream's time of a connection names the attempt better than that of an event, so each listed connection is
   * compared, not only new ones; of one without a time only the change is known.
   */
  private async confirmLinks(tx: Tx, account: number, look: PollResult, changed: readonly string[]): Promise<number> {
    let confirmed = 0;
    for (const { slug: provider, created_on } of connectedOf(look)) {
      const at = lenientInstant(created_on) ?? (changed.includes(provider) ? look.at : null);
      if (at !== null && (await this.links.connected(tx, { account, provider, at }))) confirmed += 1;
    }
    return confirmed;
  }
}

export function connectedOf({ connections }: PollResult): PollResult['connections'] {
  return connections.filter(({ status }) => status === 'connected');
}
