import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import type { SourcePollEntity } from './source-poll.entity.js';
import { SourcePollsRepository, type WantedPoll } from './source-polls.repository.js';

/** A check that is due: `account_id` is the internal number of the account. */
export type SourcePollRow = SourcePollEntity;

/*
 * One row per account says when to look at its connections next.
 *
 *   (none)  --request--> due
 *   due     --request--> due, at the earlier of the two times
 *   due     --claim-->   leased, due again when the lease ends
 *   leased  --request--> leased, and due at the time asked for
 *   leased  --complete-> due at the time given, or at the earlier time asked for meanwhile
 *   leased  --defer-->   due at the time given, one attempt more
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

  /** Due checks of nobody else, leased to `owner`, longest due first. */
  claim(tx: Tx, claim: { owner: string; now: number; leaseUntil: number; limit: number }): Promise<SourcePollRow[]> {
    return this.repository.claim(tx, claim);
  }

  /** The look is done. A request made during it stays due. */
  complete(tx: Tx, accountRef: number, done: { now: number; nextDueAt: number | null }): Promise<void> {
    return this.repository.complete(tx, accountRef, done);
  }

  /** The look failed with `code`, an error code of ours. */
  defer(tx: Tx, accountRef: number, failure: { code: string; dueAt: number }): Promise<void> {
    return this.repository.defer(tx, accountRef, failure);
  }
}
