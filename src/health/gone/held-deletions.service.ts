import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { HeldDeletionsRepository, type HoldFilter, type ShownHold } from './held-deletions.repository.js';

export interface Decision {
  /** Name of the key that decides. */
  readonly by: string;
  readonly reason: string;
}

/** Deletions that wait for an operator, because looks missed too many records. */
@Injectable()
export class HeldDeletions {
  constructor(
    private readonly repository: HeldDeletionsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list({
    cursor,
    ...filter
  }: Omit<HoldFilter, 'beforeId'> & { cursor?: string | undefined }): Promise<Page<ShownHold>> {
    const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ['number'])[0];
    const rows = await this.repository.page({ ...filter, beforeId, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, ({ id }) => [id]);
  }

  /**
   * released: the records become candidates, and the next complete look at their range hides those it misses. rejected:
   * the records stay visible. Repeating a decision returns the same hold. Throws `not_found`, and `conflict` if the
   * other decision was already made.
   */
  async decide(id: number, state: 'released' | 'rejected', decision: Decision): Promise<ShownHold> {
    const now = this.clock.now();
    await this.lane.run((tx) => this.repository.decide(tx, id, { ...decision, state, now }));
    const hold = await this.repository.find(id);
    if (!hold)
      throw new AppError(
        'not_found',
        'No held deletions have this id; they are removed once their records are no longer missing.',
      );
    if (hold.state !== state) throw new AppError('conflict', `These deletions were already ${hold.state}.`);
    return hold;
  }
}
