import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { OrdersRepository } from './orders.repository.js';
import { lossOf, redrawChain } from './redraw-chain.js';

/** Who recorded that what had come to nothing was replaced, and when; epoch milliseconds. */
export interface Replacement {
  readonly at: number;
  /** Name of the operator's key. */
  readonly by: string;
  /** True if it was recorded before, for the same loss. */
  readonly replayed: boolean;
}

/**
 * Records that a lost sample or kit was replaced, sent again, or that the case was closed with the patient. This ends
 * the need of the transaction; another loss, also of the same order, is a need again.
 */
@Injectable()
export class Replacements {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws `not_found`, and `conflict` if nothing of the transaction has to be replaced. */
  async record(transactionId: string, by: string): Promise<Replacement> {
    const now = this.clock.now();
    const recorded = await this.lane.run((tx) => this.recordIn(tx, transactionId, { by, now }));
    if (!recorded.replayed) this.log.event('order.replaced', { order_transaction_ref: transactionId });
    return recorded;
  }

  private async recordIn(tx: Tx, id: string, { by, now }: { by: string; now: number }): Promise<Replacement> {
    await this.orders.lockOwner(tx, { scope: 'transaction', id });
    const stored = orNotFound(await this.orders.findTransaction(tx, id), 'There is no such order transaction.');
    const orders = await this.orders.ordersOf(tx, id);
    const { account_id: account, status, replaced_loss, replaced_at, replaced_by } = stored;
    if (redrawChain(status, orders, replaced_loss).needs !== 'replace') {
      if (replaced_loss === null || replaced_at === null || replaced_by === null) {
        throw new AppError(
          'conflict',
          'Nothing of this transaction has to be replaced, so there is nothing to record.',
        );
      }
      return { at: replaced_at, by: replaced_by, replayed: true };
    }
    await this.orders.saveReplacement(tx, id, { loss: lossOf(orders), by, at: now });
    if (account !== null) {
      await noteChanges(tx, [{ kind: 'order_transaction', action: 'changed', account, subject: id }], now);
    }
    return { at: now, by, replayed: false };
  }
}
