import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { type Batcher, WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { type AccessFilter, AccessLogRepository, type AccessRow, type Repeats } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import type { ChainEnds, ChainedEntry, Entry } from './chain.js';
import { RepeatedReads } from './repeated-reads.js';

/** What is to be recorded; the log itself adds when, and counts. */
export type Access = Omit<Entry, 'at' | 'repeats'>;

export interface AccessQuery extends AccessFilter {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface Waiting {
  readonly entry: Entry;
  /** The same for reads that may be counted together; null for what always has an entry of its own. */
  readonly read: string | null;
}

/** The entry that records an access, of its own or of the read it repeats. */
interface Recorded {
  readonly seq: number;
  readonly repeated: boolean;
}

/**
 * Who did or read what about whom: append-only, each entry chained to the one before by its hash
 * (docs/decisions/0009-access-log.md). A read that is repeated within a minute is counted, as durably, and the count
 * chained afterwards (docs/decisions/0015-proof-of-the-access-log.md).
 */
@Injectable()
export class AccessLog {
  private readonly waiting: Batcher<Waiting, Recorded>;
  private readonly repeated = new RepeatedReads();

  constructor(
    lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
  ) {
    this.waiting = lane.batcher((tx, batch) => this.write(tx, batch), { priority: 'first' });
  }

  /**
   * Resolves once the access is durable; those that wait together share a commit. Throws `storage_unavailable`.
   * @param sameRead for a read: what distinguishes it from others of the same caller, as the whole address
   */
  async record(access: Access, sameRead?: string): Promise<void> {
    const entry: Entry = { ...access, at: this.clock.now(), repeats: null };
    const read = sameRead === undefined ? null : readOf(access, sameRead);
    const recorded = await this.durable({ entry, read });
    if (read !== null && !recorded.repeated) this.repeated.remember(read, { seq: recorded.seq, at: entry.at });
    this.telemetry.stored(entry, recorded.repeated);
  }

  private async durable(waiting: Waiting): Promise<Recorded> {
    try {
      return await this.waiting.add(waiting);
    } catch (cause) {
      this.telemetry.notStored(cause);
      throw new AppError('storage_unavailable', 'The access cannot be recorded now.', { cause });
    }
  }

  /** May run again before it is durable, and so remembers nothing. */
  private async write(tx: Tx, batch: readonly Waiting[]): Promise<Recorded[]> {
    const own: Entry[] = [];
    const placeOf = new Map<string, number>();
    const plans = batch.map(({ entry, read }) => {
      const known = read === null ? null : this.repeated.find(read, entry.at);
      if (known !== null) return { entry, repeats: known, place: null };
      const before = read === null ? undefined : placeOf.get(read);
      const place = before ?? own.push(entry) - 1;
      if (read !== null) placeOf.set(read, place);
      return { entry, repeats: null, place, repeated: before !== undefined };
    });
    const first = own.length === 0 ? 0 : (await this.entries.append(tx, own)) - own.length + 1;
    const recorded = plans.map(
      ({ repeats, place, repeated = true }): Recorded => ({ seq: repeats ?? first + (place ?? 0), repeated }),
    );
    const counts = new Map<number, Repeats>();
    recorded.forEach(({ seq, repeated }, index) => {
      const at = batch[index]?.entry.at ?? 0;
      const { times, last_at } = counts.get(seq) ?? { times: 0, last_at: at };
      if (repeated) counts.set(seq, { seq, times: times + 1, last_at: Math.max(at, last_at) });
    });
    await this.entries.countRepeats(
      tx,
      [...counts.values()].sort((a, b) => a.seq - b.seq),
    );
    return recorded;
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

/** A digest: addresses are long, and hold what need not be kept in memory. */
function readOf({ request_id: _, ...access }: Access, sameRead: string): string {
  return createHash('sha256')
    .update(JSON.stringify([access, sameRead]))
    .digest('base64');
}
