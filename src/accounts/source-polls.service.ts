import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import type { LeasedRows } from '../work/leased-rows.js';
import type { SourcePollEntity } from './source-poll.entity.js';
import { SourcePollsRepository, type WantedPoll } from './source-polls.repository.js';

/** A check that is due: `account_id` is the internal number of the account. */
export type SourcePollRow = SourcePollEntity;

/*
 * One row per account says when to look at its connections next. Leases: work/leased-rows.ts.
 *
 *   (none)  --request--> due
 *   due     --request--> due, at the earlier of the two times
 *   due     --claim-->   leased, due again when the lease ends
 *   leased  --request--> leased, and due at the time asked for
 *   leased  --complete-> due at the time given, or at the earlier time asked for meanwhile
 *   leased  --defer-->   due at the time given
 *
 * A crash while leased leaves a row that is due when its lease ends.
 */
@Injectable()
export class SourcePolls {
  constructor(private readonly repository: SourcePollsRepository) {}

  /** Asks for a look at `dueAt` or before; keeps an earlier time. */
  request(tx: Tx, accountRef: number, dueAt: number): Promise<void> {
    return this.repository.request(tx, accountRef, dueAt);
  }

  /** As `request`, for many accounts. */
  requestAll(tx: Tx, looks: readonly WantedPoll[]): Promise<void> {
    return this.repository.requestAll(tx, looks);
  }

  /** The leases of polls. */
  get rows(): LeasedRows<SourcePollRow> {
    return this.repository.rows;
  }

  /** Due polls of nobody else, leased, longest due first. */
  claim(tx: Tx, now: number, limit: number): Promise<SourcePollRow[]> {
    return this.repository.claim(tx, now, limit);
  }

  /** The look is done. A request made during it stays due. Throws `LeaseLost`. */
  complete(tx: Tx, held: SourcePollRow, done: { now: number; nextDueAt: number | null }): Promise<void> {
    return this.repository.complete(tx, held, done);
  }
}
