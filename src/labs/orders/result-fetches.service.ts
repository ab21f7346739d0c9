import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { LeasedRows, Waiting } from '../../storage/work/leased-rows.js';
import type { ResultFetchEntity } from './result-fetch.entity.js';
import { ResultFetchRepository } from './result-fetch.repository.js';
import type { ResultSubject } from './result-subject.js';

export type ResultFetchRow = ResultFetchEntity;

/** The queue of results to read from upstream because they are new or may have changed. */
@Injectable()
export class ResultFetches {
  constructor(
    private readonly fetches: ResultFetchRepository,
    private readonly lane: WriteLane,
  ) {}

  /** `at`: when upstream announced it, in epoch milliseconds. `account` is `accounts.id`, if known. */
  request(tx: Tx, subject: ResultSubject, at: number, account: number | null): Promise<void> {
    return this.fetches.request(tx, subject, at, account);
  }

  /** The waiting or buried fetch of a subject. */
  find(subject: ResultSubject): Promise<Waiting | null> {
    return this.fetches.find(subject);
  }

  /** The result of a call made at `observedAt` is stored. */
  complete(tx: Tx, subject: ResultSubject, observedAt: number): Promise<void> {
    return this.fetches.complete(tx, subject, observedAt);
  }

  /** Upstream has no result, according to a call made at `askedAt`. */
  async end(subject: ResultSubject, askedAt: number): Promise<void> {
    await this.lane.run((tx) => this.complete(tx, subject, askedAt));
  }

  /** The leases of the queue. */
  get rows(): LeasedRows<ResultFetchRow> {
    return this.fetches.rows;
  }

  /** Releases the row if a newer request has kept it. Throws `LeaseLost`. */
  async releaseIfWanted(held: ResultFetchRow): Promise<void> {
    await this.lane.run(async (tx) => {
      const subject = { scope: held.scope, id: held.subject_id };
      if (await this.fetches.isWanted(tx, subject)) await this.fetches.rows.release(tx, held);
    });
  }
}
