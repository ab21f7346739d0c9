import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccount } from '../../accounts/accounts/account-sql.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { HeldDeletionEntity, HoldState } from '../records/missing-record.entity.js';

/** A hold with the customer's id of the account. */
export type ShownHold = HeldDeletionEntity & { readonly account: string };

export interface HoldFilter {
  readonly account_id?: string | undefined;
  readonly provider?: string | undefined;
  readonly resource?: string | undefined;
  readonly state?: HoldState | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

const shown = `SELECT h.*, ${externalIdColumn} AS account FROM held_deletions h ${joinAccount('h.account_id')}`;

/** The held_deletions table; missing-records.repository.ts opens holds. */
@Injectable()
export class HeldDeletionsRepository {
  constructor(private readonly reader: Reader) {}

  find(id: number): Promise<ShownHold | null> {
    return this.reader.row(`${shown} WHERE h.id = ?`, [id]);
  }

  page({ account_id, provider, resource, state, beforeId, limit }: HoldFilter): Promise<ShownHold[]> {
    const conditions = new Conditions()
      .add(`${externalIdColumn} = ?`, account_id)
      .add('h.provider = ?', provider)
      .add('h.resource = ?', resource)
      .add('h.state = ?', state)
      .add('h.id < ?', beforeId);
    return this.reader.rows(`${shown} ${conditions.where} ORDER BY h.id DESC LIMIT ?`, [...conditions.values, limit]);
  }

  /** Does nothing to a hold that is not open. */
  async decide(
    tx: Tx,
    id: number,
    { state, by, reason, now }: { state: 'released' | 'rejected'; by: string; reason: string; now: number },
  ): Promise<void> {
    const decided = await tx.execute(
      `UPDATE held_deletions SET state = ?, decided_at = ?, decided_by = ?, reason = ? WHERE id = ? AND state = 'open'`,
      [state, now, by, reason, id],
    );
    if (decided === 0) return;
    const isReleased = state === 'released';
    await tx.execute(
      `UPDATE missing_records SET state = ?, look_due_at = ?, looks = 0 WHERE hold_id = ? AND state = 'held'`,
      [isReleased ? 'candidate' : 'kept', isReleased ? now : null, id],
    );
  }
}
