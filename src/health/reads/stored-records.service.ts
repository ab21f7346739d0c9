import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import { GoneRecordsReader, inOrder } from './gone-records.reader.js';
import { RecordsReader } from './records.reader.js';
import type { LastEndQuery, RecordRead, RecordsQuery } from './stored-record.js';

/** Reads stored records one by one. `account` is `accounts.id`. */
@Injectable()
export class StoredRecords {
  constructor(
    private readonly records: RecordsReader,
    private readonly gone: GoneRecordsReader,
  ) {}

  /** At most `limit` records by time, then series and sibling or summary id, in either order. */
  list(query: RecordsQuery): Promise<RecordRead[]> {
    return this.records.list(query);
  }

  /**
   * Like `list`, including hidden records. These are read before and after the visible ones, so that a record that is
   * hidden or restored during the call is listed exactly once.
   */
  async listWithGone(query: RecordsQuery): Promise<RecordRead[]> {
    const before = await this.gone.list(query);
    const stored = await this.records.list(query);
    const after = await this.gone.list(query);
    const all = [...stored, ...after, ...before].sort(inOrder);
    return all
      .filter((one, index) => index === 0 || inOrder(all[index - 1] as RecordRead, one) !== 0)
      .slice(0, query.limit);
  }

  /** The last end, at most `until`, of the records that begin in a range; null if none has an end. */
  lastEnd(tx: Tx, query: LastEndQuery): Promise<number | null> {
    return this.records.lastEnd(tx, query);
  }

  /** The time of a stored summary in epoch milliseconds; null if no summary has this id. */
  timeOf(account: number, resource: Resource, summaryId: string): Promise<number | null> {
    return this.records.timeOf(account, resource.name, summaryId);
  }
}
