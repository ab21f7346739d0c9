import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { Restriction } from '../../storage/work/leased-rows.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { LONG_BYTES } from '../events/event.js';
import { OwnerLookupsRepository } from '../events/owner-lookups.repository.js';
import {
  INBOX_EVERY_MS,
  MAX_BYTES_TOGETHER,
  MAX_LOOKUPS_ENDED,
  MAX_MESSAGES_CLAIMED,
  MAX_MESSAGES_RELEASED,
  MAX_MESSAGES_TOGETHER,
} from '../streams/tuning.js';
import { InboxRepository } from './inbox.repository.js';
import type { MessageEntity } from './message.entity.js';
import { MessageProcessor } from './message.processor.js';
import { ReplayTurn } from './replay-turn.js';

/*
 * The life of a message after its 204. Leases: work/leased-rows.ts.
 *
 *   (nothing)       --delivery, committed before the 204-->        received, due immediately
 *   received, retry --claim: under a lease, attempt counted-->      the same, leased
 *   leased          --its user is not known here-->                retry, not due: a lookup is requested
 *   retry, not due  --the lookup has ended-->                      retry, due immediately
 *   leased          --effect and outcome in one transaction-->     done
 *   leased          --nothing to do: unknown, foreign, ...-->      ignored, see `reason`
 *   leased          --failed, to be retried-->                     retry, due after a growing pause
 *                                                                  (message.outcomes.ts)
 *   leased          --buried: no attempts left, or pointless-->    dead, see `reason`
 *   leased          --the process is stopping-->                   as before the claim
 *   done, ignored, dead, retry --an operator replays it-->         retry, due immediately, attempts from zero
 *
 * Crash while leased: the attempt has no effect, because effect and outcome are committed together. The message is due
 * again when its lease expires; on SQLite, where only one process uses the database, already at the next start.
 * If the lease expired and another process claimed the message, the late attempt finds another owner and rolls back.
 * Crash right after the commit: the message is done and not processed again. A message that kills the process on every
 * attempt is claimed alone after the first attempt, delayed from the second on so that others get their turn, and dead
 * after the fifth.
 *
 * A second delivery of a stored message changes nothing, whatever its state.
 */

/** Short and long messages have separate loops, so that short ones never wait for a long one. */
class Share {
  /** True if a message is known to be due, so the claim need not check first. */
  isDue = false;

  constructor(
    readonly worker: 'inbox' | 'inbox-long',
    readonly only: Restriction,
    readonly limit: number,
  ) {}
}

@Injectable()
export class InboxWorker {
  readonly loop: WorkerLoop;
  readonly longLoop: WorkerLoop;
  private readonly short = new Share('inbox', { where: `size <= ${LONG_BYTES}`, values: [] }, MAX_MESSAGES_CLAIMED);
  private readonly long = new Share('inbox-long', { where: `size > ${LONG_BYTES}`, values: [] }, 1);

  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly lookups: OwnerLookupsRepository,
    private readonly processor: MessageProcessor,
    private readonly replays: ReplayTurn,
    private readonly clock: Clock,
    private readonly workers: WorkerRegistry,
  ) {
    this.loop = workers.register({
      name: this.short.worker,
      everyMs: INBOX_EVERY_MS,
      work: (signal) => this.round(signal),
    });
    this.longLoop = workers.register({
      name: this.long.worker,
      everyMs: INBOX_EVERY_MS,
      work: async (signal) => ((await this.work(this.long, signal)) > 0 ? 'more' : 'idle'),
    });
    workers.releaseAtStart(inbox.rows);
  }

  /** Call when a message of `bytes`, or of any size, is due now. */
  wake(bytes?: number): void {
    if (bytes === undefined || bytes <= LONG_BYTES) this.loop.wake();
    if (bytes === undefined || bytes > LONG_BYTES) this.longLoop.wake();
  }

  /** Processes due messages even if lookups or replays fail. */
  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    let released = 0;
    let isReplaying = false;
    let claimed = 0;
    try {
      released = await this.letGo();
      isReplaying = await this.replays.take();
      if (isReplaying) this.longLoop.wake();
    } finally {
      claimed = await this.work(this.short, signal);
    }
    return isReplaying || released + claimed > 0 ? 'more' : 'idle';
  }

  /** Makes messages due whose lookup has ended. A lookup that was requested again stays open. */
  private async letGo(): Promise<number> {
    const answered = await this.lookups.answered(MAX_LOOKUPS_ENDED);
    const slice = { now: this.clock.now(), limit: MAX_MESSAGES_RELEASED };
    for (const lookup of answered) {
      await this.lane.run(async (tx) => {
        const count = await this.inbox.letGo(tx, lookup, slice);
        if (count < slice.limit) await this.lookups.close(tx, lookup);
      });
    }
    if (answered.length > 0) this.short.isDue = true;
    return answered.length;
  }

  /** Claims and processes due messages; returns the number of claimed ones. Releases those that were not processed. */
  private async work(share: Share, signal: AbortSignal): Promise<number> {
    const claimed = await this.claim(share);
    const { leases } = this.workers;
    const holding = leases.hold(this.inbox.rows, claimed, { worker: share.worker });
    const open = new Set(claimed);
    try {
      for (const part of partsOf(claimed)) {
        if (signal.aborted) {
          await this.release([...open]);
          open.clear();
          return 0;
        }
        await this.processPart(part, signal);
        for (const message of part) open.delete(message);
      }
    } finally {
      holding.end();
      for (const message of open) leases.giveBack(this.inbox.rows, message);
    }
    return claimed.length;
  }

  private async claim(share: Share): Promise<readonly MessageEntity[]> {
    const { only, limit } = share;
    const now = this.clock.now();
    const isDue = share.isDue || (await this.inbox.anyDue(now, only));
    share.isDue = false;
    if (!isDue) return [];
    const claimed = await this.lane.run((tx) => this.inbox.rows.claim(tx, { now, limit, only }));
    if (claimed.length === limit) share.isDue = true;
    return claimed;
  }

  private async processPart(part: readonly MessageEntity[], signal: AbortSignal): Promise<void> {
    const bodies = await this.inbox.bodies(part.map(({ seq }) => seq));
    const claimed = part.map((message) => ({ message, body: bodies.get(message.seq) ?? null }));
    await this.processor.process(claimed, signal);
  }

  private release(claimed: readonly MessageEntity[]): Promise<void> {
    return this.lane.run(async (tx) => {
      for (const message of claimed) await this.inbox.rows.release(tx, message);
    });
  }
}

/** Splits claimed messages into parts that are processed together. */
function* partsOf(claimed: readonly MessageEntity[]): Generator<MessageEntity[]> {
  let part: MessageEntity[] = [];
  let bytes = 0;
  for (const message of claimed) {
    if (part.length === MAX_MESSAGES_TOGETHER || (part.length > 0 && bytes + message.size > MAX_BYTES_TOGETHER)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(message);
    bytes += message.size;
  }
  if (part.length > 0) yield part;
}
