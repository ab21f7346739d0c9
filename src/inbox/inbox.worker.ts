import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { type Claimed, InboxRepository } from './inbox.repository.js';
import { MessageProcessor } from './message.processor.js';

/**
 * The life of a message after its 204.
 *
 *   (nothing)       --delivery, committed before the 204-->        received, due at once
 *   received, retry --claim: lease of 60 s, attempt counted-->     the same, leased
 *   leased          --effect and mark in one transaction-->        done
 *   leased          --nothing to do: unknown, foreign, ...-->      ignored, `reason` says why
 *   leased          --failed, to be tried again-->                 retry, due after a growing pause (message.processor.ts)
 *   leased          --given up, or pointless to repeat-->          dead, `reason` says why
 *   leased          --the process is stopping-->                   as it was before the claim
 *   done, ignored, dead, retry --an operator replays it-->         retry, due at once, attempts from zero
 *
 * Crash while leased: nothing of the attempt is stored, since its effect is committed with its mark. The message is
 * due again when the lease ends, or at once when the store belongs to one process (SQLite) and that starts again.
 * Lease ran out and somebody else claimed: the mark finds another owner, and the late attempt rolls itself back.
 * Crash right after the commit: the message is done and is not processed again. A message that kills the process on
 * every attempt is dead after the last, because the claim has counted it.
 *
 * A second delivery of a stored message changes nothing, in whatever state it is.
 */
const LEASE_MS = 60_000;
const BATCH_SIZE = 50;
const INTERVAL_MS = 1_000;
/** Bodies held in memory at a time; one message may be as large as a delivery may be. */
const MAX_BYTES = 8 * 1_048_576;

@Injectable()
export class InboxWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();
  private started = false;

  constructor(
    private readonly lane: WriteLane,
    private readonly inbox: InboxRepository,
    private readonly processor: MessageProcessor,
    private readonly clock: Clock,
    loops: Loops,
  ) {
    this.loop = loops.make('inbox', INTERVAL_MS, (signal) => this.round(signal));
  }

  /** A hint that something is due now. Does nothing in a process whose workers were never started. */
  wake(): void {
    if (this.loop.lastTickAt !== null) this.loop.tick();
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

  private claim(): Promise<Claimed[]> {
    const now = this.clock.now();
    return this.lane.run(async (tx) => {
      if (!this.started && tx.dialect === 'sqlite') await this.inbox.releaseOthers(tx, this.owner);
      const claimed = await this.inbox.claim(tx, { owner: this.owner, now, until: now + LEASE_MS }, BATCH_SIZE);
      this.started = true;
      return claimed;
    });
  }

  private async processPart(part: readonly Claimed[], signal: AbortSignal): Promise<void> {
    const bodies = await this.inbox.bodies(part.map(({ seq }) => seq));
    await Promise.all(part.map((message) => this.processor.process(message, bodies.get(message.seq) ?? null, signal)));
  }

  private release(claimed: readonly Claimed[]): Promise<void> {
    return this.lane.run((tx) => this.inbox.release(tx, claimed));
  }
}

/** Neighbours whose bodies fit into memory together. */
function* partsOf(claimed: readonly Claimed[]): Generator<Claimed[]> {
  let part: Claimed[] = [];
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
