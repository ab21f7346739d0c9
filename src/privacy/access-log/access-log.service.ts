import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Batcher, WriteLane } from '../../storage/database/write-lane.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { type Entry, marked, noHash, type PendingEntry, type Writer } from './chain.js';
import { ChainWorker } from './chain.worker.js';

/** An access to record; the log adds the time. */
export type Access = Omit<Entry, 'at'>;

/** The last entry of a writer. */
type LastEntry = Writer & Pick<PendingEntry, 'at'>;

/** A writer without an entry for this long is not used again, so that its last mark can be deleted. */
export const writerMs = HOUR_MS;

/**
 * The append-only access log: each entry contains the hash of the previous one (docs/decisions/0009-access-log.md).
 */
@Injectable()
export class AccessLog {
  private readonly waiting: Batcher<Entry, void>;
  /**
   * The writers without an open transaction. After a failure, which may have been committed, a writer never returns.
   */
  private readonly free: LastEntry[] = [];

  constructor(
    lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
    private readonly chain: ChainWorker,
  ) {
    const write = async (tx: Tx, batch: readonly Entry[]): Promise<void[]> => {
      const entries = marked(batch, this.writer());
      await this.entries.insert(tx, entries);
      tx.afterCommit(() => {
        this.free.push(...entries.slice(-1));
        this.chain.recorded();
      });
      return batch.map(() => undefined);
    };
    this.waiting = lane.batcher(write, { priority: 'first', calls: 'one' });
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

  private writer(): Writer {
    const last = this.free.pop();
    const isKnown = last !== undefined && this.clock.now() - last.at < writerMs;
    return isKnown ? last : { writer: newId(), mark: noHash };
  }
}
