import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { MAX_REPLAYED_A_TURN } from '../streams/tuning.js';
import { InboxTelemetry } from './inbox.telemetry.js';
import type { MessageStatus } from './message.entity.js';
import { type MessageFilter, MessagesRepository } from './messages.repository.js';
import type { ReplayEntity } from './replay.entity.js';
import { ReplaysRepository } from './replays.repository.js';

/*
 * Replays many messages in slices, so that a new delivery waits for few of them.
 *
 *   (none)      --requested-->            running     an identical running replay absorbs the request
 *   running     --turn-->                 running     tried messages are counted; the next ones become due once few are
 *                                                     untried
 *   running     --cancelled-->            cancelling  no more messages become due
 *   running     --all have been tried-->  done
 *   cancelling  --all have been tried-->  cancelled
 *
 * `messages.replay_id` marks the untried messages. A turn is one transaction under the lock of the replay's row, so
 * after a crash the next process continues from the last turn. Replays run one after another.
 */

@Injectable()
export class ReplayTurn {
  constructor(
    private readonly lane: WriteLane,
    private readonly replays: ReplaysRepository,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
    private readonly telemetry: InboxTelemetry,
  ) {}

  /** Takes a turn; false if there was nothing to do. */
  async take(): Promise<boolean> {
    if (!(await this.replays.anyOpen())) return false;
    const turn = await this.lane.run(async (tx) => {
      const replay = await this.replays.next(tx);
      return replay && this.advance(tx, replay);
    });
    if (!turn) return false;
    if (turn.finished_at !== null) this.telemetry.replayFinished(turn);
    return true;
  }

  /** Null if nothing changed. */
  private async advance(tx: Tx, replay: ReplayEntity): Promise<ReplayEntity | null> {
    const now = this.clock.now();
    const tried = await this.messages.takeTried(tx, replay.id);
    const untried = await this.messages.untriedOf(tx, replay.id);
    const isRunning = replay.cancelled_at === null && replay.after_seq < replay.last_seq;
    if (tried.length === 0 && untried > 0 && (!isRunning || untried > MAX_REPLAYED_A_TURN / 2)) return null;
    const fed = isRunning && untried <= MAX_REPLAYED_A_TURN / 2 ? await this.feed(tx, replay, now) : null;
    const isOver = untried === 0 && (fed ? fed.replayed === replay.replayed : true);
    const count = (status: MessageStatus): number => tried.filter((one) => one === status).length;
    const change = {
      ...fed,
      applied: replay.applied + count('done'),
      ignored: replay.ignored + count('ignored'),
      retrying: replay.retrying + count('retry'),
      failed: replay.failed + count('dead'),
      finished_at: isOver ? now : null,
    };
    await this.replays.change(tx, replay.id, change);
    return { ...replay, ...change };
  }

  private async feed(
    tx: Tx,
    { id, filter, after_seq: afterSeq, last_seq: lastSeq, replayed, created_at: at }: ReplayEntity,
    now: number,
  ): Promise<Pick<ReplayEntity, 'after_seq' | 'replayed'>> {
    const conditions = JSON.parse(filter ?? '{}') as MessageFilter;
    const seqs = await this.messages.replayNext(tx, conditions, {
      ...{ replay: id, afterSeq, lastSeq, at },
      ...{ limit: MAX_REPLAYED_A_TURN, now },
    });
    const isLast = seqs.length < MAX_REPLAYED_A_TURN;
    return { after_seq: isLast ? lastSeq : (seqs.at(-1) ?? lastSeq), replayed: replayed + seqs.length };
  }
}
