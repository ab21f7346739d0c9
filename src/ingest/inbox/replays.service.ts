import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { MAX_MESSAGES_COUNTED } from '../streams/tuning.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import { InboxWorker } from './inbox.worker.js';
import { type MessageFilter, MessagesRepository } from './messages.repository.js';
import type { ReplayEntity } from './replay.entity.js';
import { ReplaysRepository } from './replays.repository.js';

export interface ReplayRequest extends Omit<MessageFilter, 'account'> {
  /** Upstream's message ids, instead of conditions. */
  readonly messageIds?: readonly string[] | undefined;
}

export interface ReplayCount {
  readonly count: number;
  /** Matching messages that cannot be replayed. */
  readonly withoutBody: number;
}

@Injectable()
export class Replays {
  /** Matches that a dry run counts; replaced by tests. */
  mostForecast = 50_000;

  constructor(
    private readonly lane: WriteLane,
    private readonly messages: MessagesRepository,
    private readonly replays: ReplaysRepository,
    private readonly worker: InboxWorker,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /**
   * Counts without storing anything, at most `mostForecast` messages; `more` is true if there are others. Throws
   * `invalid_request` without a condition, or for ids together with one.
   */
  async forecast(request: ReplayRequest): Promise<ReplayCount & { readonly more: boolean }> {
    const filter = await this.wanted(request);
    const range = { afterSeq: 0, lastSeq: await this.messages.lastSeq(), most: this.mostForecast + 1 };
    const { kept: count, gone: withoutBody } = await this.messages.countBodies(filter, range);
    return { count, withoutBody, more: count + withoutBody > this.mostForecast };
  }

  private async wanted({ messageIds, ...filter }: ReplayRequest): Promise<MessageFilter> {
    const hasFilter = Object.values(filter).some((value) => value !== undefined);
    if (hasFilter === (messageIds !== undefined)) {
      throw new AppError('invalid_request', 'Send at least one condition, or only `message_ids`.');
    }
    return messageIds === undefined ? filter : { seqs: await this.messages.seqsOf(messageIds) };
  }

  /** Counts all, in slices of the inbox, so that no statement takes long. */
  private async count(request: ReplayRequest): Promise<ReplayCount> {
    const filter = await this.wanted(request);
    const newest = await this.messages.lastSeq();
    let [count, withoutBody] = [0, 0];
    for (let afterSeq = 0; afterSeq < newest; afterSeq += MAX_MESSAGES_COUNTED) {
      const range = { afterSeq, lastSeq: afterSeq + MAX_MESSAGES_COUNTED, most: MAX_MESSAGES_COUNTED };
      const { kept, gone } = await this.messages.countBodies(filter, range);
      [count, withoutBody] = [count + kept, withoutBody + gone];
    }
    return { count, withoutBody };
  }

  /** Stores a replay, or returns a running one with the same filter. Throws like `forecast`. */
  async start(request: ReplayRequest): Promise<ReplayEntity> {
    const { messageIds, ...filter } = request;
    const { count: matched, withoutBody: without_body } = await this.count(request);
    const last_seq = await this.messages.lastSeq();
    const created_at = this.clock.now();
    const row = { matched, without_body, last_seq, created_at, replayed: 0 };
    const replay =
      messageIds === undefined
        ? await this.startMatching({ ...row, after_seq: 0, filter: JSON.stringify(filter) })
        : await this.startSelected({ ...row, after_seq: last_seq, filter: null }, messageIds);
    this.telemetry.replayStarted(replay);
    this.worker.wake();
    return replay;
  }

  /** Throws `not_found`. */
  async get(id: number): Promise<ReplayEntity> {
    return orNotFound(await this.replays.find(id), 'There is no such replay.');
  }

  /** Newest first. */
  async list({ cursor, limit }: { cursor?: string; limit: number }): Promise<Page<ReplayEntity>> {
    const [beforeId] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, ['number']);
    return pageOf(await this.replays.page(beforeId, limit + 1), limit, ({ id }) => [id]);
  }

  /** Stops queueing messages; those already queued are processed. Throws `not_found`. */
  async cancel(id: number): Promise<ReplayEntity> {
    await this.lane.run((tx) => this.replays.cancel(tx, id, this.clock.now()));
    this.worker.wake();
    return this.get(id);
  }

  private async startMatching(row: Parameters<ReplaysRepository['insert']>[1]): Promise<ReplayEntity> {
    const replay = await this.lane.run(
      async (tx) => (await this.replays.insert(tx, row)) ?? (await this.replays.openWith(tx, row.filter)),
    );
    if (!replay)
      throw new AppError('conflict', 'An identical replay has just finished; repeat the request to start a new one.');
    return replay;
  }

  /** Queues all messages immediately, because they are few and their ids are not stored. */
  private startSelected(
    row: Parameters<ReplaysRepository['insert']>[1],
    messageIds: readonly string[],
  ): Promise<ReplayEntity> {
    return this.lane.run(async (tx) => {
      const replay = await this.replays.insert(tx, row);
      if (!replay) throw new TypeError('a replay without a filter is always stored');
      const replayed = await this.messages.replaySelected(tx, replay.id, messageIds, row.created_at);
      await this.replays.change(tx, replay.id, { replayed });
      return { ...replay, replayed };
    });
  }
}
