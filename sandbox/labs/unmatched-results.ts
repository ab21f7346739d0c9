import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { formatTime } from '../engine/times.js';
import type { Users } from '../users/users.js';
import type { Events } from '../webhooks/events.js';
import type { Order } from './order.js';
import { lowLevel } from './order-statuses.js';
import type { Orders } from './orders.js';

export interface UnmatchedResult {
  id: string;
  status: string;
  decisionCode: string;
  /** Orders that the result may belong to, of one or several users. */
  candidates: Order[];
  /** Order that an acceptance returns: the candidate or its replacement. */
  attaches: 'candidate' | 'recreation';
  /** Overrides fields of the generated item. */
  fields: Record<string, unknown>;
  resolution: { action: string; order: Order | null } | null;
  createdAt: number;
  updatedAt: number;
  hidden: boolean;
}

export interface NewUnmatchedResult {
  orders: Order[];
  status: string;
  decisionCode: string;
  attaches: UnmatchedResult['attaches'];
  fields: UnmatchedResult['fields'];
  notify: boolean;
  /** User in the envelope of the event, as in the example in the text. */
  userId?: string;
}

export const WAITING = 'pending_customer_review';

/** Results that could not be attached to an order (docs/upstream/unmatched-results.md). */
export class UnmatchedResults {
  private items = new Map<string, UnmatchedResult>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly events: Events,
    private readonly orders: Orders,
    private readonly users: Users,
  ) {}

  /** For a restart (state.ts). */
  keep(): Map<string, UnmatchedResult> {
    return this.items;
  }

  restore(kept: Map<string, UnmatchedResult>): void {
    this.items = kept;
  }

  create({ orders, status, decisionCode, attaches, fields, notify, userId }: NewUnmatchedResult): UnmatchedResult {
    const now = this.timeline.now();
    const id = this.ids.uuid('unmatched result', now);
    const item: UnmatchedResult = {
      id,
      status,
      decisionCode,
      candidates: orders,
      attaches,
      fields,
      resolution: null,
      createdAt: now,
      updatedAt: now,
      hidden: false,
    };
    this.items.set(item.id, item);
    if (notify) this.announce(item, 'created', userId);
    return item;
  }

  find(id: string): UnmatchedResult | undefined {
    const item = this.items.get(id.toLowerCase());
    return item?.hidden ? undefined : item;
  }

  /** Results that the customer can decide and escalated ones, oldest first; with `status`, only those in it. */
  list(status?: string): UnmatchedResult[] {
    const shown = status === undefined ? [WAITING, 'pending_ops_review'] : [status];
    return [...this.items.values()].filter((item) => !item.hidden && shown.includes(item.status));
  }

  /** Attaches the result to one of its candidates; null unless exactly one is named. */
  accept(
    item: UnmatchedResult,
    { user_id: userId, order_id: orderId }: { user_id?: string; order_id?: string },
  ): Order | null {
    const fitting = item.candidates.filter(
      (order) => (orderId === undefined || order.id === orderId) && (userId === undefined || order.userId === userId),
    );
    const [candidate, ...more] = fitting;
    if (candidate === undefined || more.length > 0) return null;
    const order = item.attaches === 'recreation' ? this.orders.recreate(candidate) : candidate;
    this.close(item, 'matched', { action: 'accept', order });
    this.orders.step(order, 'completed');
    return order;
  }

  resolve(item: UnmatchedResult, action: string): void {
    this.close(item, action === 'unsure' ? 'pending_ops_review' : 'resolved', { action, order: null });
  }

  toWire(item: UnmatchedResult): Record<string, unknown> {
    const groups = new Map<string, Order[]>();
    for (const order of item.candidates) groups.set(order.userId, [...(groups.get(order.userId) ?? []), order]);
    const [first] = item.candidates;
    return {
      id: item.id,
      status: item.status,
      decision_code: item.decisionCode,
      sub_reason_codes: ['dob_differs'],
      reason: 'The sample is known, the date of birth differs.',
      patient: { first_name: 'Unmatched', last_name: 'Patient', dob: '1980-01-01', gender: 'unknown' },
      lab: { id: 27, name: first?.labTest.lab.name ?? 'Quest', slug: first?.labTest.lab.slug ?? 'quest' },
      markers: (first?.labTest.markers ?? []).map(({ provider_id, name }) => ({ provider_id, name })),
      interpretation: 'normal',
      result_status: 'final',
      note: null,
      allowed_actions: item.status === WAITING ? ['accept', 'reject', 'unsure'] : [],
      candidate_groups: [...groups].map(([userId, orders]) => ({
        user_id: userId,
        candidates: orders.map(candidateWire),
      })),
      created_at: formatTime(item.createdAt),
      updated_at: formatTime(item.updatedAt),
      reviewed_at: item.resolution === null ? null : formatTime(item.updatedAt),
      ...item.fields,
    };
  }

  private close(item: UnmatchedResult, status: string, resolution: UnmatchedResult['resolution']): void {
    Object.assign(item, { status, resolution, updatedAt: this.timeline.now() });
    this.announce(item, 'updated');
  }

  private announce(item: UnmatchedResult, change: 'created' | 'updated', userId?: string): void {
    const { id, status, decisionCode, resolution } = item;
    const data = {
      id,
      status,
      decision_code: decisionCode,
      sub_reason_codes: ['dob_differs'],
      ...(resolution && {
        resolution_action: resolution.action,
        resolved_user_id: resolution.order?.userId ?? null,
        resolved_order_id: resolution.order?.id ?? null,
      }),
    };
    const type = `labtest.match_review.${change}`;
    const user = userId === undefined ? undefined : this.users.find(userId);
    if (user !== undefined) this.events.emit(type, user, data);
    else this.events.emitAnonymous(type, data);
  }
}

function candidateWire(order: Order): Record<string, unknown> {
  return {
    candidate_type: 'order_option',
    order_id: order.id,
    order_transaction_id: order.transactionId,
    last_status: lowLevel(order.events.at(-1)?.status ?? ''),
    confidence_level: 'high',
    confidence_score: 0.9,
    reasons: ['sample_id'],
    marker_overlap: null,
    status_context: null,
  };
}
