import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../http/auth/caller.js';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { type FeedScope, thinScope } from '../../platform/config/feed-scope.js';
import { AppError } from '../../platform/platform/errors.js';
import type { Change, ChangeKind } from '../../storage/change-log/change.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { ChangeTail } from '../../storage/change-log/change-tail.js';
import { cursorOf, type Position } from '../../storage/change-log/cursor.js';
import type { ChangePageDto } from './feed.dto.js';
import { FeedEntries } from './feed-entries.service.js';

/** What a consumer wants to read, within what its key may. */
export interface Followed {
  readonly after: Position;
  readonly limit: number;
  readonly scope: FeedScope;
  /** `accounts.id` */
  readonly account?: number | undefined;
}

export interface FeedQuestion {
  readonly after?: string | undefined;
  readonly limit: number;
  readonly kinds?: readonly ChangeKind[] | undefined;
  readonly account_id?: string | undefined;
}

/** A page with the position behind it. */
export interface ReadPage {
  readonly page: ChangePageDto;
  readonly next: Position;
}

/** Samples that are read for one page with values; a page with more ends early. */
const MOST_SAMPLES = 10_000;

/** Pages of the feed for consumers. */
@Injectable()
export class Feed {
  constructor(
    private readonly log: ChangeLog,
    private readonly tail: ChangeTail,
    private readonly entries: FeedEntries,
    private readonly accesses: ValueAccesses,
  ) {}

  /**
   * Checks a question. Throws `invalid_request`, `forbidden` for kinds outside the key's scope, `not_found` for an
   * unknown account, and as `ChangeLog.positionOf` does.
   */
  async open(actor: Actor, { after, limit, kinds, account_id }: FeedQuestion): Promise<Followed> {
    const scope = scopeOf(actor, kinds);
    const account = account_id === undefined ? undefined : await this.accountOf(account_id);
    const position = after === undefined ? await this.log.oldest() : await this.log.positionOf(after);
    return { after: position, limit, scope, account };
  }

  /** Throws `not_found`. */
  async accountOf(accountId: string): Promise<number> {
    const account = await this.entries.accountOf(accountId);
    if (account === null) throw new AppError('not_found', 'There is no account with this id.');
    return account;
  }

  /** The next page; waits up to `waitMs` while there is nothing to show. Values are recorded before they are shown. */
  async read(followed: Followed, waitMs: number, request: FastifyRequest, left: AbortSignal): Promise<ReadPage> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, waitMs);
    left.addEventListener('abort', end);
    try {
      let read = await this.page(followed, request);
      while (read.page.data.length === 0 && waitMs > 0 && !over.signal.aborted && !this.tail.isClosed) {
        if (read.page.up_to_date) await this.tail.wait(read.next.number, over.signal);
        read = await this.page({ ...followed, after: read.next }, request);
      }
      return read;
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', end);
    }
  }

  private async page({ after, limit, scope, account }: Followed, request: FastifyRequest): Promise<ReadPage> {
    const kinds = new Set(scope.kinds);
    const shows = ({ kind }: Change): boolean => kinds.has(kind);
    const found = await this.log.page(after, { limit, shows, account });
    const changes = scope.values ? withinBudget(found.changes) : found.changes;
    const last = changes.at(-1);
    const isCut = changes.length < found.changes.length && last !== undefined;
    const next = isCut ? { ...after, number: last.number, at: last.at } : found.next;
    const { entries, shown } = await this.entries.of(changes, after.feed, scope);
    await this.accesses.record(request, shown);
    const page = { data: [...entries], next: cursorOf(next), up_to_date: found.isUpToDate && !isCut };
    return { page, next };
  }
}

/** The kinds that are asked for, all of which the key must be allowed to read. */
export function scopeOf({ feed = thinScope }: Actor, kinds: readonly ChangeKind[] | undefined): FeedScope {
  const foreign = kinds?.filter((kind) => !feed.kinds.includes(kind)) ?? [];
  if (foreign.length > 0) throw new AppError('forbidden', 'The key may not read all of these kinds of changes.');
  return kinds === undefined ? feed : { ...feed, kinds };
}

function withinBudget(changes: readonly Change[]): readonly Change[] {
  let samples = 0;
  const end = changes.findIndex((change) => (samples += change.samples?.count ?? 0) > MOST_SAMPLES);
  return end < 0 ? changes : changes.slice(0, Math.max(1, end));
}
