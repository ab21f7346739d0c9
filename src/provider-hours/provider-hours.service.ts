import { Injectable } from '@nestjs/common';
import { recentlyUsed } from '../caches/recently-used.js';
import type { Tx } from '../database/tx.js';
import { DAY_MS, HOUR_MS } from '../platform/time.js';
import { type ProviderHour, ProviderHoursRepository } from './provider-hours.repository.js';
import { PAST_MS, type SilentProvider, silentProviders } from './silent-providers.js';

/** The past of a provider that has been silent for two weeks is still whole. */
const KEPT_MS = PAST_MS + 14 * DAY_MS;

/** What an event brought. */
export interface Delivery {
  readonly providers: Iterable<string>;
  /** Its receipt, in epoch milliseconds. */
  readonly at: number;
}

/**
 * In which hours events brought data of which provider. An hour is written once, in the transaction of the first event
 * that brings data in it; this process then remembers that it is there, so that all others write nothing.
 */
@Injectable()
export class ProviderHours {
  private readonly stored = recentlyUsed<string, true>(1_000);

  constructor(private readonly repository: ProviderHoursRepository) {}

  /**
   * To be the last thing a transaction writes: another that writes the same hour waits for its end. What is handed to
   * `afterCommit` is to be called once that is committed.
   */
  async note(tx: Tx, deliveries: readonly Delivery[], afterCommit: (report: () => void) => void): Promise<void> {
    const added = new Map<string, ProviderHour>();
    for (const { providers, at } of deliveries) {
      const hour = at - (at % HOUR_MS);
      for (const provider of providers) {
        const key = `${hour} ${provider}`;
        if (!this.stored.has(key)) added.set(key, { hour, provider });
      }
    }
    if (added.size === 0) return;
    // In one order everywhere, so that two transactions never wait for each other.
    const keys = [...added.keys()].sort();
    await this.repository.add(
      tx,
      keys.map((key) => added.get(key) as ProviderHour),
    );
    const newest = Math.max(...[...added.values()].map(({ hour }) => hour));
    await this.repository.forgetBefore(tx, newest - KEPT_MS);
    afterCommit(() => {
      for (const key of keys) this.stored.set(key, true);
    });
  }

  /** The providers that are silent while others go on; `connected`: how many sources of each are connected. */
  async silent(now: number, connected: ReadonlyMap<string, number>): Promise<SilentProvider[]> {
    return silentProviders(await this.repository.since(now - KEPT_MS), connected);
  }
}
