import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { follow, type Paging } from '../upstream/cursor-guard.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { WireConnections } from '../upstream/wire-users.js';
import { factsOf, type PullFacts } from './pull-facts.js';

/** What upstream says of an account's sources at one instant. */
export interface PollResult {
  readonly connections: WireConnections;
  readonly pulls: readonly PullFacts[];
  /** When the poll began, in epoch milliseconds. */
  readonly at: number;
}

/** Upstream's pulls by user, in lower case. */
export type EverybodysPulls = ReadonlyMap<string, readonly PullFacts[]>;

/** Upstream's default; more is not documented. */
export const USERS_PER_PAGE = 50;

/** Reads an account's sources from upstream: its connections, and all pages of its historical pulls. */
@Injectable()
export class SourcePoll {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /**
   * What upstream says of one user; of its pulls, what a walk over everybody's has found where there was one. Throws
   * `UpstreamError`, `CursorRepeated`, or the signal's reason.
   */
  async take(userId: string, everybody: Promise<EverybodysPulls | null>, signal: AbortSignal): Promise<PollResult> {
    const at = this.clock.now();
    const connections = await this.upstream.connections(userId, { priority: 'background', signal });
    const walked = await everybody;
    const pulls = walked ?? (await this.pulls({ userId }, signal));
    return { at, connections, pulls: pulls?.get(userId.toLowerCase()) ?? [] };
  }

  /**
   * The pulls of all users of the team, in fewer calls than one for each that is polled; null when there are more users
   * than that (docs/upstream/introspection.md#historical-pulls).
   */
  everybody(mostCalls: number, signal: AbortSignal): Promise<EverybodysPulls | null> {
    return this.pulls({ userLimit: USERS_PER_PAGE, mostPages: mostCalls }, signal);
  }

  private async pulls(
    { mostPages = Number.POSITIVE_INFINITY, ...asked }: { userId?: string; userLimit?: number; mostPages?: number },
    signal: AbortSignal,
  ): Promise<EverybodysPulls | null> {
    const at = this.clock.now();
    const options: CallOptions = { priority: 'background', signal };
    const facts = new Map<string, PullFacts[]>();
    let cursor: string | null = null;
    let paging: Paging = { pages: 0, anchor: null };
    do {
      if (paging.pages >= mostPages) return null;
      const page = await this.upstream.historicalPulls({ ...asked, cursor }, options);
      for (const record of page.data) {
        const userId = record.user_id.toLowerCase();
        facts.set(userId, [...(facts.get(userId) ?? []), ...factsOf(record, at)]);
      }
      if (page.nextCursor !== null) paging = follow(paging, cursor, page.nextCursor);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return facts;
  }
}
