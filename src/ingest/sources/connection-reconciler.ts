import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { LinkAttempts } from '../../accounts/connections/link-attempts.service.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import type { PollResult } from './source-poll.js';

/**
 * Applies upstream's list of an account's connections: updates connections, pull streams and link attempts.
 */
@Injectable()
export class ConnectionReconciler {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreams,
    private readonly links: LinkAttempts,
  ) {}

  async apply(tx: Tx, account: number, poll: PollResult): Promise<void> {
    const changes = await this.connections.reconcile(tx, account, poll.connections, poll.at);
    const sources = new Map(poll.connections.listed.map((each) => [each.slug, each]));
    for (const provider of changes.connected) {
      const source = sources.get(provider);
      const connectedAt = parseUtcInstant(source?.created_on);
      await this.streams.connect(tx, account, provider, { availability: source?.resource_availability, connectedAt });
    }
    for (const provider of [...changes.errored, ...changes.gone]) await this.streams.pause(tx, account, provider);
    for (const { slug, resource_availability } of connectedOf(poll)) {
      await this.streams.add(tx, account, slug, resource_availability);
    }
    await this.confirmLinks(tx, account, poll, changes.connected);
  }

  /** Stops all pulls of the account, without a last one. */
  stop(tx: Tx, account: number): Promise<void> {
    return this.streams.stop(tx, account);
  }

  /**
   * Upstream's connection time identifies the link attempt better than the time of an event, so all listed connections
   * are compared, not only new ones. A connection without a time is compared only if it is new.
   */
  private async confirmLinks(tx: Tx, account: number, poll: PollResult, changed: readonly string[]): Promise<void> {
    for (const { slug: provider, created_on } of connectedOf(poll)) {
      const at = parseUtcInstant(created_on) ?? (changed.includes(provider) ? poll.at : null);
      if (at !== null) await this.links.connected(tx, { account, provider, at });
    }
  }
}

export function connectedOf({ connections }: PollResult): PollResult['connections']['listed'] {
  return connections.listed.filter(({ status }) => status === 'connected');
}
