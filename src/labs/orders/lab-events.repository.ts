import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../platform/platform/time.js';
import type { ChangeAction, NewChange } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders } from '../../storage/database/dialect.js';
import { lockRow, saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { AppointmentEntity, CriticalResultEntity } from './lab-event.entity.js';
import type { AppointmentFact } from './lab-events.js';
import { criticalSubject } from './order-changes.js';

const appointments = shapeOf(AppointmentEntity);
const criticalResults = shapeOf(CriticalResultEntity);

/** A critical result and its account, as the statements below return it. */
export type CriticalRef = Pick<CriticalResultEntity, 'order_id' | 'finding' | 'account_id'>;
export const returningCritical = 'RETURNING order_id, finding, account_id';

/** Notes changes of critical results; those without an account are not reported to consumers yet. */
export function noteCritical(tx: Tx, rows: readonly CriticalRef[], action: ChangeAction, at: number): Promise<void> {
  const changes = rows.flatMap((row): NewChange[] => {
    const { account_id: account } = row;
    return account === null ? [] : [{ kind: 'critical_result', action, account, subject: criticalSubject(row) }];
  });
  return noteChanges(tx, changes, at);
}

/** Appointments and critical results. `lock...` inserts a missing row, and locks it until the transaction ends. */
@Injectable()
export class LabEventsRepository {
  lockAppointment(tx: Tx, { appointment_id, order_id }: AppointmentFact): Promise<AppointmentEntity> {
    return lockRow(tx, appointments, { appointment_id, order_id, history: '[]', version: 0, observed_at: 0 });
  }

  async saveAppointment(tx: Tx, row: AppointmentEntity): Promise<void> {
    await saveRows(tx, appointments, [row]);
  }

  lockCritical(
    tx: Tx,
    { order_id, finding, created_at }: Pick<CriticalResultEntity, 'order_id' | 'finding' | 'created_at'>,
  ): Promise<CriticalResultEntity> {
    return lockRow(tx, criticalResults, { order_id, finding, created_at, version: 0, observed_at: 0 });
  }

  findCritical(tx: Tx, orderIds: readonly string[]): Promise<CriticalResultEntity[]> {
    if (orderIds.length === 0) return Promise.resolve([]);
    const sql = `SELECT * FROM critical_results WHERE order_id IN (${placeholders(orderIds.length)})
      ORDER BY order_id, finding`;
    return tx.rows(sql, orderIds);
  }

  async saveCritical(tx: Tx, row: CriticalResultEntity): Promise<void> {
    await saveRows(tx, criticalResults, [row]);
  }

  /**
   * Marks what events said before `at` as no longer critical, including what was said in the future, which is from
   * before the clock was set back.
   */
  async settleEvents(tx: Tx, orderId: string, at: number): Promise<void> {
    const sql = `UPDATE critical_results SET settled_at = ? WHERE order_id = ? AND said_by = 'event'
      AND settled_at IS NULL AND (observed_at <= ? OR observed_at > ?) ${returningCritical}`;
    const settled = await tx.rows<CriticalRef>(sql, [at, orderId, at, at + CLOCK_TOLERANCE_MS]);
    await noteCritical(tx, settled, 'changed', at);
  }

  /** What events and the order say is about a value that the patient was not informed of. */
  async reopenWords(tx: Tx, orderId: string, at: number): Promise<void> {
    const sql = `UPDATE critical_results SET notified_at = NULL, notified_by = NULL, notified_how = NULL, observed_at = ?
      WHERE order_id = ? AND said_by IN ('event', 'order') AND settled_at IS NULL AND notified_at IS NOT NULL
      ${returningCritical}`;
    await noteCritical(tx, await tx.rows<CriticalRef>(sql, [at, orderId]), 'changed', at);
  }

  /** Gives rows that arrived before their order the account and transaction of the order. */
  async adoptFromOrders(tx: Tx, orderIds: readonly string[], at: number): Promise<void> {
    const ids = placeholders(orderIds.length);
    const ownerless = await tx.rows<{ id: string }>(
      `SELECT appointment_id AS id FROM appointments WHERE order_id IN (${ids}) AND account_id IS NULL`,
      orderIds,
    );
    const ofOrder = (column: string, table: string): string =>
      `COALESCE(${table}.${column}, (SELECT o.${column} FROM orders o WHERE o.order_id = ${table}.order_id))`;
    const adopted = await tx.rows<{ id: string; account: number | null }>(
      `UPDATE appointments SET account_id = ${ofOrder('account_id', 'appointments')},
         order_transaction_id = ${ofOrder('order_transaction_id', 'appointments')}
       WHERE order_id IN (${ids}) AND (account_id IS NULL OR order_transaction_id IS NULL)
       RETURNING appointment_id AS id, account_id AS account`,
      orderIds,
    );
    const fresh = adopted.filter(({ id }) => ownerless.some((one) => one.id === id));
    const changes = fresh.flatMap(({ id, account }): NewChange[] => {
      return account === null ? [] : [{ kind: 'appointment', action: 'created', account, subject: id }];
    });
    await noteChanges(tx, changes, at);
    const criticals = await tx.rows<CriticalRef>(
      `UPDATE critical_results SET account_id = ${ofOrder('account_id', 'critical_results')}
       WHERE order_id IN (${ids}) AND account_id IS NULL ${returningCritical}`,
      orderIds,
    );
    await noteCritical(tx, criticals, 'created', at);
  }
}
