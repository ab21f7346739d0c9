import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { WorkerRegistry } from '../work/worker-registry.js';
import { InboxRepository } from './inbox.repository.js';
import type { MessageEntity } from './message.entity.js';
import { MessageProcessor } from './message.processor.js';

/**
 * The life of a message after its 204. Leases: work/leased-rows.ts.
 *
 *   (nothing)       --delivery, committed before the 204-->        received, due at once
 *   received, retry --claim: lease of 60 s, attempt counted-->     the same, leased
 *   leased          --effect and mark in one transaction-->        done
 *   leased          --nothing to do: unknown, foreign, ...-->      ignored, `reason` says why
 *   leased          --failed, to be tried again-->                 retry, due after a growing pause
 *                                                                  (message.processor.ts)
 *   leased          --buried: tries spent, or pointless-->         dead, `reason` says why
 *   leased          --the process is stopping-->                   as it was before the claim
 *   done, ignored, dead, retry --an operator replays it-->         retry, due at once, attempts from zero
 *
 * Crash while leased: nothing of the attempt is stored, since its effect is committed with its mark. The message is
 * due again when the lease ends, or at once when the store belongs to one process (SQLite) and that starts again.
 * Lease ran out and somebody else claimed: the mark finds another owner, and the late attempt rolls itself back.
 * Crash right after the commit: the message is done and is not processed again. A message that kills the process on
 * every attempt is claimed alone after the first, and is dead after the last, because the claim has counted it.
 *
 * A second delivery of a stored message changes nothing, in whatever state it is.
 */
const BATCH_SIZE = 50;
const INTERVAL_MS = 1_000;
/** Bodies held in memory at a time; one message may be as large as a delivery may be. */
const MAX_BYTES = 8 * 1_048_576;

@Injectable()
export class InboxWorker {
  readonly loop: WorkerLoop;
  /** Something is due, so the store need not be asked before the claim. */
  private isDue = false;

  constructor(
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    private readonly inbox: InboxRepository,
    private readonly processor: MessageProcessor,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.register({ name: 'inbox', everyMs: INTERVAL_MS, work: (signal) => this.round(signal) });
    workers.releaseAtStart(inbox.rows);
  }

  /** A hint that something is due now. Does nothing in a process whose workers were never started. */
  wake(): void {
    if (this.loop.lastTickAt === null) return;
    this.isDue = true;
    this.loop.tick();
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const claimed = await this.claim();
    let left = claimed;
    for (const part of partsOf(claimed)) {
      if (signal.aborted) {
        await this.release(left);
        return 'idle';
      }
      await this.processPart(part, signal);
      left = left.slice(part.length);
    }
    return claimed.length > 0 ? 'more' : 'idle';
  }

  private async claim(): Promise<readonly MessageEntity[]> {
    const now = this.clock.now();
    const isDue = this.isDue || (await this.inbox.rows.anyDue(this.reader, now));
    this.isDue = false;
    if (!isDue) return [];
    const claimed = await this.lane.run((tx) => this.inbox.rows.claim(tx, { now, limit: BATCH_SIZE }));
    if (claimed.length === BATCH_SIZE) this.isDue = true;
    return claimed;
  }

  private async processPart(part: readonly MessageEntity[], signal: AbortSignal): Promise<void> {
    const bodies = await this.inbox.bodies(part.map(({ seq }) => seq));
    await Promise.all(part.map((message) => this.processor.process(message, bodies.get(message.seq) ?? null, signal)));
  }

  private release(claimed: readonly MessageEntity[]): Promise<void> {
    return this.lane.run(async (tx) => {
      for (const message of claimed) await this.inbox.rows.release(tx, message);
    });
  }
}

/** Neighbours whose bodies fit into memory together. */
function* partsOf(claimed: readonly MessageEntity[]): Generator<MessageEntity[]> {
  let part: MessageEntity[] = [];
  let bytes = 0;
  for (const message of claimed) {
    if (part.length > 0 && bytes + message.size > MAX_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(message);
    bytes += message.size;
  }
  if (part.length > 0) yield part;
}
