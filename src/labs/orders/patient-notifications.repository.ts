import { Injectable } from '@nestjs/common';
import type { NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import { shapeOf } from '../../storage/database/columns.js';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { isUnnotified } from './lab-event.entity.js';
import { type CriticalRef, noteCritical, returningCritical } from './lab-events.repository.js';
import { PatientNotificationEntity } from './patient-notification.entity.js';
import type { NewNotification, NotificationColumns } from './patient-notification.js';

interface Noted extends CriticalRef {
  readonly result_version: number | null;
  readonly marker: string | null;
}

const history = { ...shapeOf(PatientNotificationEntity), update: [] };

/** Records that a patient was informed, with what was known at that time. A record is never changed. */
@Injectable()
export class PatientNotificationsRepository {
  /** False if there is already a record, no redraw is needed, or the transaction is unknown. */
  async noteRedraw(tx: Tx, transactionId: string, notification: NewNotification): Promise<boolean> {
    const { at, by, how } = notification;
    const noted = await tx.rows<{ account: number | null }>(
      `UPDATE order_transactions SET notified_at = ?, notified_by = ?, notified_how = ?
       WHERE order_transaction_id = ? AND needs = 'redraw' AND notified_at IS NULL
       RETURNING account_id AS account`,
      [at, by, how, transactionId],
    );
    const changes = noted.flatMap(({ account }): NewChange[] => {
      return account === null ? [] : [{ kind: 'redraw', action: 'changed', account, subject: transactionId }];
    });
    await noteChanges(tx, changes, at);
    const [first] = noted;
    if (first) {
      await this.keep(tx, { scope: 'transaction', subject_id: transactionId, account_id: first.account }, notification);
    }
    return first !== undefined;
  }

  async ofRedraw(tx: Tx, transactionId: string): Promise<NotificationColumns | null> {
    const [row] = await tx.rows<NotificationColumns>(
      'SELECT notified_at, notified_by, notified_how FROM order_transactions WHERE order_transaction_id = ?',
      [transactionId],
    );
    return row ?? null;
  }

  /**
   * Records the critical results of an order that have no record yet; false if there are none. One that is settled is
   * left out: nobody spoke of it, and it counts again if its withdrawal is taken back.
   */
  async noteCritical(tx: Tx, orderId: string, notification: NewNotification): Promise<boolean> {
    const { at, by, how, version, markers: told } = notification;
    const names = told && filledUp(told);
    const spokenOf = [
      ...(version === undefined ? [] : ['AND (result_version IS NULL OR result_version <= ?)']),
      ...(names ? [`AND (marker IS NULL OR marker IN (${placeholders(names.length)}))`] : []),
    ];
    const noted = await tx.rows<Noted>(
      `UPDATE critical_results SET notified_at = ?, notified_by = ?, notified_how = ?
       WHERE order_id = ? AND ${isUnnotified} ${spokenOf.join(' ')} ${returningCritical}, result_version, marker`,
      [at, by, how, orderId, ...(version === undefined ? [] : [version]), ...(names ?? [])],
    );
    await noteCritical(tx, noted, 'changed', at);
    const account_id = noted.find(({ account_id: account }) => account !== null)?.account_id ?? null;
    const of = { scope: 'order', subject_id: orderId, account_id } as const;
    const versions = noted.map(({ result_version: version }) => version).filter((version) => version !== null);
    const markers = [...new Set(noted.map(({ marker }) => marker).filter((marker) => marker !== null))].sort();
    const what = { result_version: versions.length === 0 ? null : Math.max(...versions), markers };
    if (noted.length > 0) await this.keep(tx, of, notification, what);
    return noted.length > 0 || (version !== undefined && (await this.noteEarlier(tx, orderId, notification)));
  }

  /** Keeps the record that the patient heard of a version whose critical values a later one has replaced. */
  private async noteEarlier(tx: Tx, orderId: string, notification: NewNotification): Promise<boolean> {
    const { version: result_version = null, markers = [] } = notification;
    const [later] = await tx.rows<{ account_id: number | null }>(
      `SELECT account_id FROM critical_results WHERE order_id = ? AND ${isUnnotified} AND result_version > ? LIMIT 1`,
      [orderId, result_version],
    );
    if (!later) return false;
    const of = { scope: 'order', subject_id: orderId, account_id: later.account_id } as const;
    // 0: no result reported it.
    const heard = { result_version: result_version || null, markers: [...new Set(markers)].sort() };
    await this.keep(tx, of, notification, heard);
    return true;
  }

  /** The latest record of an order; null if it has no critical result. */
  async ofCritical(tx: Tx, orderId: string): Promise<NotificationColumns | null> {
    const [row] = await tx.rows<NotificationColumns>(
      'SELECT notified_at, notified_by, notified_how FROM critical_results WHERE order_id = ? ORDER BY notified_at DESC LIMIT 1',
      [orderId],
    );
    return row ?? null;
  }

  private async keep(
    tx: Tx,
    of: Pick<PatientNotificationEntity, 'scope' | 'subject_id' | 'account_id'>,
    { at, by, how, recordedAt: recorded_at }: NewNotification,
    { result_version, markers }: { result_version: number | null; markers: readonly string[] } = nothing,
  ): Promise<void> {
    const who = { notified_at: at, notified_by: by, notified_how: how };
    await saveRows(tx, history, [{ ...of, recorded_at, ...who, result_version, markers: JSON.stringify(markers) }]);
  }
}

const nothing = { result_version: null, markers: [] };
