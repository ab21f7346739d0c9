import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, type LookupPath, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { DueReadEntity } from './due-read.entity.js';
import { AppointmentEntity, CriticalResultEntity, isUnnotified } from './lab-event.entity.js';
import { OrderEntity, OrderEventEntity, OrderTransactionEntity } from './order.entity.js';
import { PatientNotificationEntity } from './patient-notification.entity.js';

const throughOrders: readonly LookupPath[] = [{ column: 'order_id', through: { table: 'orders', key: 'order_id' } }];

/** By account or, while that is unknown, by order. */
const byAccountOrOrder: readonly LookupPath[] = [...byAccount, ...throughOrders];

/*
 * An account has few orders, so each page of the timeline reads everything that belongs to them, found by the account's
 * index on orders, appointments or results.
 */

export const ordersDeclarations: RoomDeclarations = {
  changes: [
    rowChanges({ kind: 'order', entity: OrderEntity }),
    rowChanges({ kind: 'order_transaction', entity: OrderTransactionEntity }),
    rowChanges({ kind: 'redraw', entity: OrderTransactionEntity, where: `needs = 'redraw'` }),
    rowChanges({ kind: 'appointment', entity: AppointmentEntity, json: ['history'] }),
    rowChanges({ kind: 'critical_result', entity: CriticalResultEntity }),
  ],
  entities: [
    OrderTransactionEntity,
    OrderEntity,
    OrderEventEntity,
    AppointmentEntity,
    CriticalResultEntity,
    PatientNotificationEntity,
    DueReadEntity,
  ],
  personal: [
    personalRows(
      DueReadEntity,
      [
        ...byAccount,
        { column: 'subject_id', through: { table: 'orders', key: 'order_id' }, where: `scope = 'order'` },
        {
          column: 'subject_id',
          through: { table: 'order_transactions', key: 'order_transaction_id' },
          where: `scope = 'transaction'`,
        },
      ],
      { as: 'due_read', without: leaseColumns },
    ),
    personalRows(CriticalResultEntity, byAccountOrOrder, { as: 'critical_result' }),
    personalRows(
      PatientNotificationEntity,
      [...byAccount, { column: 'subject_id', through: { table: 'orders', key: 'order_id' }, where: `scope = 'order'` }],
      { as: 'patient_notification', json: ['markers'] },
    ),
    personalRows(AppointmentEntity, byAccountOrOrder, { as: 'appointment', json: ['history'] }),
    personalRows(OrderEventEntity, throughOrders, { as: 'order_event' }),
    personalRows(OrderEntity, byAccount, { as: 'order' }),
    personalRows(OrderTransactionEntity, byAccount, { as: 'order_transaction' }),
  ],
  timeline: [
    timelineSource(OrderEntity, {
      kind: 'order',
      from: 'orders o',
      account: 'o.account_id',
      at: 'o.created_at',
      keys: [{ column: 'o.order_id', type: 'text' }],
      columns: ['o.order_id', 'o.order_transaction_id', 'o.origin', 'o.status'],
      show: ({ order_id, order_transaction_id, origin, status }) => ({
        title: origin === 'redraw' ? 'A redraw order was placed.' : 'A lab order was placed.',
        ref: { type: 'order', id: order_id },
        details: { order_transaction_id, origin: word(origin), status_now: word(status) },
      }),
    }),
    timelineSource(OrderEventEntity, {
      kind: 'order_event',
      from: 'orders o JOIN order_events e ON e.order_id = o.order_id',
      account: 'o.account_id',
      at: 'e.created_at',
      keys: [
        { column: 'e.event_id', type: 'int' },
        { column: 'e.order_id', type: 'text' },
      ],
      columns: ['e.order_id', 'e.status'],
      show: ({ order_id, status }) => ({
        title: `Lab order: ${lastWords(status)}.`,
        ref: { type: 'order', id: order_id },
        details: { status: word(status) },
      }),
    }),
    timelineSource(AppointmentEntity, {
      kind: 'appointment',
      from: 'appointments p',
      account: 'p.account_id',
      at: 'CASE WHEN p.version > 0 THEN p.version ELSE p.observed_at END',
      keys: [{ column: 'p.appointment_id', type: 'text' }],
      columns: ['p.appointment_id', 'p.order_id', 'p.type', 'p.provider', 'p.status', 'p.event_status'],
      show: ({ appointment_id, order_id, type, provider, status, event_status }) => ({
        title: `Appointment: ${lastWords(event_status ?? status)}.`,
        ref: { type: 'appointment', id: appointment_id },
        details: {
          order_id,
          type: word(type),
          provider: word(provider),
          status: word(status),
          event_status: word(event_status),
        },
      }),
    }),
    timelineSource(CriticalResultEntity, {
      kind: 'critical_result',
      from: 'critical_results r',
      account: 'r.account_id',
      at: 'r.created_at',
      keys: [
        { column: 'r.order_id', type: 'text' },
        { column: 'r.finding', type: 'text' },
      ],
      columns: ['r.order_id'],
      show: ({ order_id }) => ({
        title: 'A lab reported a critical result.',
        ref: { type: 'order', id: order_id },
        details: {},
      }),
    }),
  ],
  waiting: {
    order_refresh: waitingByError('due_reads', `kind = 'order'`),
    result_fetch: waitingByError('due_reads', `kind = 'result'`),
  },
  figures: {
    results_given_up: `SELECT COUNT(*) FROM due_reads WHERE kind = 'result' AND due_at IS NULL AND requested_at > 0`,
    // An order that upstream had and no longer has stays stored.
    orders_given_up: `SELECT COUNT(*) FROM due_reads r JOIN orders o ON o.order_id = r.subject_id
      WHERE r.kind = 'order' AND r.due_at IS NULL AND r.requested_at > 0 AND (o.version = 0 OR r.error_code <> 'not_found')`,
    orders_needing_redraw: `SELECT COUNT(*) FROM order_transactions WHERE needs = 'redraw'`,
    redraws_untold: `SELECT COUNT(*) FROM order_transactions WHERE needs = 'redraw' AND notified_at IS NULL`,
    redraws_overdue: `SELECT COUNT(*) FROM order_transactions
      WHERE needs = 'redraw' AND COALESCE(needs_since, created_at) < :owed`,
    critical_results: 'SELECT COUNT(DISTINCT order_id) FROM critical_results WHERE settled_at IS NULL',
    critical_results_untold: `SELECT COUNT(DISTINCT order_id) FROM critical_results WHERE ${isUnnotified}`,
    critical_results_untold_since: `SELECT MIN(observed_at) FROM critical_results WHERE ${isUnnotified}`,
    critical_results_newest_at: 'SELECT MAX(observed_at) FROM critical_results WHERE settled_at IS NULL',
  },
  gauges: [
    {
      name: 'order_transactions_needing_redraw',
      help: 'Order transactions whose patient needs a second draw',
      figure: 'orders_needing_redraw',
    },
    {
      name: 'redraws_untold',
      help: 'Order transactions that need a redraw without a record that the patient was informed',
      figure: 'redraws_untold',
    },
    {
      name: 'critical_results',
      help: 'Orders with a critical result that was neither corrected nor withdrawn',
      figure: 'critical_results',
    },
    {
      name: 'critical_results_untold',
      help: 'Orders with a critical result without a record that the patient was informed',
      figure: 'critical_results_untold',
    },
  ],
  searches: {
    order:
      'SELECT order_id AS id, account_id AS account FROM orders WHERE order_id >= ? AND order_id < ? ORDER BY order_id LIMIT ?',
    order_transaction:
      'SELECT order_transaction_id AS id, account_id AS account FROM order_transactions WHERE order_transaction_id >= ? AND order_transaction_id < ? ORDER BY order_transaction_id LIMIT ?',
  },
  auditSubjects: {
    order: 'SELECT account_id AS account FROM orders WHERE order_id = LOWER(?)',
    'order-transaction': 'SELECT account_id AS account FROM order_transactions WHERE order_transaction_id = LOWER(?)',
  },
};

/** Last part of a status, as words: `received.walk_in_test.ordered` is "ordered". */
function lastWords(status: unknown): string {
  return (word(status) ?? 'status unknown').split('.').at(-1)?.replaceAll('_', ' ') ?? '';
}
