import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { type DueFetch, type FetchClaim, ResultFetchRepository } from './result-fetch.repository.js';
import type { ResultSubject } from './result-subject.js';

export type { DueFetch } from './result-fetch.repository.js';

/** Results to read from upstream, because an order says that they are new or may have changed. */
@Injectable()
export class ResultFetches {
  constructor(
    private readonly fetches: ResultFetchRepository,
    private readonly lane: WriteLane,
  ) {}

  /** `at`: when upstream said so, in epoch milliseconds. `account` is `accounts.id`, if known. */
  request(tx: Tx, subject: ResultSubject, at: number, account: number | null): Promise<void> {
    return this.fetches.request(tx, subject, at, account);
  }

  /** The result is stored as a call made at `observedAt` answered it. */
  complete(tx: Tx, subject: ResultSubject, observedAt: number): Promise<void> {
    return this.fetches.complete(tx, subject, observedAt);
  }

  async claim(claim: FetchClaim): Promise<DueFetch[] | null> {
    if (!(await this.fetches.anyDue(claim.now))) return null;
    return this.lane.run((tx) => this.fetches.claim(tx, claim));
  }

  /** Gives the lease back where a newer request has kept the row. */
  release(due: DueFetch, owner: string): Promise<void> {
    return this.lane.run((tx) => this.fetches.release(tx, due, owner));
  }

  /** Later, or with `dueAt` null not at all. */
  defer(due: DueFetch, later: { owner: string; dueAt: number | null; code: string }): Promise<void> {
    return this.lane.run((tx) => this.fetches.defer(tx, due, later));
  }
}
