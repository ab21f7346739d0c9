import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { Told, ToldColumns } from './told.js';

/** Records that a patient was informed. The first record stays: nothing here changes one. */
@Injectable()
export class ToldRepository {
  /** False if the redraw is recorded already, is not needed, or there is no such transaction. */
  async noteRedraw(tx: Tx, transactionId: string, { at, by, how }: Told): Promise<boolean> {
    const noted = await tx.rows(
      `UPDATE order_transactions SET told_at = ?, told_by = ?, told_how = ?
       WHERE order_transaction_id = ? AND needs = 'redraw' AND told_at IS NULL RETURNING order_transaction_id`,
      [at, by, how, transactionId],
    );
    return noted.length > 0;
  }

  async ofRedraw(tx: Tx, transactionId: string): Promise<ToldColumns | null> {
    const [row] = await tx.rows<ToldColumns>(
      'SELECT told_at, told_by, told_how FROM order_transactions WHERE order_transaction_id = ?',
      [transactionId],
    );
    return row ?? null;
  }

  /** Marks the critical results of an order of which the patient was not informed yet; false if there are none. */
  async noteCritical(tx: Tx, orderId: string, { at, by, how }: Told): Promise<boolean> {
    const noted = await tx.rows(
      `UPDATE critical_results SET told_at = ?, told_by = ?, told_how = ?
       WHERE order_id = ? AND told_at IS NULL RETURNING sample_id`,
      [at, by, how, orderId],
    );
    return noted.length > 0;
  }

  /** The last record of an order; null if it has no critical result. */
  async ofCritical(tx: Tx, orderId: string): Promise<ToldColumns | null> {
    const [row] = await tx.rows<ToldColumns>(
      'SELECT told_at, told_by, told_how FROM critical_results WHERE order_id = ? ORDER BY told_at DESC LIMIT 1',
      [orderId],
    );
    return row ?? null;
  }
}
