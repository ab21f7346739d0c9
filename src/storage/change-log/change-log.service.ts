import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../database/write-lane.js';
import type { ResourceChangeEntity } from './change.entity.js';
import type { Change } from './change.js';
import { ChangeLogReader, type RecentChange } from './change-log.reader.js';
import { ChangeLogRepository } from './change-log.repository.js';
import { type CursorFault, faultOf, type Position, positionOf } from './cursor.js';

export interface ChangeFilter {
  readonly limit: number;
  /** Changes that are shown; default all. */
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
  cursor_expired: 'The changes after this cursor are no longer kept.',
  feed_restarted: 'The cursor belongs to another feed: the database was restored or replaced.',
  cursor_ahead: 'The cursor is ahead of the feed: the database was set back.',
};

export type ResourceChange = ResourceChangeEntity;

/** Rows per read, and the maximum per call. */
const ROWS = 500;
const MOST_ROWS = 10_000;
/** Changes of one account that are looked through for those since an instant. */
const MOST_RECENT = 2_000;

/** The numbered changes of this database. */
@Injectable()
export class ChangeLog implements OnApplicationBootstrap {
  /** Pages that readers at the same place share, until the next change is numbered. */
  private readonly shared = new Map<string, Promise<Change[]>>();

  constructor(
    private readonly repository: ChangeLogRepository,
    private readonly reader: ChangeLogReader,
    private readonly lane: WriteLane,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!(await this.reader.feed())?.feed) await this.lane.runAtStart((tx) => this.repository.begin(tx));
  }

  /** The position after the newest change. */
  async newest(): Promise<Position> {
    const { feed, last_number: number } = await this.feed();
    return { feed, number, at: (await this.reader.at(number)) ?? 0 };
  }

  /** The position after the changes that are no longer kept. */
  async oldest(): Promise<Position> {
    const { feed, expired_number: number } = await this.feed();
    return { feed, number, at: 0 };
  }

  /**
   * The position of a cursor. Throws `invalid_request`, and `cursor_expired`, `feed_restarted` or `cursor_ahead` if
   * changes after it may be missing here. `field`: where a caller gave it.
   */
  async positionOf(cursor: string, field = 'after'): Promise<Position> {
    const position = positionOf(cursor);
    if (position === null) {
      const message = `${field} must be the cursor of a change, or the next of a page`;
      throw new AppError('invalid_request', 'The cursor cannot be read.', { fields: [{ field, message }] });
    }
    const { feed, last_number: lastNumber, expired_number: expiredNumber } = await this.feed();
    const at = await this.reader.at(position.number);
    const fault = faultOf(position, { feed, lastNumber, expiredNumber, at });
    if (fault !== null) throw refusalOf(fault);
    return position;
  }

  /**
   * Changes after a position, oldest first. A page with a filter may be empty and still not be the last. Throws
   * `cursor_expired` if retention has deleted some of them since the position was checked.
   */
  async page(after: Position, { limit, shows = () => true, account }: ChangeFilter): Promise<ChangePage> {
    const { last_number: last } = await this.feed();
    const changes: Change[] = [];
    let next = after;
    for (let read = 0; next.number < last && read < MOST_ROWS; read += ROWS) {
      const rows = await this.rows(next.number, last, account);
      if (next.number < (await this.feed()).expired_number) throw refusalOf('cursor_expired');
      for (const row of rows) {
        if (changes.length === limit) return { changes, next, isUpToDate: false };
        if (shows(row)) changes.push(row);
        next = { ...after, number: row.number, at: row.at };
      }
      // Without a row at the end, such as one that an erasure deleted, its time is unknown.
      if (rows.length < ROWS && next.number < last) next = { ...after, number: last, at: 0 };
    }
    return { changes, next, isUpToDate: next.number >= last };
  }

  /** The change with a number; null if it is no longer kept. */
  find(number: number): Promise<Change | null> {
    return this.reader.find(number);
  }

  /** When the records of an account (`accounts.id`) last changed, by resource and source; epoch milliseconds. */
  changedAt(account: number): Promise<ResourceChange[]> {
    return this.reader.changedAt(account);
  }

  /**
   * Changes of an account's records of a resource since an instant (epoch milliseconds); null if not all of them are
   * known any more, or if there are too many.
   */
  async changedSince(account: number, resource: string, since: number): Promise<RecentChange[] | null> {
    const { expired_number: expired } = await this.feed();
    const recent = await this.reader.recent(account, MOST_RECENT);
    const isWhole = recent.some(({ at }) => at < since) || (recent.length < MOST_RECENT && expired === 0);
    return isWhole ? recent.filter((one) => one.at >= since && one.resource === resource) : null;
  }

  /** Number of the newest change. */
  async lastNumber(): Promise<number> {
    return (await this.feed()).last_number;
  }

  /** Changes after a position, when the first of them was noted, and whether some of them are no longer kept. */
  async lagOf(position: Position): Promise<{ lag: number; since: number | null; isExpired: boolean }> {
    const { feed, last_number: last, expired_number: expired } = await this.feed();
    const number = position.feed === feed ? position.number : 0;
    const isExpired = position.feed !== feed || number < expired;
    return { lag: Math.max(0, last - number), since: await this.reader.nextAt(number), isExpired };
  }

  private rows(after: number, last: number, account: number | undefined): Promise<Change[]> {
    const name = `${after} ${last} ${account ?? ''}`;
    const known = this.shared.get(name);
    if (known) return known;
    const rows = this.reader.page(after, last, ROWS, account);
    this.shared.set(name, rows);
    const forget = (): void => void this.shared.delete(name);
    rows.then(() => setTimeout(forget, 20).unref(), forget);
    return rows;
  }

  private async feed(): Promise<{ feed: string; last_number: number; expired_number: number }> {
    const feed = await this.reader.feed();
    if (feed) return feed;
    throw new AppError('storage_unavailable', 'The change feed has not begun yet.');
  }
}

function refusalOf(fault: CursorFault): AppError {
  return new AppError(
    fault,
    `${howToGoOn[fault]} Start over: POST /v1/snapshots, replace your copy with it, and continue after its position.`,
  );
}
