import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamNames } from '../../accounts/accounts/pseudonyms.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { digestOf } from '../../accounts/erasure-guard/open-accounts.js';
import { readEnvelope } from '../../ingest/events/event.js';
import { isGzip, namedIdsIn } from '../../ingest/events/named-ids.js';
import { MessagesService } from '../../ingest/inbox/messages.service.js';
import { inTurns } from '../../platform/platform/event-loop.js';
import type { Tx } from '../../storage/database/tx.js';
import { MAX_BODIES_A_READ } from '../access-log/tuning.js';
import type { ErasureEntity } from './erasure.entity.js';

/** Messages about a person that arrived before their owner was known, or that could not be read. */
@Injectable()
export class OwnerlessMessages {
  constructor(
    private readonly accounts: AccountsService,
    private readonly guard: ErasureGuard,
    private readonly messages: MessagesService,
  ) {}

  /**
   * Finds them by the ids of the user and orders in the body, or by the account's name at upstream in the field for it
   * or, if the body is not an event, anywhere. Yields their numbers, some at a time.
   */
  async *find({ id, account_ref }: ErasureEntity, signal: AbortSignal): AsyncGenerator<readonly number[]> {
    const account = await this.accounts.findById(account_ref);
    if (!account) return;
    const digests = new Set(await this.guard.digestsOf(id));
    const names = upstreamNames(account);
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const messages = await this.messages.ownerless(after, MAX_BODIES_A_READ);
      const last = messages.at(-1);
      if (!last) return;
      after = last.seq;
      const found: number[] = [];
      for (const { seq, body } of messages) if (await this.isAbout(body, digests, names)) found.push(seq);
      if (found.length > 0) yield found;
    }
  }

  delete(tx: Tx, found: readonly number[]): Promise<number> {
    return this.messages.delete(tx, found);
  }

  /** A body that is not an event is about the person even if it only contains a name as a JSON string. */
  private async isAbout(body: Buffer, digests: ReadonlySet<string>, names: readonly string[]): Promise<boolean> {
    // It could not be unpacked, so it may name anybody, and no replay of it can be ruled out.
    if (isGzip(body)) return true;
    const { uuids, clientUserIds } = await inTurns(namedIdsIn(body));
    if ([...uuids].some((id) => digests.has(digestOf(id)))) return true;
    if (names.some((name) => clientUserIds.has(name))) return true;
    return readEnvelope(body).kind !== 'event' && names.some((name) => body.includes(JSON.stringify(name)));
  }
}
