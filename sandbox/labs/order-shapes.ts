import { formatTime } from '../engine/times.js';
import type { LabTest } from '../facts/lab-tests.js';
import type { Order, TransactionStatus } from './order.js';
import { hasResults, lowLevel } from './order-statuses.js';

interface Surroundings {
  teamId: string;
  siblings: Order[];
  status: TransactionStatus;
}

export function labTestWire(test: LabTest): Record<string, unknown> {
  return {
    id: test.id,
    slug: test.slug,
    name: test.name,
    sample_type: test.sampleType,
    method: test.method,
    price: test.price,
    is_active: true,
    status: 'active',
    fasting: test.fasting,
    lab: test.lab,
    markers: test.markers.map(({ id, name, slug, provider_id }) => ({ id, name, slug, provider_id })),
    common_tat_days: 3,
    worst_case_tat_days: 9,
  };
}

function patient(details: Record<string, unknown> | null | undefined): Record<string, unknown> | null {
  if (details === null || details === undefined) return null;
  return { ...details, dob: `${String(details.dob)}T00:00:00+00:00` };
}

/** The transaction as embedded in orders, results and events (docs/upstream/orders.md#two-shapes). */
export function embeddedTransaction(
  orders: readonly Order[],
  transaction: { id: string; status: TransactionStatus },
): Record<string, unknown> {
  return {
    ...transaction,
    orders: orders.map((order) => ({
      id: order.id,
      low_level_status: lowLevel(order.events.at(-1)?.status ?? ''),
      low_level_status_created_at: order.events.at(-1)?.created_at,
      origin: order.origin,
      parent_id: order.parentId,
      created_at: formatTime(order.createdAt),
      updated_at: formatTime(order.updatedAt),
    })),
  };
}

/** The transaction as its own call returns it, with other field names (docs/upstream/orders.md#two-shapes). */
export function transactionWire(
  orders: readonly Order[],
  transaction: { id: string; status: TransactionStatus; teamId: string },
): Record<string, unknown> {
  return {
    id: transaction.id,
    team_id: transaction.teamId,
    status: transaction.status,
    orders: orders.map((order) => ({
      id: order.id,
      origin: order.origin,
      parent_id: order.parentId,
      last_status: lowLevel(order.events.at(-1)?.status ?? ''),
      last_status_created_at: order.events.at(-1)?.created_at,
      created_at: formatTime(order.createdAt),
      updated_at: formatTime(order.updatedAt),
    })),
  };
}

/** Shipment of a kit; null until it is sent, and for other orders. */
function kit({ labTest, id, events }: Order): Record<string, unknown> {
  if (labTest.method !== 'testkit') return {};
  const isSent = events.some(({ status }) => lowLevel(status) === 'transit_customer');
  return { shipment: isSent ? { id } : null };
}

/** The full Order of docs/upstream/orders.md#the-order-object, in REST and events alike. */
export function orderWire(order: Order, around: Surroundings): Record<string, unknown> {
  const last = order.events.at(-1);
  const at = { created_at: formatTime(order.createdAt), updated_at: formatTime(order.updatedAt) };
  const { details } = order;
  return {
    id: order.id,
    user_id: order.userId,
    team_id: around.teamId,
    patient_details: patient(details.patient_details),
    patient_address: details.patient_address ?? null,
    lab_test: labTestWire(order.labTest),
    details: { type: order.labTest.method, data: { id: order.id, ...at, ...kit(order) } },
    sample_id: order.sampleId,
    notes: null,
    clinical_notes: details.clinical_notes ?? null,
    ...at,
    events: [...order.events],
    last_event: last,
    status: last?.status.split('.')[0],
    origin: order.origin,
    order_transaction: embeddedTransaction(around.siblings, { id: order.transactionId, status: around.status }),
    health_insurance_id: null,
    requisition_form_url: null,
    shipping_details: null,
    has_abn: order.hasAbn,
    priority: details.priority ?? false,
    billing_type: details.billing_type ?? 'client_bill',
    physician: details.physician ?? null,
    interpretation: order.interpretation,
    has_missing_results: hasResults(lowLevel(last?.status ?? '')) ? order.missingResults : null,
    expected_result_by_date: null,
    worst_case_result_by_date: null,
    activate_by: details.activate_by ?? null,
    icd_codes: details.icd_codes ?? [],
    passthrough: details.passthrough ?? null,
  };
}
