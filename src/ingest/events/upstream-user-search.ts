import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { nextOffset } from '../../upstream/client/user-scan.js';
import type { WireUser, WireUserPage } from '../../upstream/client/wire-users.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { LOOKUP_ANSWER_MS, LOOKUP_CALL_MS, MAX_USERS_A_WALK, MAX_USERS_ONE_BY_ONE } from '../streams/tuning.js';
import { keyOf, OwnerLookupsRepository, type UserKey } from './owner-lookups.repository.js';

/** Result for a user: the upstream user, null if unknown, or an error. */
export type Found = WireUser | null | UpstreamError;

const PAGE_SIZE = 500;
/** Pages overlap, because a user deleted during the walk shifts later users to smaller offsets. */
const OVERLAP = 10;

const textOf = ({ by, id }: UserKey): string => `${by} ${id}`;

/**
 * Looks up users at upstream: a few with one call each, many with one walk of upstream's list of users
 * (docs/upstream/users.md#list). A walk finds all users that were due when it began, and keeps only those. Each result
 * is used once; a second request for the same user causes a new lookup.
 */
@Injectable()
export class UpstreamUserSearch {
  /** Unused results of the last walk; undefined for a user who needs a separate call. */
  private answers = new Map<string, WireUser | null | undefined>();
  /** By the monotonic clock. */
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** One result per user, in order. Throws `UpstreamError` for an error that affects all users. */
  async find(users: readonly UserKey[], options: CallOptions): Promise<Found[]> {
    const isOld = this.clock.monotonic() - this.answeredAt > LOOKUP_ANSWER_MS;
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
    const limited = { ...options, deadlineMs: LOOKUP_CALL_MS };
    try {
      return await (by === 'user_id' ? this.upstream.findUser(id, limited) : this.upstream.resolveUser(id, limited));
    } catch (error) {
      if (error instanceof UpstreamError && !isEverybodys(error)) return error;
      throw error;
    }
  }

  /** Leaves no results if single calls are fewer or the list cannot be read. */
  private async walk(options: CallOptions): Promise<void> {
    this.answers = new Map();
    if ((await this.lookups.wanted(0, MAX_USERS_ONE_BY_ONE + 1)).length <= MAX_USERS_ONE_BY_ONE) return;
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
    // A missing user may be among the unreadable entries.
    const unseen = unread > 0 ? undefined : null;
    this.answers = new Map([...wanted].map((key) => [key, hits.get(key) ?? unseen]));
  }

  /** Reads in pieces, because there may be many users, and only after upstream has responded. */
  private async wanted(): Promise<Set<string>> {
    const wanted = new Set<string>();
    for (let after = 0; wanted.size < MAX_USERS_A_WALK; ) {
      const users = await this.lookups.wanted(after, PAGE_SIZE);
      for (const user of users) wanted.add(textOf(keyOf(user)));
      const last = users.at(-1);
      if (last === undefined || users.length < PAGE_SIZE) break;
      after = last.id;
      await yieldToEventLoop();
    }
    return wanted;
  }

  /** Null for an unreadable page, so that one malformed user does not block the other lookups. */
  private async page(offset: number, options: CallOptions): Promise<WireUserPage | null> {
    try {
      return await this.upstream.listUsers({ offset, limit: PAGE_SIZE }, { ...options, deadlineMs: LOOKUP_CALL_MS });
    } catch (error) {
      if (error instanceof UpstreamError && !isEverybodys(error)) return null;
      throw error;
    }
  }
}

function keysOf({ user_id, client_user_id }: WireUser): string[] {
  return [textOf({ by: 'user_id', id: user_id.toLowerCase() }), textOf({ by: 'client_user_id', id: client_user_id })];
}

/** True if every other user would get the same error. */
function isEverybodys(error: UpstreamError): boolean {
  return error.isTransient || error.isUnauthorized || error.concernsEverybody;
}
