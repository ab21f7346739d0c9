import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Records } from '../catalogue/records.js';
import type { RejectedRange } from '../catalogue/rejections.js';
import { RecordsTelemetry } from './records.telemetry.js';
import type { RejectedRecordEntity } from './rejected-record.entity.js';
import { type Origin, RejectedRecordsRepository } from './rejected-records.repository.js';

/** Time before its message at which a record without a valid time may lie; messages contain recent data. */
const BEFORE_A_MESSAGE_MS = 2 * DAY_MS;

/** First attempts are never this late, so only later ones look for rows of an earlier attempt. */
const AGAIN_MS = 60_000;

/** A message received `at` and processed `now`. */
export interface MessageRecords {
  /** `accounts.id`. */
  readonly account: number;
  readonly seq: number;
  readonly at: number;
  readonly now: number;
  readonly records: Records;
}

/**
 * Keeps upstream data that cannot be stored as records, unchanged and for as long as message bodies. Operators can see
 * it, its day is not reported complete, and a later version may be able to map it. `account` is `accounts.id`.
 */
@Injectable()
export class RejectedRecords {
  constructor(
    private readonly repository: RejectedRecordsRepository,
    private readonly telemetry: RecordsTelemetry,
  ) {}

  /** Stores rejections from messages and replaces those of earlier attempts at the same messages. */
  async ofMessages(tx: Tx, messages: readonly MessageRecords[]): Promise<void> {
    const late = messages.filter(({ at, now }) => now - at >= AGAIN_MS);
    const kept = await this.repository.ofMessages(
      tx,
      late.map(({ seq }) => seq),
    );
    for (const { account, seq, at, records } of messages) {
      const origin = { account, kind: 'message', ref: seq } as const;
      if (kept.has(seq)) await this.repository.forget(tx, origin);
      await this.store(tx, origin, records, { window: { start: at - BEFORE_A_MESSAGE_MS, end: at + 1 }, at });
    }
  }

  /** Stores rejections from a page of a pull, over the window of the pull. */
  async ofPage(
    tx: Tx,
    page: { account: number; task: number; window: TimeRange; at: number },
    records: Records,
  ): Promise<void> {
    const { account, task, window, at } = page;
    await this.store(tx, { account, kind: 'sync', ref: task }, records, { window, at });
  }

  /**
   * Call after a window was read completely: deletes its rejections last seen before `seenBefore`, because upstream has
   * deleted or corrected them.
   */
  windowRead(
    tx: Tx,
    stream: { account: number; provider: string; resource: string },
    window: TimeRange & { seenBefore: number },
  ): Promise<void> {
    return this.repository.forgetWithin(tx, stream, window);
  }

  /** Rejections of an account with range and reason. */
  ranges(account: number): Promise<RejectedRange[]> {
    return this.repository.ranges(account);
  }

  /** Number of rejections of a message or pull task, by reason. */
  reasonsOf(kind: Origin['kind'], ref: number): Promise<{ reason: string; count: number }[]> {
    return this.repository.reasonsOf(kind, ref);
  }

  private async store(
    tx: Tx,
    { account: account_id, kind, ref }: Origin,
    { resource, rejections }: Records,
    { window, at }: { window: TimeRange; at: number },
  ): Promise<void> {
    if (rejections.length === 0) return;
    const rows = rejections.map(({ provider, reason, time, raw, count }): RejectedRecordEntity => {
      const key = [kind === 'message' ? ref : null, resource.name, provider, raw ?? reason, raw === null];
      const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex');
      const place = { time_from: time ?? window.start, time_to: time ?? window.end - 1 };
      const origin = { kind, ref, seen_at: at };
      return { account_id, digest, resource: resource.name, provider, reason, ...place, count, raw, ...origin };
    });
    await this.repository.store(tx, rows);
    const way = kind === 'message' ? 'message' : 'page';
    tx.afterCommit(() => this.telemetry.rejected(resource.name, rejections, way));
  }
}
