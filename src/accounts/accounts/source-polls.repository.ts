import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { LeasedRows, type Waiting } from '../../storage/work/leased-rows.js';
import { SourcePollEntity } from './account.entity.js';

const requested: BulkShape = {
  ...shapeOf(SourcePollEntity, ['account_id', 'due_at', 'attempts']),
  update: ['due_at'],
  when: 'source_polls.due_at IS NULL OR source_polls.due_at > excluded.due_at',
};

/** A request to poll the sources of an account (`accounts.id`) at `dueAt` or earlier. */
export interface RequestedPoll {
  readonly account: number;
  readonly dueAt: number;
}

/** The end of a poll; `withUser` is true if it read upstream's user. */
export interface PollEnd {
  readonly now: number;
  readonly nextDueAt: number | null;
  readonly code: string | null;
  readonly withUser?: boolean;
}

/** A poll that is due: `account_id` is `accounts.id`. */
export type SourcePollRow = SourcePollEntity;

/*
 * One row per account stores when to poll its sources next. Leases: work/leased-rows.ts.
 *
 *   (none)  --request--> due
 *   due     --request--> due, at the earlier of the two times
 *   due     --claim-->   leased, due again when the lease ends
 *   leased  --request--> leased, and due at the requested time
 *   leased  --complete-> due at the given time, or at an earlier time requested during the poll
 *   leased  --defer-->   due at the given time
 *
 * After a crash, a leased row is due when its lease ends.
 */
@Injectable()
export class SourcePolls {
  /** Statements for the leases of polls. */
  readonly rows = new LeasedRows(SourcePollEntity);

  constructor(private readonly reader: Reader) {}

  /** The next poll of an account; null if its sources are not polled. */
  next(account: number): Promise<Waiting | null> {
    return this.rows.waiting(this.reader, [account]);
  }

  /** Requests a poll at `dueAt`; keeps an earlier due time. */
  request(tx: Tx, account: number, dueAt = tx.now): Promise<void> {
    return this.requestAll(tx, [{ account, dueAt }]);
  }

  /** Like `request`, for many accounts. */
  async requestAll(tx: Tx, polls: readonly RequestedPoll[]): Promise<void> {
    await tx.bulk(
      requested,
      polls.flatMap(({ account, dueAt }) => [account, dueAt, 0]),
    );
  }

  /** Requests an immediate poll of the accounts that were not polled since a time. */
  async requestUnpolled(
    tx: Tx,
    accounts: readonly number[],
    { now, since }: { now: number; since: number },
  ): Promise<void> {
    if (accounts.length === 0) return;
    await tx.execute(
      `UPDATE source_polls SET due_at = ? WHERE account_id IN (${placeholders(accounts.length)})
         AND due_at > ? AND (checked_at IS NULL OR checked_at < ?)`,
      [now, ...accounts, now, since],
    );
  }

  /**
   * Leases due polls that no other process holds, longest due first. Sets the due time to the end of the lease, so that
   * the due time of a request made during the poll is earlier.
   */
  async claim(tx: Tx, now: number, limit: number): Promise<SourcePollRow[]> {
    const polls = await this.rows.claim(tx, { now, limit });
    if (polls.length > 0) {
      const accounts = polls.map(({ account_id }) => account_id);
      const among = placeholders(accounts.length);
      await tx.execute(`UPDATE source_polls SET due_at = lease_until WHERE account_id IN (${among})`, accounts);
    }
    return polls;
  }

  /** Completes a poll. `code`: why it is incomplete, if so. A request made during it stays due. Throws `LeaseLost`. */
  async complete(tx: Tx, held: SourcePollRow, { now, nextDueAt, code, withUser = false }: PollEnd): Promise<void> {
    const [row] = await tx.rows<Pick<SourcePollRow, 'due_at'>>(
      `SELECT due_at FROM source_polls WHERE account_id = ? AND due_at < lease_until ${tx.forShare}`,
      [held.account_id],
    );
    await this.rows.complete(tx, held, row ? row.due_at : nextDueAt, {
      checked_at: now,
      error_code: code,
      ...(withUser && { user_read_at: now }),
    });
  }
}
