import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Admission } from './admission.service.js';

/**
 * Turns at the database for callers of long responses, such as streams, snapshots and exports, which hold no slot while
 * they are sent. Only waiting is free: each part is read in a turn, and callers take turns. Never ask for a turn within
 * a turn: both could wait for each other.
 */
@Injectable()
export class ReadTurns {
  constructor(private readonly admission: Admission) {}

  /** Runs `work` in a turn of the caller. Throws `caller_left`, and `busy` if too many wait. */
  async run<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.admission.turn(reply.request, reply);
    try {
      // A stream asks for its parts in the context of its connection.
      return await this.admission.within(reply.request, work);
    } finally {
      giveBack();
    }
  }

  /** The same parts, each of which is made in a turn; none is held while the caller receives a part. */
  async *each<T>(reply: FastifyReply, parts: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        const step = await this.run(reply, () => parts.next());
        if (step.done) return;
        yield step.value;
      }
    } finally {
      await parts.return(undefined);
    }
  }
}
