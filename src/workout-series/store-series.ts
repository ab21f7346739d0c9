import { Injectable } from '@nestjs/common';
import type { Records } from '../catalogue/records.js';
import { WriteLane } from '../database/write-lane.js';
import { HealthDataService } from '../health-data/health-data.service.js';
import { Clock } from '../platform/clock.js';
import { LeaseLost } from '../pulls/pull-task.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { type Claim, type Outcome, SeriesFetchesRepository } from './series-fetches.repository.js';

/** The moves of fetches: each one transaction, and `LeaseLost` with nothing written when the fetch is another's now. */
@Injectable()
export class StoreSeries {
  constructor(
    private readonly lane: WriteLane,
    private readonly fetches: SeriesFetchesRepository,
    private readonly healthData: HealthDataService,
    private readonly clock: Clock,
  ) {}

  async claim(claim: Claim): Promise<SeriesFetchEntity[]> {
    if (!(await this.fetches.anyDue(claim.now))) return [];
    return this.lane.run((tx) => this.fetches.claim(tx, claim));
  }

  /** The record and the done-mark together. `at`: when the fetch began. */
  async store(held: SeriesFetchEntity, records: Records, at: number): Promise<void> {
    const done = { status: 'done', dueAt: null, failures: 0, code: null, now: this.clock.now() } as const;
    await this.lane.run(async (tx) => {
      if (!(await this.fetches.settle(tx, held, done))) throw new LeaseLost();
      const observation = await this.healthData.observe(tx, { kind: 'message', ref: held.message_seq, at });
      await this.healthData.apply(tx, held.account_id, records, observation);
    });
  }

  async settle(held: SeriesFetchEntity, outcome: Omit<Outcome, 'now'>): Promise<void> {
    await this.lane.run(async (tx) => {
      if (!(await this.fetches.settle(tx, held, { ...outcome, now: this.clock.now() }))) throw new LeaseLost();
    });
  }
}
