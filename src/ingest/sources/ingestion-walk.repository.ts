import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import { LeasedRows } from '../../storage/work/leased-rows.js';
import { IngestionWalkEntity } from './ingestion-walk.entity.js';

export type IngestionWalk = IngestionWalkEntity;

/** The one row that says where the walk stands. */
@Injectable()
export class IngestionWalkRepository {
  readonly rows = new LeasedRows(IngestionWalkEntity);

  /** The page is processed and another follows immediately. */
  async advance(tx: Tx, held: IngestionWalk, nextCursor: string, startedAt: number): Promise<void> {
    const place = { next_cursor: nextCursor, walk_started_at: startedAt, pages: held.pages + 1 };
    await this.rows.complete(tx, held, held.due_at, place);
  }

  /** The walk is over; `code` says why before its last page. */
  async finish(tx: Tx, held: IngestionWalk, dueAt: number, code: string | null): Promise<void> {
    const between = { next_cursor: null, walk_started_at: null, pages: 0 };
    await this.rows.complete(tx, held, dueAt, { ...between, error_code: code });
  }
}
