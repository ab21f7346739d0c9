import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { PersonalTable } from '../../storage/declarations/personal-data.js';
import { MAX_ROWS_A_JOB } from '../access-log/tuning.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasuresRepository } from './erasures.repository.js';
import { OwnerlessMessages } from './ownerless-messages.js';
import { accountsTable, PersonalDataMap } from './personal-data-map.js';
import { PersonalRowsRepository } from './personal-rows.repository.js';

type Counts = Readonly<Record<string, number>>;

/**
 * Deletes the stored data of an account in slices. The transaction of each slice adds to the counts on the receipt, so
 * that a crash loses no progress. Rows that were being written when the account was closed are deleted at the end, with
 * the account itself; from then on, foreign keys refuse later rows.
 */
@Injectable()
export class LocalDeletion {
  constructor(
    private readonly lane: WriteLane,
    private readonly rows: PersonalRowsRepository,
    private readonly erasures: ErasuresRepository,
    private readonly accounts: AccountsService,
    private readonly messages: OwnerlessMessages,
    private readonly map: PersonalDataMap,
  ) {}

  /** Deletes all but the two ids of the account. Throws `LeaseLost`, and the signal's reason if it aborts. */
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
    return this.lane.run(async (tx) => {
      const { now } = tx;
      await this.accounts.anonymize(tx, held.account_ref, now);
      await noteChanges(tx, [erased(held.account_ref)], now);
      return this.erasures.rows.heartbeat(tx, held, now, {
        state: 'upstream',
        deleted_at: now,
        scrubbed_at: null,
      });
    });
  }

  /** Deletes the remaining rows and the account itself. Throws `LeaseLost`. */
  async finish(held: ErasureEntity): Promise<ErasureEntity> {
    return this.lane.run(async (tx) => {
      const { now } = tx;
      let counts: Counts = countsOf(held);
      for (const personal of this.map.tables) {
        for (let deleted = -1; deleted !== 0; ) {
          deleted = await this.rows.deleteSome(tx, personal, held.account_ref, MAX_ROWS_A_JOB);
          counts = added(counts, personal.table, deleted);
        }
      }
      const change = { state: 'waiting', upstream_at: now, scrubbed_at: null, counts: JSON.stringify(counts) } as const;
      return this.erasures.rows.heartbeat(tx, held, now, change);
    });
  }

  private slice(held: ErasureEntity, personal: PersonalTable): Promise<ErasureEntity> {
    return this.lane.run(async (tx) => {
      const deleted = await this.rows.deleteSome(tx, personal, held.account_ref, MAX_ROWS_A_JOB);
      return deleted === 0 ? held : this.counted(tx, held, personal.table, deleted);
    });
  }

  /** Deletes the person's messages that belong to no account. */
  private async ownerless(erasure: ErasureEntity, signal: AbortSignal): Promise<ErasureEntity> {
    let held = erasure;
    for await (const found of this.messages.find(erasure, signal)) {
      held = await this.lane.run(async (tx) =>
        this.counted(tx, held, 'messages', await this.messages.delete(tx, found)),
      );
    }
    return held;
  }

  private counted(tx: Tx, held: ErasureEntity, table: string, deleted: number): Promise<ErasureEntity> {
    const counts = JSON.stringify(added(countsOf(held), table, deleted));
    return this.erasures.rows.heartbeat(tx, held, tx.now, { state: 'deleting', counts });
  }
}

/** The change that reports an erasure. It belongs to no account, so it outlives the person's other changes. */
function erased(accountRef: number): NewChange {
  return { kind: 'erasure', action: 'created', account: null, subject: String(accountRef) };
}

/** Number of rows deleted so far, by table. */
export function countsOf({ counts }: Pick<ErasureEntity, 'counts'>): Counts {
  return JSON.parse(counts) as Counts;
}

function deletedOf(held: ErasureEntity, table: string): number {
  return countsOf(held)[table] ?? 0;
}

function added(counts: Counts, table: string, deleted: number): Counts {
  return deleted === 0 ? counts : { ...counts, [table]: (counts[table] ?? 0) + deleted };
}
