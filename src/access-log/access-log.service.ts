import { Injectable } from '@nestjs/common';
import { type Batcher, WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { type AccessFilter, AccessLogRepository, type AccessRow } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import type { ChainEnds, ChainedEntry, Entry } from './chain.js';

/** What is to be recorded; the log itself adds when. */
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
    this.waiting = lane.batcher(async (tx, batch) => {
      await entries.append(tx, batch);
      return batch.map(() => undefined);
    }, 'first');
  }

  /** Resolves once the entry is durable; those that wait together share a commit. Throws `storage_unavailable`. */
  async record(access: Access): Promise<void> {
    const entry = { ...access, at: this.clock.now() };
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

  /** Where the chain begins and ends; null only when somebody has removed that. */
  ends(): Promise<ChainEnds | null> {
    return this.entries.ends();
  }

  /** In the order of the chain, those after `afterSeq` up to `untilSeq`. */
  slice(afterSeq: number, untilSeq: number, limit: number): Promise<ChainedEntry[]> {
    return this.entries.slice(afterSeq, untilSeq, limit);
  }

  /** Numbers of the first and the last entry there is, whatever the chain says. */
  range(): Promise<{ oldest: number | null; newest: number | null }> {
    return this.entries.range();
  }
}
