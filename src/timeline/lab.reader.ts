import { word } from './timeline-entry.js';
import { source, type TimelineSource } from './timeline-source.js';

interface OrderRow {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  readonly status: string | null;
}

interface OrderEventRow {
  readonly order_id: string;
  readonly status: string;
}

interface AppointmentRow {
  readonly appointment_id: string;
  readonly order_id: string;
  readonly type: string | null;
  readonly provider: string | null;
  readonly status: string | null;
  readonly event_status: string | null;
}

interface ResultRow {
  readonly scope: string;
  readonly subject_id: string;
  readonly version: number;
  readonly status: string | null;
}

/*
 * An account has few orders: what belongs to them is read whole for each page, found by the account's index on orders,
 * appointments or results.
 */

/** Lab orders and what belongs to them; of results that they came, not what they say. */
export const labSources: readonly TimelineSource[] = [
  source<OrderRow>({
    kind: 'order',
    from: 'orders o',
    account: 'o.account_id',
    at: 'o.created_at',
    keys: [{ column: 'o.order_id', type: 'text' }],
    columns: ['o.order_id', 'o.order_transaction_id', 'o.origin', 'o.status'],
    show: ({ order_id, order_transaction_id, origin, status }) => ({
      title: origin === 'redraw' ? 'A lab order for a redraw was made.' : 'A lab order was made.',
      ref: { type: 'order', id: order_id },
      details: { order_transaction_id, origin: word(origin), status_now: word(status) },
    }),
  }),
  source<OrderEventRow>({
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
      title: 'A lab order moved on.',
      ref: { type: 'order', id: order_id },
      details: { status: word(status) },
    }),
  }),
  source<AppointmentRow>({
    kind: 'appointment',
    from: 'appointments p',
    account: 'p.account_id',
    at: 'CASE WHEN p.version > 0 THEN p.version ELSE p.observed_at END',
    keys: [{ column: 'p.appointment_id', type: 'text' }],
    columns: ['p.appointment_id', 'p.order_id', 'p.type', 'p.provider', 'p.status', 'p.event_status'],
    show: ({ appointment_id, order_id, type, provider, status, event_status }) => ({
      title: 'An appointment was changed.',
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
  source<ResultRow>({
    kind: 'result',
    from: 'lab_results l',
    account: 'l.account_id',
    at: 'l.first_seen_at',
    keys: [
      { column: 'l.version', type: 'int' },
      { column: 'l.subject_id', type: 'text' },
    ],
    where: `l.form = 'json'`,
    columns: ['l.scope', 'l.subject_id', 'l.version', 'l.status'],
    show: ({ scope, subject_id, version, status }) => ({
      title: version === 1 ? 'A lab result came.' : 'A lab result was changed.',
      ref: { type: scope === 'order' ? 'order' : 'order_transaction', id: subject_id },
      details: { version, status: word(status) },
    }),
  }),
  source<{ readonly order_id: string }>({
    kind: 'critical_result',
    from: 'critical_results r',
    account: 'r.account_id',
    at: 'r.created_at',
    keys: [
      { column: 'r.order_id', type: 'text' },
      { column: 'r.sample_id', type: 'text' },
    ],
    columns: ['r.order_id'],
    show: ({ order_id }) => ({
      title: 'A lab called a result critical.',
      ref: { type: 'order', id: order_id },
      details: {},
    }),
  }),
];
