import { Injectable } from '@nestjs/common';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { type CriticalRef, noteCritical, returningCritical } from './lab-events.repository.js';
import type { NotificationColumns, PatientNotification } from './patient-notification.js';

/** Records that a patient was informed. A record is never changed. */
@Injectable()
export class PatientNotificationsRepository {
  /** False if there is already a record, no redraw is needed, or the transaction is unknown. */
  async noteRedraw(tx: Tx, transactionId: string, { at, by, how }: PatientNotification): Promise<boolean> {
    const noted = await tx.rows<{ account: number | null }>(
      `UPDATE order_transactions SET told_at = ?, told_by = ?, told_how = ?
       WHERE order_transaction_id = ? AND needs = 'redraw' AND told_at IS NULL
       RETURNING account_id AS account`,
      [at, by, how, transactionId],
    );
    const changes = noted.flatMap(({ account }): NewChange[] => {
      return account === null ? [] : [{ kind: 'redraw', action: 'changed', account, subject: transactionId }];
    });
    await noteChanges(tx, changes, at);
    return noted.length > 0;
  }

  async ofRedraw(tx: Tx, transactionId: string): Promise<NotificationColumns | null> {
    const [row] = await tx.rows<NotificationColumns>(
      'SELECT told_at, told_by, told_how FROM order_transactions WHERE order_transaction_id = ?',
      [transactionId],
    );
    return row ?? null;
  }

  /** Records the critical results of an order that have no record yet; false if there are none. */
  async noteCritical(tx: Tx, orderId: string, { at, by, how }: PatientNotification): Promise<boolean> {
    const noted = await tx.rows<CriticalRef>(
      `UPDATE critical_results SET told_at = ?, told_by = ?, told_how = ?
       WHERE order_id = ? AND told_at IS NULL ${returningCritical}`,
      [at, by, how, orderId],
    );
    await noteCritical(tx, noted, 'changed', at);
    return noted.length > 0;
  }

  /** The latest record of an order; null if it has no critical result. */
  async ofCritical(tx: Tx, orderId: string): Promise<NotificationColumns | null> {
    const [row] = await tx.rows<NotificationColumns>(
      'SELECT told_at, told_by, told_how FROM critical_results WHERE order_id = ? ORDER BY told_at DESC LIMIT 1',
      [orderId],
    );
    return row ?? null;
  }
}
