import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { EndlessPages, follow, notBegun, type PageLimits } from '../../upstream/client/cursor-guard.js';
import { type CallOptions, UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireConnections, WireDevices } from '../../upstream/client/wire-users.js';
import { factsOf, type PullFacts } from './pull-facts.js';

/** Upstream's report on an account's sources at one instant. */
export interface PollResult {
  readonly connections: WireConnections;
  readonly pulls: readonly PullFacts[];
  /** Null if the poll did not read them. */
  readonly devices: WireDevices | null;
  /** When the poll began, in epoch milliseconds. */
  readonly at: number;
  /** Reason why some pages of pulls were not read; null if all were. */
  readonly cutOff: string | null;
}

/** Upstream's pulls by user, in lower case. */
export type EverybodysPulls = ReadonlyMap<string, readonly PullFacts[]>;

interface Walk {
  readonly facts: EverybodysPulls;
  readonly cutOff: string | null;
}

/** Upstream's default; more is not documented. */
export const USERS_PER_PAGE = 50;

/** One user's pulls are one page. */
const limits: PageLimits = { pages: 20, emptyPages: 2, repeatedPages: 2 };
/** Well below the lease, together with the call under way. */
const MOST_MS = 120_000;
const CALL_MS = 60_000;

/** Reads an account's sources from upstream: its connections, and all pages of its historical pulls. */
@Injectable()
export class SourcePoll {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Upstream's report on one user. Its pulls come from a walk over all users if there was one, and from the pages
   * read so far if the pages do not end. Throws `UpstreamError` or the signal's reason.
   */
  async take(
    { account, userId, withDevices }: { account: number; userId: string; withDevices: boolean },
    everybody: Promise<EverybodysPulls | null>,
    signal: AbortSignal,
  ): Promise<PollResult> {
    const at = this.clock.now();
    const options = { ...optionsOf(signal), account };
    const connections = await this.upstream.connections(userId, options);
    const devices = withDevices ? await this.upstream.devices(userId, options) : null;
    const walked = await everybody;
    const { facts, cutOff } = walked ? { facts: walked, cutOff: null } : await this.pulls({ userId }, limits, options);
    return { at, connections, devices, pulls: latestOf(facts.get(userId.toLowerCase()) ?? []), cutOff };
  }

  /**
   * The pulls of all users of the team, in fewer calls than one for each that is polled; null when there are more users
   * than that, or the pages do not end (docs/upstream/introspection.md#historical-pulls).
   */
  async everybody(mostCalls: number, signal: AbortSignal): Promise<EverybodysPulls | null> {
    const walk = await this.pulls({ userLimit: USERS_PER_PAGE }, { ...limits, pages: mostCalls }, optionsOf(signal));
    return walk.cutOff === null ? walk.facts : null;
  }

  private async pulls(
    asked: { userId?: string; userLimit?: number },
    most: PageLimits,
    options: CallOptions,
  ): Promise<Walk> {
    const at = this.clock.now();
    const end = this.clock.monotonic() + MOST_MS;
    const facts = new Map<string, PullFacts[]>();
    let cursor: string | null = null;
    let paging = notBegun;
    do {
      if (this.clock.monotonic() > end) return { facts, cutOff: 'deadline' };
      const page = await this.upstream.historicalPulls({ ...asked, cursor }, options);
      for (const record of page.data) {
        const userId = record.user_id.toLowerCase();
        facts.set(userId, [...(facts.get(userId) ?? []), ...factsOf(record, at)]);
      }
      const next = page.nextCursor;
      try {
        const content = page.data.length === 0 ? '' : JSON.stringify(page.data);
        if (next !== null) paging = follow(paging, { sent: cursor, next, content }, most);
      } catch (error) {
        if (error instanceof EndlessPages) return { facts, cutOff: error.code };
        throw error;
      }
      cursor = next;
    } while (cursor !== null);
    return { facts, cutOff: null };
  }
}

/** One for each provider and resource, though pages may name some again. */
function latestOf(facts: readonly PullFacts[]): PullFacts[] {
  return [...new Map(facts.map((each) => [`${each.provider}|${each.resource}`, each])).values()];
}

function optionsOf(signal: AbortSignal): CallOptions {
  return { priority: 'background', signal, deadlineMs: CALL_MS };
}
