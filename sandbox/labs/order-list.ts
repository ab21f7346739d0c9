import { parseBound, startOfDay } from '../engine/times.js';
import { invalid } from '../http/answers.js';
import { asList } from '../http/strict.js';
import type { Order } from './order.js';
import { lastStatus } from './orders.js';

type Many = string | string[];

export interface ListQuery {
  order_transaction_id?: string;
  user_id?: string;
  order_ids?: Many;
  start_date?: string;
  end_date?: string;
  updated_start_date?: string;
  updated_end_date?: string;
  status?: Many;
  order_type?: Many;
  order_activation_types?: Many;
  interpretation?: string;
  is_critical?: string;
  search_input?: string;
  patient_name?: string;
  shipping_recipient_name?: string;
  order_key?: string;
  order_direction?: string;
  page?: string;
  size?: string;
}

type Test = (order: Order) => boolean;

function bound(
  query: ListQuery,
  name: 'start_date' | 'end_date' | 'updated_start_date' | 'updated_end_date',
): number | null {
  const value = query[name];
  if (value === undefined) return null;
  const at = parseBound(value, name === 'end_date' ? 'end' : 'start');
  if (at === null) throw invalid(['query', name], 'Input should be a date or date-time', 'datetime_parsing');
  return at;
}

function patientName(order: Order): string {
  const { first_name: first, last_name: last } = order.details.patient_details ?? {};
  return [first, last]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .toLowerCase();
}

function receiver(order: Order): string {
  const name = order.details.patient_address?.receiver_name;
  return typeof name === 'string' ? name.toLowerCase() : '';
}

function timeTests(query: ListQuery): Test[] {
  const [from, to] = [bound(query, 'start_date'), bound(query, 'end_date')];
  const [updatedFrom, updatedTo] = [bound(query, 'updated_start_date'), bound(query, 'updated_end_date')];
  return [
    (order) => from === null || order.createdAt >= from,
    (order) => to === null || order.createdAt <= to,
    (order) => updatedFrom === null || order.updatedAt >= updatedFrom,
    (order) => updatedTo === null || order.updatedAt <= updatedTo,
  ];
}

function oneOfMany(wanted: Many | undefined, value: (order: Order) => string): Test {
  const values = asList(wanted);
  return (order) => values.length === 0 || values.includes(value(order));
}

function contains(wanted: string | undefined, value: (order: Order) => string): Test {
  return (order) => wanted === undefined || value(order).includes(wanted.toLowerCase());
}

function tests(query: ListQuery): Test[] {
  return [
    ...timeTests(query),
    oneOfMany(query.order_transaction_id, (order) => order.transactionId),
    oneOfMany(query.user_id, (order) => order.userId),
    oneOfMany(query.order_ids, (order) => order.id),
    oneOfMany(query.status, lastStatus),
    oneOfMany(query.order_type, (order) => order.labTest.method),
    oneOfMany(query.interpretation, (order) => order.interpretation ?? ''),
    oneOfMany(query.order_activation_types, (order) =>
      (order.details.activate_by ?? null) !== null &&
      Date.parse(order.details.activate_by ?? '') > startOfDay(order.createdAt)
        ? 'scheduled'
        : 'current',
    ),
    contains(query.patient_name, patientName),
    contains(query.shipping_recipient_name, receiver),
    contains(query.search_input, (order) => `${order.id} ${order.sampleId ?? ''} ${patientName(order)}`),
    (order) =>
      query.is_critical === undefined ||
      (order.interpretation === 'critical') === ['true', '1'].includes(query.is_critical),
  ];
}

function sortKey(query: ListQuery): (order: Order) => string {
  if (query.order_key === 'patient_name') return patientName;
  if (query.order_key === 'last_status') return lastStatus;
  return (order) => String(order.createdAt).padStart(16, '0');
}

/**
 * Filters, sorts and pages orders (docs/upstream/orders.md#list-of-orders); newest first by default.
 */
export function listOrders(
  all: readonly Order[],
  query: ListQuery,
): { rows: Order[]; total: number; page: number; size: number } {
  const page = Number(query.page ?? 1);
  const size = Number(query.size ?? 50);
  if (page < 1) throw invalid(['query', 'page'], 'Input should be greater than or equal to 1', 'greater_than_equal');
  if (size < 1 || size > 100) throw invalid(['query', 'size'], 'Input should be between 1 and 100', 'less_than_equal');
  const checks = tests(query);
  const found = all.filter((order) => checks.every((check) => check(order)));
  const key = sortKey(query);
  const sorted = found
    .map((order, index) => ({ order, index, key: key(order) }))
    .sort((a, b) => (a.key === b.key ? a.index - b.index : a.key < b.key ? -1 : 1))
    .map(({ order }) => order);
  if ((query.order_direction ?? 'desc') === 'desc') sorted.reverse();
  return { rows: sorted.slice((page - 1) * size, page * size), total: sorted.length, page, size };
}
