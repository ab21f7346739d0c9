import {
  asFields,
  asKey,
  asText,
  codeOrOther,
  isFields,
  refuse,
  textOrNull,
  textsOf,
  type Unreadable,
} from '../../platform/platform/json-reader.js';
import { listOrNone, object, openObject, type Wire } from '../../platform/platform/json-shape.js';
import { pageOf } from './wire-data.js';
import { readOrder, type WireOrder } from './wire-orders.js';

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

function statusOf(value: unknown): string {
  return codeOrOther(value) ?? 'other';
}

const readCandidate = object('candidates[]', {
  /** `provenance_order`, `order_option` or a new value. */
  candidate_type: codeOrOther,
  order_id: lower,
  order_transaction_id: lower,
  last_status: codeOrOther,
  confidence_level: codeOrOther,
});

const readGroup = object('candidate_groups[]', {
  /** Upstream's user id, in lower case; null if upstream names no user. Candidates may belong to different users. */
  user_id: lower,
  candidates: listOrNone(readCandidate),
});

/** An order that a result may belong to (docs/upstream/unmatched-results.md#the-unmatched-result). */
export type WireCandidate = Wire<typeof readCandidate> & Pick<Wire<typeof readGroup>, 'user_id'>;

const readItem = openObject(
  'unmatched result',
  {
    id: asKey,
    /** `matched`, `pending_customer_review`, `pending_ops_review`, `resolved` or a new value. */
    status: (value, field) => statusOf(asText(value, field)),
    /** Upstream may add values. */
    decision_code: codeOrOther,
    sub_reason_codes: codesOf,
    /** Actions possible now; upstream may add values. */
    allowed_actions: codesOf,
    /** `partial`, `final` or a new value. */
    result_status: codeOrOther,
    created_at: textOrNull,
    updated_at: textOrNull,
  },
  '',
);

/** A result that upstream could not attach to an order, with all fields that upstream sent. */
export type WireUnmatchedResult = Wire<typeof readItem> & {
  readonly lab_slug: string | null;
  readonly candidates: readonly WireCandidate[];
};

export function readUnmatchedResult(value: unknown, unreadable: Unreadable = refuse): WireUnmatchedResult {
  const item = readItem(value, unreadable);
  const groups = listOrNone(readGroup)(item.candidate_groups, 'candidate_groups', unreadable);
  return {
    ...item,
    lab_slug: isFields(item.lab) ? codeOrOther(item.lab.slug) : null,
    candidates: groups.flatMap(({ user_id, candidates }) => candidates.map((each) => ({ user_id, ...each }))),
  };
}

const readWholePage = pageOf(readUnmatchedResult);

/** Upstream requires `total` alone: a page without results may lack `data`. */
export const readUnmatchedResultPage: typeof readWholePage = (value, unreadable) => {
  const page = asFields(value, 'page');
  const isEmpty = page.total === 0 && (page.data === undefined || page.data === null);
  return readWholePage(isEmpty ? { ...page, data: [] } : page, unreadable);
};

/** The `data` of `labtest.match_review.*`, a notification without the result. Throws `WireShapeError` without an id. */
export const readMatchReview = object(
  'data',
  {
    id: asKey,
    status: statusOf,
    decision_code: codeOrOther,
    sub_reason_codes: codesOf,
    resolved_order_id: lower,
  },
  '',
);

export type WireMatchReview = Wire<typeof readMatchReview>;

/** The order in the response to accept, either bare or in the envelope that other order calls use. */
export function readAcceptedOrder(value: unknown, unreadable: Unreadable): WireOrder {
  const answer = asFields(value, 'answer');
  return readOrder(isFields(answer.order) ? answer.order : answer, unreadable);
}
