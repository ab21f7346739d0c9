import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { type CallOptions, UpstreamClient } from '../../upstream/client/upstream.client.js';
import { nextOffset } from '../../upstream/client/user-scan.js';
import type { WireUser, WireUserPage } from '../../upstream/client/wire-users.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { keyOf, OwnerLookupsRepository, type UserKey } from './owner-lookups.repository.js';

/** Upstream's response for a user: the user, null if it is unknown, or the reason for a failure. */
export type Found = WireUser | null | UpstreamError;

/** So few are asked for one by one; for more, the list of users is read where that takes fewer calls. */
const MOST_SINGLE = 10;
const PAGE_SIZE = 500;
/** Pages overlap, because a user deleted during the walk shifts the others to earlier places. */
const OVERLAP = 10;
/** Maximum number of users in one walk. */
const MOST_WANTED = 50_000;
const CALL_DEADLINE_MS = 10_000;
/** An older answer is no news. */
const ANSWER_MS = 60_000;

const textOf = ({ by, id }: UserKey): string => `${by} ${id}`;

/**
 * Looks users up upstream: a few by a call each, many by one walk of upstream's list of users
 * (docs/upstream/users.md#list). A walk answers for everybody who was wanted when it began, and for each of them once:
 * who is asked about again is looked up again. Only the users who were wanted are kept of it.
 */
@Injectable()
export class UpstreamUserSearch {
  /** Unused results of the last walk; undefined for those only a call of their own can answer. */
  private answers = new Map<string, WireUser | null | undefined>();
  /** By the monotonic clock. */
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** One answer a user. Throws `UpstreamError` if upstream cannot serve any user. */
  async find(users: readonly UserKey[], options: CallOptions): Promise<Found[]> {
    const isOld = this.clock.monotonic() - this.answeredAt > ANSWER_MS;
    if (isOld || users.some((user) => !this.answers.has(textOf(user)))) await this.walk(options);
    const found: Found[] = [];
    for (const user of users) {
      const answer = this.answers.get(textOf(user));
      this.answers.delete(textOf(user));
      found.push(answer === undefined ? await this.single(user, options) : answer);
    }
    return found;
  }

  private async single({ by, id }: UserKey, options: CallOptions): Promise<Found> {
    const limited = { ...options, deadlineMs: CALL_DEADLINE_MS };
    try {
      return await (by === 'user_id' ? this.upstream.findUser(id, limited) : this.upstream.resolveUser(id, limited));
    } catch (error) {
      if (error instanceof UpstreamError && !isEverybodys(error)) return error;
      throw error;
    }
  }

  /** Leaves no answers where single calls are fewer, or the list cannot be read. */
  private async walk(options: CallOptions): Promise<void> {
    this.answers = new Map();
    if ((await this.lookups.wanted(0, MOST_SINGLE + 1)).length <= MOST_SINGLE) return;
    let page = await this.page(0, options);
    const wanted = page === null ? new Set<string>() : await this.wanted();
    const hits = new Map<string, WireUser>();
    let unread = 0;
    for (let offset = 0; ; page = await this.page(offset, options)) {
      if (page === null || page.total / PAGE_SIZE > wanted.size) return;
      for (const user of page.users) for (const key of keysOf(user)) if (wanted.has(key)) hits.set(key, user);
      unread += page.listed - page.users.length;
      const read = { offset, received: page.listed, total: page.total, joined: true };
      const next = nextOffset(read, { size: PAGE_SIZE, overlap: OVERLAP });
      if (next === null || hits.size === wanted.size) break;
      offset = next;
    }
    this.answeredAt = this.clock.monotonic();
    // A user that was not seen may be among the unreadable entries.
    const unseen = unread > 0 ? undefined : null;
    this.answers = new Map([...wanted].map((key) => [key, hits.get(key) ?? unseen]));
  }

  /** Read in pieces, and only after upstream responded, because there may be many. */
  private async wanted(): Promise<Set<string>> {
    const wanted = new Set<string>();
    for (let after = 0; wanted.size < MOST_WANTED; ) {
      const users = await this.lookups.wanted(after, PAGE_SIZE);
      for (const user of users) wanted.add(textOf(keyOf(user)));
      const last = users.at(-1);
      if (last === undefined || users.length < PAGE_SIZE) break;
      after = last.id;
      await yieldToEventLoop();
    }
    return wanted;
  }

  /** Null for a page that cannot be read: one user upstream shows in an odd way does not keep the others waiting. */
  private async page(offset: number, options: CallOptions): Promise<WireUserPage | null> {
    try {
      return await this.upstream.listUsers({ offset, limit: PAGE_SIZE }, { ...options, deadlineMs: CALL_DEADLINE_MS });
    } catch (error) {
      if (error instanceof UpstreamError && !isEverybodys(error)) return null;
      throw error;
    }
  }
}

function keysOf({ user_id, client_user_id }: WireUser): string[] {
  return [textOf({ by: 'user_id', id: user_id.toLowerCase() }), textOf({ by: 'client_user_id', id: client_user_id })];
}

/** Upstream would answer all others alike. */
function isEverybodys(error: UpstreamError): boolean {
  return error.isTransient || error.isUnauthorized || error.concernsEverybody;
}
