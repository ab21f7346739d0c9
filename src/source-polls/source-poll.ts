import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { follow, type Paging } from '../upstream/cursor-guard.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { WireConnection } from '../upstream/wire-users.js';
import { factsOf, type PullFacts } from './pull-facts.js';

/** What upstream says of an account's sources at one instant. */
export interface PollResult {
  readonly connections: readonly WireConnection[];
  readonly pulls: readonly PullFacts[];
  /** When the poll began, in epoch milliseconds. */
  readonly at: number;
}

/** Reads an account's sources from upstream: its connections, and all pages of its historical pulls. */
@Injectable()
export class SourcePoll {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** Throws `UpstreamError`, `CursorRepeated`, or the signal's reason. */
  async take(userId: string, signal: AbortSignal): Promise<PollResult> {
    const at = this.clock.now();
    const options: CallOptions = { priority: 'background', signal };
    const connections = await this.upstream.connections(userId, options);
    return { at, connections, pulls: await this.pulls(userId, at, options) };
  }

  private async pulls(userId: string, at: number, options: CallOptions): Promise<PullFacts[]> {
    const facts: PullFacts[] = [];
    let cursor: string | null = null;
    let paging: Paging = { pages: 0, anchor: null };
    do {
      const page = await this.upstream.historicalPulls({ userId, cursor }, options);
      const own = page.data.filter((record) => record.user_id.toLowerCase() === userId.toLowerCase());
      facts.push(...own.flatMap((record) => factsOf(record, at)));
      if (page.nextCursor !== null) paging = follow(paging, cursor, page.nextCursor);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return facts;
  }
}
