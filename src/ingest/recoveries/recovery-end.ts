import { Injectable } from '@nestjs/common';
import { WriteLane } from '../../storage/database/write-lane.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import type { RecoveryEntity } from './recovery.entity.js';
import { RecoveryRepository } from './recovery.repository.js';
import { endedOf } from './recovery-progress.js';

/** Ends a recovery when its last pull has ended. */
@Injectable()
export class RecoveryEnd {
  constructor(
    private readonly recoveries: RecoveryRepository,
    private readonly pulls: ListedPulls,
    private readonly lane: WriteLane,
  ) {}

  /** Stores the final counts of a recovery. Null while it has open pulls, or if another process stored the counts. */
  async finishIfEnded(recovery: RecoveryEntity, now: number): Promise<RecoveryEntity | null> {
    const { id } = recovery;
    if (await this.pulls.hasOpenPulls(id)) return null;
    const { done, failed, pages } = endedOf(await this.pulls.totalsOfRecovery(id));
    const end = { finished_at: now, pulls_done: done, pulls_failed: failed, pages };
    const isOurs = await this.lane.run((tx) => this.recoveries.finish(tx, id, end));
    return isOurs ? { ...recovery, ...end, state: 'done' } : null;
  }
}
