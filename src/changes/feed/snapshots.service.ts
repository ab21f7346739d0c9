import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { FeedAccess } from './feed-access.service.js';
import { FeedEntries } from './feed-entries.service.js';
import { SubjectWalk } from './subject-walk.js';
import { MAX_SNAPSHOT_READ_AHEAD_BYTES } from './tuning.js';

/**
 * The current state as JSON lines: a position, every subject, and an end line. Changes made while it is read also
 * follow the position in the feed, so a consumer misses nothing. No transaction stays open.
 */
@Injectable()
export class Snapshots {
  constructor(
    private readonly log: ChangeLog,
    private readonly subjects: SubjectWalk,
    private readonly access: FeedAccess,
    private readonly entries: FeedEntries,
    private readonly accesses: ValueAccesses,
    private readonly turns: ReadTurns,
  ) {}

  /**
   * `kinds`: undefined for all that the caller may read. `account`: `accounts.id`; undefined for all accounts. Throws
   * like `FeedAccess.scopeOf`.
   */
  async open(
    kinds: readonly ChangeKind[] | undefined,
    account: number | undefined,
    reply: FastifyReply,
  ): Promise<Readable> {
    const { request } = reply;
    const scope = await this.access.scopeOf(request, kinds);
    const position = cursorOf(await this.log.newest());
    const lines = this.lines(position, [...new Set(scope.kinds)], account, request);
    return Readable.from(this.turns.each(reply, lines), {
      objectMode: false,
      highWaterMark: MAX_SNAPSHOT_READ_AHEAD_BYTES,
    });
  }

  private async *lines(
    position: string,
    kinds: readonly ChangeKind[],
    account: number | undefined,
    request: FastifyRequest,
  ): AsyncGenerator<string> {
    yield lineOf({ type: 'position', position, kinds });
    let count = 0;
    for (const kind of kinds) {
      const recorded = new Set<number>();
      for await (const subjects of this.subjects.pages(kind, account)) {
        const { values } = await this.access.scopeOf(request, kinds);
        const owners = [...new Set(subjects.flatMap((one) => one.account ?? []))];
        const names = await this.entries.namesOf(owners);
        const present = subjects.filter(({ account: owner }) => owner === null || names.has(owner));
        if (values) {
          await this.accesses.record(
            request,
            owners.filter((owner) => !recorded.has(owner)),
          );
          for (const owner of owners) recorded.add(owner);
        }
        count += present.length;
        const text = present.map(({ key: _, account: ref, data, ...subject }) =>
          lineOf({
            ...{ type: 'state', kind, account_id: ref === null ? null : names.get(ref), account_ref: ref },
            ...subject,
            ...(values ? { data } : {}),
          }),
        );
        if (text.length > 0) yield text.join('');
      }
    }
    yield lineOf({ type: 'end', position, count });
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
