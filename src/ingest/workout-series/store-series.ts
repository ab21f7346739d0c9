import { Injectable } from '@nestjs/common';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import type { Records } from '../../health/catalogue/records.js';
import { HealthDataService } from '../../health/health-data/health-data.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { SeriesFetchEntity } from './series-fetch.entity.js';
import { SeriesFetchesRepository } from './series-fetches.repository.js';

/** Stores the stream of a workout together with the end of its fetch. */
@Injectable()
export class StoreSeries {
  constructor(
    private readonly lane: WriteLane,
    private readonly fetches: SeriesFetchesRepository,
    private readonly healthData: HealthDataService,
    private readonly erasures: ErasureGuard,
    private readonly clock: Clock,
  ) {}

  /** `at`: when the fetch began. Throws `LeaseLost` and `account_erased`, with nothing written. */
  async store(held: SeriesFetchEntity, records: Records, at: number): Promise<void> {
    const now = this.clock.now();
    await this.lane.run(async (tx) => {
      await this.erasures.assertWritable(tx, held.account_id);
      await this.fetches.rows.complete(tx, held, null, { status: 'done', stored_at: now });
      await this.fetches.dueAgain(tx, held, now);
      const provenance = { kind: 'message', ref: held.message_seq, at } as const;
      await this.healthData.apply(tx, { account: held.account_id, records, provenance });
    });
  }
}
