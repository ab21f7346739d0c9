import { findLabTest, LAB_TESTS, type LabTest, labTestFor } from '../facts/lab-tests.js';
import type { Wording } from '../http/answers.js';
import type { OrderDetails } from './order.js';

export interface OrderRequest extends OrderDetails {
  user_id: string;
  order_set?: {
    lab_test_ids?: string[] | null;
    add_on?: { marker_ids?: number[] | null; provider_ids?: string[] | null } | null;
  } | null;
  lab_test_id?: string | null;
  collection_method?: string | null;
  aoe_answers?: { marker_id: number; question_id: number; answer: string }[] | null;
}

function byAddOn(request: OrderRequest, wording: Wording): LabTest | undefined {
  const addOn = request.order_set?.add_on ?? null;
  if (addOn === null) return undefined;
  const { marker_ids: markers, provider_ids: providers } = addOn;
  const both = (markers ?? null) !== null && (providers ?? null) !== null;
  const method = request.collection_method ?? null;
  if (both || method === null) throw wording.plain(400, 'selection');
  return LAB_TESTS.find(
    (test) =>
      test.method === method &&
      test.markers.some((marker) => markers?.includes(marker.id) || providers?.includes(marker.provider_id)),
  );
}

/**
 * The ordered test; the first one if there are several. Throws 400 for an invalid choice
 * (docs/upstream/orders.md#choice-of-tests).
 */
export function chooseLabTest(request: OrderRequest, wording: Wording): LabTest {
  const ids = [...(request.order_set?.lab_test_ids ?? []), ...(request.lab_test_id ? [request.lab_test_id] : [])];
  const tests = ids.map(findLabTest);
  const [first] = tests;
  const method = request.collection_method ?? undefined;
  if (tests.length === 0) {
    const chosen = byAddOn(request, wording) ?? (request.order_set?.add_on ? labTestFor(method ?? '') : undefined);
    if (chosen === undefined) throw wording.plain(400, 'selection');
    return chosen;
  }
  byAddOn(request, wording);
  const agree = tests.every(
    (test) => test !== undefined && test.lab.slug === first?.lab.slug && test.method === first.method,
  );
  if (first === undefined || !agree || (method !== undefined && method !== first.method)) {
    throw wording.plain(400, 'selection');
  }
  return first;
}

/** Throws 400 if a required question of the ordered markers is not answered (docs/upstream/orders.md#questions). */
export function checkAnswers({ aoe_answers: answers }: OrderRequest, { markers }: LabTest, wording: Wording): void {
  const isAnswered = (marker: number, question: number): boolean =>
    (answers ?? []).some(({ marker_id, question_id }) => marker_id === marker && question_id === question);
  const missing = markers.some(({ id, questions = [] }) =>
    questions.some((question) => question.required && !isAnswered(id, question.id)),
  );
  if (missing) throw wording.plain(400, 'questions');
}

/** Fields of the request that the order echoes. */
export function detailsOf(request: OrderRequest): OrderDetails {
  const { patient_details, patient_address, passthrough, priority, billing_type, activate_by } = request;
  const { icd_codes, physician, clinical_notes } = request;
  const all = { patient_details, patient_address, passthrough, priority, billing_type, activate_by };
  const kept = Object.entries({ ...all, icd_codes, physician, clinical_notes }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(kept);
}
