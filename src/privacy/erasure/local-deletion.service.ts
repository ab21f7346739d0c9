import { Injectable } from '@nestjs/common';
import { type Account, AccountsService, upstreamNames } from '../../accounts/accounts/accounts.service.js';
import { readEnvelope } from '../../ingest/events/event.js';
import { MessagesService, type OwnerlessMessage } from '../../ingest/inbox/messages.service.js';
import { Clock } from '../../platform/platform/clock.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { PersonalTable } from '../../storage/declarations/personal-data.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasuresRepository } from './erasures.repository.js';
import { accountsTable, PersonalDataMap } from './personal-data-map.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';

/** Rows in one write job; larger jobs make webhooks wait. */
const SLICE = 500;
const BODIES_AT_ONCE = 20;

type Counts = Readonly<Record<string, number>>;

/**
 * Deletes the stored data of an account in slices, each counted on the receipt in its own transaction, so that a
 * crash loses no progress. Rows that were being written when the account was closed are deleted at the end, with the
 * account itself; from then on foreign keys refuse later rows.
 */
@Injectable()
export class LocalDeletion {
  constructor(
    private readonly lane: WriteLane,
    private readonly rows: PersonalRowsRepository,
    private readonly erasures: ErasuresRepository,
    private readonly accounts: AccountsService,
    private readonly messages: MessagesService,
    private readonly clock: Clock,
    private readonly map: PersonalDataMap,
  ) {}

  /** Deletes all but the two ids of the account. Throws `LeaseLost`, and the signal's reason between two slices. */
  async run(erasure: ErasureEntity, signal: AbortSignal): Promise<ErasureEntity> {
    let held = erasure;
    for (const personal of this.map.tables) {
      if (personal.table === accountsTable) continue;
      for (let before = -1; before !== deletedOf(held, personal.table); ) {
        signal.throwIfAborted();
        before = deletedOf(held, personal.table);
        held = await this.slice(held, personal);
      }
    }
    held = await this.ownerless(held, signal);
    const now = this.clock.now();
    return this.lane.run(async (tx) => {
      await this.accounts.anonymize(tx, held.account_ref, now);
      return this.erasures.rows.heartbeat(tx, held, now, {
        ...{ state: 'upstream', deleted_at: now, scrubbed_at: null },
      });
    });
  }

  /** Deletes the remaining rows and the account itself. Throws `LeaseLost`. */
  async finish(held: ErasureEntity): Promise<ErasureEntity> {
    const now = this.clock.now();
    return this.lane.run(async (tx) => {
      let counts: Counts = countsOf(held);
      for (const personal of this.map.tables) {
        for (let deleted = -1; deleted !== 0; ) {
          deleted = await this.rows.deleteSome(tx, personal, held.account_ref, SLICE);
          counts = added(counts, personal.table, deleted);
        }
      }
      const change = { state: 'waiting', upstream_at: now, scrubbed_at: null, counts: JSON.stringify(counts) } as const;
      return this.erasures.rows.heartbeat(tx, held, now, change);
    });
  }

  private slice(held: ErasureEntity, personal: PersonalTable): Promise<ErasureEntity> {
    return this.lane.run(async (tx) => {
      const deleted = await this.rows.deleteSome(tx, personal, held.account_ref, SLICE);
      return deleted === 0 ? held : this.counted(tx, held, personal.table, deleted);
    });
  }

  /**
   * Deletes the person's messages that arrived before their owner was known or that could not be read: found by the
   * upstream id in their bytes, by the customer's id in their envelope, or in bytes that are not an envelope.
   */
  private async ownerless(erasure: ErasureEntity, signal: AbortSignal): Promise<ErasureEntity> {
    let held = erasure;
    const account = await this.accounts.findById(held.account_ref);
    if (!account) return held;
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const messages = await this.messages.ownerless(after, BODIES_AT_ONCE);
      const last = messages.at(-1);
      if (!last) return held;
      after = last.seq;
      const found = messages.filter((message) => isAbout(message, account)).map(({ seq }) => seq);
      if (found.length === 0) continue;
      held = await this.lane.run(async (tx) =>
        this.counted(tx, held, 'messages', await this.messages.delete(tx, found)),
      );
    }
  }

  private counted(tx: Tx, held: ErasureEntity, table: string, deleted: number): Promise<ErasureEntity> {
    const counts = JSON.stringify(added(countsOf(held), table, deleted));
    return this.erasures.rows.heartbeat(tx, held, this.clock.now(), { state: 'deleting', counts });
  }
}

/** Rows deleted so far, by table. */
export function countsOf({ counts }: Pick<ErasureEntity, 'counts'>): Counts {
  return JSON.parse(counts) as Counts;
}

function deletedOf(held: ErasureEntity, table: string): number {
  return countsOf(held)[table] ?? 0;
}

function added(counts: Counts, table: string, deleted: number): Counts {
  return deleted === 0 ? counts : { ...counts, [table]: (counts[table] ?? 0) + deleted };
}

function isAbout({ body }: OwnerlessMessage, account: Account): boolean {
  const { upstream_user_id: userId } = account;
  if (userId !== null && body.toString('latin1').toLowerCase().includes(userId)) return true;
  const event = readEnvelope(body);
  const names = upstreamNames(account);
  if (event.kind === 'event') return names.some((name) => event.envelope.clientUserId === name);
  // An unreadable body names the person if it contains an id as a JSON string.
  return names.some((name) => body.includes(JSON.stringify(name)));
}
