import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Tx } from '../database/tx.js';
import { DAY_MS, HOUR_MS } from '../platform/time.js';
import { ProviderHoursRepository } from './provider-hours.repository.js';
import { PAST_MS, type SilentProvider, silentProviders } from './silent-providers.js';

/** The past of a provider that has been silent for two weeks is still whole. */
const KEPT_MS = PAST_MS + 14 * DAY_MS;

/** What an event brought, and where to say what is to happen once that is committed. */
export interface Delivery {
  readonly providers: Iterable<string>;
  /** Its receipt, in epoch milliseconds. */
  readonly at: number;
  readonly afterCommit: (report: () => void) => void;
}

/**
 * In which hours events brought data of which provider. An hour is written once, in the transaction of the first event
 * that brings data in it; this process then remembers that it is there, so that all others write nothing.
 */
@Injectable()
export class ProviderHours {
  private readonly stored = new LRUCache<string, true>({ max: 1_000 });

  constructor(private readonly repository: ProviderHoursRepository) {}

  /** To be the last thing a transaction writes: another that writes the same hour waits for its end. */
  async note(tx: Tx, { providers, at, afterCommit }: Delivery): Promise<void> {
    const hour = at - (at % HOUR_MS);
    const keyOf = (provider: string): string => `${hour} ${provider}`;
    // In one order everywhere, so that two transactions never wait for each other.
    const added = [...new Set(providers)].filter((provider) => !this.stored.has(keyOf(provider))).sort();
    if (added.length === 0) return;
    await this.repository.add(tx, added, hour);
    await this.repository.forgetBefore(tx, hour - KEPT_MS);
    afterCommit(() => {
      for (const provider of added) this.stored.set(keyOf(provider), true);
    });
  }

  /** The providers that are silent while others go on; `connected`: how many sources of each are connected. */
  async silent(now: number, connected: ReadonlyMap<string, number>): Promise<SilentProvider[]> {
    return silentProviders(await this.repository.since(now - KEPT_MS), connected);
  }
}
