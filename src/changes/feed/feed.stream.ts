import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { leftSignal } from '../../http/server/caller-left.js';
import { ChangeTail } from '../../storage/change-log/change-tail.js';
import type { ChangeDto } from './feed.dto.js';
import { Feed, type Followed } from './feed.service.js';
import { HEARTBEAT_MS, MAX_EVENTS_READ_AHEAD_BYTES, MAX_STALLED_MS } from './tuning.js';

/** The feed as server-sent events. A page is read only after the client has received the previous one. */
@Injectable()
export class FeedStream {
  constructor(
    private readonly feed: Feed,
    private readonly tail: ChangeTail,
  ) {}

  open(followed: Followed, reply: FastifyReply): Readable {
    return Readable.from(this.events(followed, reply), {
      objectMode: false,
      highWaterMark: MAX_EVENTS_READ_AHEAD_BYTES,
    });
  }

  private async *events(followed: Followed, reply: FastifyReply): AsyncGenerator<string> {
    const left = leftSignal(reply.request.raw, reply.raw);
    let after = followed.after;
    let text = 'retry: 2000\n\n';
    while (!left.aborted && !this.tail.isClosed) {
      if (text !== '') {
        const stalled = setTimeout(() => reply.raw.destroy(), MAX_STALLED_MS).unref();
        yield text;
        clearTimeout(stalled);
      }
      const { page, next } = await this.feed.read({ ...followed, after }, HEARTBEAT_MS, reply);
      after = next;
      text = page.data.map(eventOf).join('') || `event: heartbeat\nid: ${page.next}\ndata: {}\n\n`;
    }
  }
}

function eventOf(change: ChangeDto): string {
  return `event: change\nid: ${change.cursor}\ndata: ${JSON.stringify(change)}\n\n`;
}
