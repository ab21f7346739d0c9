import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { leftSignal } from '../../http/server/caller-left.js';
import type { ChangeKind, FeedScope } from '../../platform/config/feed-scope.js';
import { orNotFound } from '../../platform/platform/errors.js';
import type { Change } from '../../storage/change-log/change.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { ChangeTail } from '../../storage/change-log/change-tail.js';
import { cursorOf, type Position } from '../../storage/change-log/cursor.js';
import type { ChangeDto, ChangePageDto } from './feed.dto.js';
import { FeedAccess } from './feed-access.service.js';
import { type Entries, FeedEntries } from './feed-entries.service.js';
import { MAX_PAGE_CHARACTERS, MAX_VALUES_READ } from './tuning.js';

/** A checked query of a consumer. */
export interface Followed {
  readonly after: Position;
  readonly limit: number;
  readonly kinds?: readonly ChangeKind[] | undefined;
  /** `accounts.id` */
  readonly account?: number | undefined;
  /** Newest first, from the position back. */
  readonly isBackward?: boolean;
}

export interface FeedQuestion {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly kinds?: readonly ChangeKind[] | undefined;
  readonly account_id?: string | undefined;
  readonly order?: 'oldest' | 'newest';
}

/** A page with the position after it. */
export interface ReadPage {
  readonly page: ChangePageDto;
  readonly next: Position;
}

/** Never the number of an account. */
const NO_ACCOUNT = 0;

/** Reads pages of the feed for consumers. */
@Injectable()
export class Feed {
  constructor(
    private readonly log: ChangeLog,
    private readonly tail: ChangeTail,
    private readonly access: FeedAccess,
    private readonly entries: FeedEntries,
    private readonly accesses: ValueAccesses,
    private readonly turns: ReadTurns,
  ) {}

  /**
   * Checks a query. Throws `invalid_request`, `forbidden` for kinds outside the key's scope, `not_found` for an unknown
   * account, and like `ChangeLog.positionOf`.
   */
  async open(request: FastifyRequest, { after, limit, kinds, account_id, order }: FeedQuestion): Promise<Followed> {
    const isBackward = order === 'newest';
    await this.access.scopeOf(request, kinds);
    const account = account_id === undefined ? undefined : await this.accountOf(request, account_id);
    const end = isBackward ? this.log.newest.bind(this.log) : this.log.oldest.bind(this.log);
    const position = after === undefined ? await end() : await this.log.positionOf(after);
    return { after: position, limit, kinds, account, isBackward };
  }

  /**
   * `accounts.id`. Throws `not_found`, except for a key that may not read accounts: it must not learn which exist, so
   * to it an unknown account is one without changes.
   */
  async accountOf(request: FastifyRequest, accountId: string): Promise<number> {
    const { kinds } = await this.access.scopeOf(request, undefined);
    const account = await this.entries.accountOf(accountId);
    return kinds.includes('account') ? orNotFound(account, 'No account has this id.') : (account ?? NO_ACCOUNT);
  }

  /** The next page. Waits up to `waitMs` for a change. Reads of values are recorded in the access log first. */
  async read(followed: Followed, waitMs: number, reply: FastifyReply): Promise<ReadPage> {
    const { request } = reply;
    const left = leftSignal(request.raw, reply.raw);
    const page = (at: Followed): Promise<ReadPage> => this.turns.run(reply, () => this.page(at, request));
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, waitMs);
    left.addEventListener('abort', end);
    try {
      let read = await page(followed);
      while (read.page.data.length === 0 && waitMs > 0 && !over.signal.aborted && !this.tail.isClosed) {
        if (read.page.up_to_date) await this.tail.wait(read.next.number, over.signal);
        read = await page({ ...followed, after: read.next });
      }
      return read;
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', end);
    }
  }

  private async page(followed: Followed, request: FastifyRequest): Promise<ReadPage> {
    const { after, limit, kinds, account, isBackward = false } = followed;
    const scope = await this.access.scopeOf(request, kinds);
    const shown = new Set(scope.kinds);
    const shows = ({ kind }: Change): boolean => shown.has(kind);
    const filter = { limit, shows, account };
    const found = isBackward ? await this.log.pageBefore(after, filter) : await this.log.page(after, filter);
    const { entries, shown: accounts } = await this.entriesOf(found.changes, after.feed, scope);
    const last = found.changes[entries.length - 1];
    const isCut = entries.length < found.changes.length && last !== undefined;
    const next = isCut ? { ...after, ...placeAfter(last, isBackward) } : found.next;
    await this.accesses.record(request, accounts);
    const page = { data: [...entries], next: cursorOf(next), up_to_date: found.isUpToDate && !isCut };
    return { page, next };
  }

  /** The first changes, as many as fit into a page: one change may contain many samples or a long stream. */
  private async entriesOf(changes: readonly Change[], feed: string, scope: FeedScope): Promise<Entries> {
    if (!scope.values) return this.entries.of(changes, feed, scope);
    const entries: ChangeDto[] = [];
    const shown = new Set<number>();
    for (let text = 0; entries.length < changes.length && text < MAX_PAGE_CHARACTERS; ) {
      const part = await this.entries.of(changes.slice(entries.length, entries.length + MAX_VALUES_READ), feed, scope);
      text += JSON.stringify(part.entries).length;
      for (const account of part.shown) shown.add(account);
      entries.push(...part.entries);
    }
    return { entries, shown: [...shown] };
  }
}

/** Where to continue after a change was returned; its time is not known backwards. */
function placeAfter({ number, at }: Change, isBackward: boolean): Pick<Position, 'number' | 'at'> {
  return isBackward ? { number: number - 1, at: 0 } : { number, at };
}
