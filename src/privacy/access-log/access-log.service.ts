import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Batcher, WriteLane } from '../../storage/database/write-lane.js';
import { type AccessFilter, AccessLogRepository, type AccessRow } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import type { Entry } from './chain.js';

/** What to record; the log adds the time. */
export type Access = Omit<Entry, 'at'>;

export interface AccessQuery extends AccessFilter {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/**
 * Who did or read what about whom: append-only, each entry chained to the one before by its hash
 * (docs/decisions/0009-access-log.md).
 */
@Injectable()
export class AccessLog {
  private readonly waiting: Batcher<Entry, void>;

  constructor(
    lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
  ) {
    const write = async (tx: Tx, batch: readonly Entry[]): Promise<void[]> => {
      await this.entries.append(tx, batch);
      return batch.map(() => undefined);
    };
    this.waiting = lane.batcher(write, { priority: 'first' });
  }

  /** Resolves once the access is durable; concurrent accesses share a commit. Throws `storage_unavailable`. */
  async record(access: Access): Promise<void> {
    const entry: Entry = { ...access, at: this.clock.now() };
    try {
      await this.waiting.add(entry);
    } catch (cause) {
      this.telemetry.notStored(cause);
      throw new AppError('storage_unavailable', 'The access cannot be recorded now.', { cause });
    }
    this.telemetry.stored(entry);
  }

  /** Newest first. */
  async list({ cursor, limit, ...filter }: AccessQuery): Promise<Page<AccessRow>> {
    const [before] = cursor === undefined ? [null] : decodeCursor(cursor, ['number']);
    const rows = await this.entries.page(filter, before, limit + 1);
    return pageOf(rows, limit, ({ seq }) => [seq]);
  }
}
