import { Injectable } from '@nestjs/common';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import { type ClaimedMessage, InboxRepository } from './inbox.repository.js';
import { MessageProcessor } from './message.processor.js';

/**
 * The life of a message after its 204.
 *
 *   (nothing)       --delivery, committed before the 204-->        received, due at once
 *   received, retry --claim: lease of 60 s, attempt counted-->     the same, leased
 *   leased          --effect and mark in one transaction-->        done
 *   leased          --nothing to do: unknown, foreign, ...-->      ignored, `reason` says why
 *   leased          --failed, to be tried again-->                 retry, due after a pause that grows (failure.ts)
 *   leased          --given up, or pointless to repeat-->          dead, `reason` says why
 *   leased          --the process is stopping-->                   as it was before the claim
 *   done, ignored, dead, retry --an operator replays it-->         retry, due at once, attempts from zero
 *
 * Crash while leased: nothing of the attempt is stored, since its effect is committed with its mark. The message is
 * due again when the lease ends, or at once when the store belongs to one process (SQLite) and that starts again.
 * Lease ran out and somebody else claimed: the mark finds another owner, and the late attempt rolls itself back.
 * Crash after the commit and before anyone heard of it: the message is done and is not looked at again. A message
 * that kills the process on every attempt is dead after the last, because the claim has counted it.
 *
 * A second delivery of a stored message changes nothing, in whatever state it is.
 */
const leaseMs = 60_000;
const batchSize = 50;
const everyMs = 1_000;
/** Bodies held in memory at a time; one message may be as large as a delivery may be. */
const mostBytes = 8 * 1_048_576;

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
    this.loop = loops.make('inbox', everyMs, (signal) => this.round(signal));
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

  private claim(): Promise<ClaimedMessage[]> {
    const now = this.clock.now();
    return this.lane.run(async (tx) => {
      if (!this.started && tx.dialect === 'sqlite') await this.inbox.releaseOthers(tx, this.owner);
      const claimed = await this.inbox.claim(tx, { owner: this.owner, now, until: now + leaseMs }, batchSize);
      this.started = true;
      return claimed;
    });
  }

  private async processPart(part: readonly ClaimedMessage[], signal: AbortSignal): Promise<void> {
    const bodies = await this.inbox.bodies(part.map(({ seq }) => seq));
    const round = { owner: this.owner, signal };
    await Promise.all(part.map((message) => this.processor.process(message, bodies.get(message.seq) ?? null, round)));
  }

  private release(claimed: readonly ClaimedMessage[]): Promise<void> {
    const seqs = claimed.map(({ seq }) => seq);
    return this.lane.run((tx) => this.inbox.release(tx, seqs, this.owner));
  }
}

/** Neighbours whose bodies fit into memory together. */
function* partsOf(claimed: readonly ClaimedMessage[]): Generator<ClaimedMessage[]> {
  let part: ClaimedMessage[] = [];
  let bytes = 0;
  for (const message of claimed) {
    if (part.length > 0 && bytes + message.size > mostBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(message);
    bytes += message.size;
  }
  if (part.length > 0) yield part;
}
