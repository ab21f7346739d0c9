import {
  asFields,
  asKey,
  asList,
  asText,
  codeOrOther,
  isFields,
  listOrEmpty,
  nextCursorOf,
  readEach,
  textOrNull,
  textsOf,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';
import { readOrder, type WireOrder } from './wire-orders.js';

/** An order that a result may belong to (docs/upstream/unmatched-results.md#the-unmatched-result). */
export interface WireCandidate {
  /** Upstream's user id, in lower case; null if upstream names no person. Candidates may belong to different users. */
  user_id: string | null;
  /** Open: `provenance_order`, `order_option`. */
  candidate_type: string | null;
  order_id: string | null;
  order_transaction_id: string | null;
  last_status: string | null;
  confidence_level: string | null;
}

/** A result that upstream could not attach to an order, with every field upstream sent. */
export interface WireUnmatchedResult extends WireFields {
  id: string;
  /** Open: `matched`, `pending_customer_review`, `pending_ops_review`, `resolved`. */
  status: string;
  /** Open. */
  decision_code: string | null;
  sub_reason_codes: string[];
  /** Open: what may be done now. */
  allowed_actions: string[];
  lab_slug: string | null;
  /** Open: `partial`, `final`. */
  result_status: string | null;
  candidates: WireCandidate[];
  created_at: string | null;
  updated_at: string | null;
}

/** What an event says of it: a notification, not the record. */
export interface WireMatchReview {
  id: string;
  status: string;
  decision_code: string | null;
  sub_reason_codes: string[];
  resolved_user_id: string | null;
  resolved_order_id: string | null;
}

export interface WireUnmatchedResultPage {
  data: WireUnmatchedResult[];
  nextCursor: string | null;
}

export interface WireAcceptance {
  user_id?: string;
  order_id?: string;
  note?: string;
}

export interface WireResolution {
  action: string;
  note?: string;
}

function codesOf(value: unknown): string[] {
  return textsOf(value).flatMap((text) => codeOrOther(text) ?? []);
}

function lower(value: unknown): string | null {
  return textOrNull(value)?.toLowerCase() ?? null;
}

function readCandidate(value: unknown, userId: string | null): WireCandidate {
  const candidate = asFields(value, 'candidates[]');
  return {
    user_id: userId,
    candidate_type: codeOrOther(candidate.candidate_type),
    order_id: lower(candidate.order_id),
    order_transaction_id: lower(candidate.order_transaction_id),
    last_status: codeOrOther(candidate.last_status),
    confidence_level: codeOrOther(candidate.confidence_level),
  };
}

function readGroup(value: unknown, unreadable: Unreadable): WireCandidate[] {
  const group = asFields(value, 'candidate_groups[]');
  const userId = lower(group.user_id);
  return readEach(listOrEmpty(group.candidates), (candidate) => readCandidate(candidate, userId), unreadable);
}

export function readUnmatchedResult(value: unknown, unreadable: Unreadable): WireUnmatchedResult {
  const item = asFields(value, 'unmatched result');
  const groups = readEach(listOrEmpty(item.candidate_groups), (group) => readGroup(group, unreadable), unreadable);
  return {
    ...item,
    id: asKey(item.id, 'id'),
    status: codeOrOther(asText(item.status, 'status')) ?? 'other',
    decision_code: codeOrOther(item.decision_code),
    sub_reason_codes: codesOf(item.sub_reason_codes),
    allowed_actions: codesOf(item.allowed_actions),
    lab_slug: isFields(item.lab) ? codeOrOther(item.lab.slug) : null,
    result_status: codeOrOther(item.result_status),
    candidates: groups.flat(),
    created_at: textOrNull(item.created_at),
    updated_at: textOrNull(item.updated_at),
  };
}

export function readUnmatchedResultPage(value: unknown, unreadable: Unreadable): WireUnmatchedResultPage {
  const page = asFields(value, 'page');
  const data = readEach(asList(page.data, 'data'), (item) => readUnmatchedResult(item, unreadable), unreadable);
  return { data, nextCursor: nextCursorOf(page) };
}

/** The `data` of `labtest.match_review.*`. Throws `WireShapeError` if it has no id. */
export function readMatchReview(value: unknown): WireMatchReview {
  const review = asFields(value, 'data');
  return {
    id: asKey(review.id, 'id'),
    status: codeOrOther(review.status) ?? 'other',
    decision_code: codeOrOther(review.decision_code),
    sub_reason_codes: codesOf(review.sub_reason_codes),
    resolved_user_id: lower(review.resolved_user_id),
    resolved_order_id: lower(review.resolved_order_id),
  };
}

/** The order of an acceptance, in an envelope as the other order calls answer or bare. */
export function readAcceptedOrder(value: unknown, unreadable: Unreadable): WireOrder {
  const answer = asFields(value, 'answer');
  return readOrder(isFields(answer.order) ? answer.order : answer, unreadable);
}
