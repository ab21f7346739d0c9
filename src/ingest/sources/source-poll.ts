import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { EndlessPages, follow, notBegun, type PageLimits } from '../../upstream/client/cursor-guard.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireConnections, WireDevices, WireUser } from '../../upstream/client/wire-users.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { MAX_POLL_MS, POLL_CALL_MS } from '../streams/tuning.js';
import { factsOf, type PullFacts } from './pull-facts.js';

/** Upstream's report of an account's sources. */
export interface PollResult {
  readonly connections: WireConnections;
  readonly pulls: readonly PullFacts[];
  /** Null if the poll did not read them. */
  readonly devices: WireDevices | null;
  /** Null if the poll did not read the user. */
  readonly user: WireUser | null;
  /** When the poll began, in epoch milliseconds. */
  readonly at: number;
  /** Reason why some pages of pulls were not read; null if all were. */
  readonly cutOff: string | null;
}

/** A user to poll, and what to read besides its connections and pulls. */
export interface PolledUser {
  readonly account: number;
  readonly userId: string;
  readonly withDevices: boolean;
  readonly withUser: boolean;
}

/** Generous, because the pulls of one user are one page. */
const limits: PageLimits = { pages: 20, emptyPages: 2, repeatedPages: 2 };

/** Reads an account's sources from upstream: its connections, and all pages of its historical pulls. */
@Injectable()
export class SourcePoll {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** Polls the sources of one user. Throws `UpstreamError` or the signal's reason. */
  async take({ account, userId, withDevices, withUser }: PolledUser, signal: AbortSignal): Promise<PollResult> {
    const at = this.clock.now();
    const options = { priority: 'background', account, signal, deadlineMs: POLL_CALL_MS } as const;
    const connections = await this.upstream.connections(userId, options);
    const devices = withDevices ? await this.upstream.devices(userId, options) : null;
    const user = withUser ? await this.user(userId, options) : null;
    return { at, connections, devices, user, ...(await this.pulls(userId, options)) };
  }

  /** Null if the answer is unreadable: what is known of the user stays, and the sources are read anyway. */
  private async user(userId: string, options: CallOptions): Promise<WireUser | null> {
    try {
      return await this.upstream.findUser(userId, options);
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === 'contract') return null;
      throw error;
    }
  }

  /** One report per provider and resource, the last one if pages repeat it. Stops with `cutOff` if pages do not end. */
  private async pulls(userId: string, options: CallOptions): Promise<Pick<PollResult, 'pulls' | 'cutOff'>> {
    const at = this.clock.now();
    const end = this.clock.monotonic() + MAX_POLL_MS;
    const facts = new Map<string, PullFacts>();
    const found = (cutOff: string | null) => ({ pulls: [...facts.values()], cutOff });
    let cursor: string | null = null;
    let paging = notBegun;
    do {
      if (this.clock.monotonic() > end) return found('deadline');
      const page = await this.upstream.historicalPulls({ userId, cursor }, options);
      const own = page.data.filter(({ user_id }) => user_id.toLowerCase() === userId.toLowerCase());
      for (const fact of own.flatMap((record) => factsOf(record, at))) {
        facts.set(`${fact.provider}|${fact.resource}`, fact);
      }
      const next = page.nextCursor;
      try {
        const content = page.data.length === 0 ? '' : JSON.stringify(page.data);
        if (next !== null) paging = follow(paging, { sent: cursor, next, content }, limits);
      } catch (error) {
        if (error instanceof EndlessPages) return found(error.code);
        throw error;
      }
      cursor = next;
    } while (cursor !== null);
    return found(null);
  }
}
