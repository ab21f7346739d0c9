import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { MAX_CHANGES_A_CALL, MAX_CHANGES_A_READ, MAX_RECENT_CHANGES } from '../database/tuning.js';
import { WriteLane } from '../database/write-lane.js';
import type { ChangeFeedEntity, ResourceChangeEntity } from './change.entity.js';
import type { Change } from './change.js';
import { ChangeLogRepository, type RecentChange } from './change-log.repository.js';
import { type CursorFault, faultOf, type Position, positionOf } from './cursor.js';

export interface ChangeFilter {
  readonly limit: number;
  /** Selects the changes to return; default: all. */
  readonly shows?: (change: Change) => boolean;
  /** `accounts.id`; default all accounts. */
  readonly account?: number | undefined;
}

export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where to continue, also if the page is empty. */
  readonly next: Position;
  /** True if no further change has a number yet. */
  readonly isUpToDate: boolean;
}

const howToGoOn: Readonly<Record<CursorFault, string>> = {
  cursor_expired: 'Changes after this cursor were already deleted.',
  feed_restarted: 'The cursor belongs to another feed: the database was restored or replaced.',
  cursor_ahead: 'The cursor is ahead of the feed: the database was reset to an earlier state.',
};

export type ResourceChange = ResourceChangeEntity;

/** The numbered changes of this database. */
@Injectable()
export class ChangeLog implements OnApplicationBootstrap {
  /** Pages shared by readers at the same position, until the next change is numbered. */
  private readonly shared = new Map<string, Promise<Change[]>>();

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.repository.learnHistory();
    const isNew = !(await this.repository.feed())?.feed;
    if (!isNew && !(await this.repository.hasDeparted())) return;
    const hasDeparted = await this.lane.runAtStart((tx) => this.repository.begin(tx, this.clock.now()));
    if (hasDeparted) this.log.event('database.promoted', {}, 'error');
  }

  /** The position after the newest change. */
  async newest(): Promise<Position> {
    return this.repository.newest(await this.feed());
  }

  /** The position after the changes that were deleted. */
  async oldest(): Promise<Position> {
    const { feed, expired_number: number } = await this.feed();
    return { feed, number, at: 0 };
  }

  /**
   * Parses a cursor. Throws `invalid_request`, and `cursor_expired`, `feed_restarted` or `cursor_ahead` if changes
   * after it may be missing here. `field` names the request field for errors.
   */
  async positionOf(cursor: string, field = 'after'): Promise<Position> {
    const position = positionOf(cursor);
    if (position === null) {
      const message = `${field} must be the cursor of a change, the next of a page or the position of a snapshot`;
      throw new AppError('invalid_request', 'The cursor is malformed.', { fields: [{ field, message }] });
    }
    await this.assertContinues(position);
    return position;
  }

  /**
   * Changes after a position, oldest first. A page with a filter may be empty without being the last. Throws like
   * `positionOf`, because after the position was checked, retention may have deleted some changes, or a failover may
   * have set the database back.
   */
  async page(after: Position, { limit, shows = () => true, account }: ChangeFilter): Promise<ChangePage> {
    const { last_number: last } = await this.feed();
    if (after.number >= last) await this.assertContinues(after);
    const changes: Change[] = [];
    let next = after;
    for (let read = 0; next.number < last && read < MAX_CHANGES_A_CALL; read += MAX_CHANGES_A_READ) {
      const rows = await this.rows(next.number, last, account);
      await this.assertContinues(next);
      for (const row of rows) {
        if (changes.length === limit) return { changes, next, isUpToDate: false };
        if (shows(row)) changes.push(row);
        next = { ...after, number: row.number, at: row.at };
      }
      // The last change belongs to another account, or an erasure deleted it.
      if (rows.length < MAX_CHANGES_A_READ && next.number < last)
        next = { ...after, number: last, at: await this.timeOf(last) };
    }
    return { changes, next, isUpToDate: next.number >= last };
  }

  /**
   * Changes before a position, newest first: at most the `limit` numbers before it, so that a page with a filter has
   * fewer. `isUpToDate` is true if no older change is kept. Throws like `positionOf`.
   */
  async pageBefore(before: Position, { limit, shows = () => true, account }: ChangeFilter): Promise<ChangePage> {
    const { expired_number: oldest } = await this.feed();
    const number = Math.max(oldest, before.number - limit);
    const rows = await this.repository.page(number, before.number, limit, account);
    await this.assertContinues(before);
    const next = { ...before, number, at: await this.timeOf(number) };
    return { changes: rows.filter(shows).reverse(), next, isUpToDate: number === oldest };
  }

  /** The change with a number; null if it is no longer kept. */
  find(number: number): Promise<Change | null> {
    return this.repository.find(number);
  }

  /** When the records of a source of these accounts last changed, by account; epoch milliseconds by provider. */
  async lastOfSources(accounts: readonly number[]): Promise<Map<number, Map<string, number>>> {
    const last = new Map(accounts.map((account) => [account, new Map<string, number>()]));
    if (last.size === 0) return last;
    for (const { account_id, provider, changed_at } of await this.repository.lastOfSources([...last.keys()])) {
      last.get(account_id)?.set(provider, changed_at);
    }
    return last;
  }

  /** When the records of an account (`accounts.id`) last changed, by resource and source; epoch milliseconds. */
  changedAt(account: number): Promise<ResourceChange[]> {
    return this.repository.changedAt(account);
  }

  /**
   * Changes of an account's records of a resource since an instant (epoch milliseconds). Includes all after the first
   * of them, because the clock may have been set back. Null if some of them were deleted, if there are too many, or if
   * the instant is ahead of the clock.
   */
  async changedSince(account: number, resource: string, since: number): Promise<RecentChange[] | null> {
    if (since > this.clock.now()) return null;
    const { expired_number: expired } = await this.feed();
    const recent = await this.repository.recent(account, MAX_RECENT_CHANGES);
    const oldest = recent.at(-1)?.at ?? since;
    const isWhole = oldest < since || (recent.length < MAX_RECENT_CHANGES && expired === 0);
    const first = recent.findLastIndex(({ at }) => at >= since);
    return isWhole ? recent.slice(0, first + 1).filter((one) => one.resource === resource) : null;
  }

  /**
   * Number of changes after a position, when the first of them was noted, and whether the feed cannot continue after
   * the position. For a position of another feed, or of a feed that was reset since, all changes count.
   */
  async lagOf(position: Position): Promise<{ lag: number; since: number | null; isExpired: boolean }> {
    const feed = await this.feed();
    const fault = faultOf(position, feed, await this.repository.at(position.number));
    const number = fault === null || fault === 'cursor_expired' ? position.number : 0;
    return { lag: feed.last_number - number, since: await this.repository.nextAt(number), isExpired: fault !== null };
  }

  /** Throws unless the feed can continue after a position. */
  private async assertContinues(position: Position): Promise<void> {
    const fault = faultOf(position, await this.feed(), await this.repository.at(position.number));
    if (fault !== null) throw refusalOf(fault);
  }

  /** When the change with a number was noted; 0 if it is not stored. */
  private async timeOf(number: number): Promise<number> {
    return (await this.repository.at(number)) ?? 0;
  }

  private rows(after: number, last: number, account: number | undefined): Promise<Change[]> {
    const name = `${after} ${last} ${account ?? ''}`;
    const known = this.shared.get(name);
    if (known) return known;
    const rows = this.repository.page(after, last, MAX_CHANGES_A_READ, account);
    this.shared.set(name, rows);
    const forget = (): void => void this.shared.delete(name);
    rows.then(() => setTimeout(forget, 20).unref(), forget);
    return rows;
  }

  private async feed(): Promise<ChangeFeedEntity> {
    const feed = await this.repository.feed();
    if (feed) return feed;
    throw new AppError('storage_unavailable', 'The change feed has not started yet.');
  }
}

function refusalOf(fault: CursorFault): AppError {
  return new AppError(
    fault,
    `${howToGoOn[fault]} Start over: replace your copy with a snapshot (/v1/snapshots), and continue after its position.`,
  );
}
