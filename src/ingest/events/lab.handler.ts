import { Injectable } from '@nestjs/common';
import { ParsingJobs } from '../../labs/documents/parsing-jobs.service.js';
import { OrderReadsService } from '../../labs/orders/order-reads.service.js';
import { OrdersApply } from '../../labs/orders/orders-apply.service.js';
import { UnmatchedResults } from '../../labs/reviews/unmatched-results.service.js';
import { isUuid } from '../../platform/platform/ids.js';
import { asFields, isFields, textOrNull } from '../../platform/platform/json-reader.js';
import type { Tx } from '../../storage/database/tx.js';
import { readOrder } from '../../upstream/client/wire-orders.js';
import { readMatchReview } from '../../upstream/client/wire-unmatched-results.js';
import { UnreadableItems } from '../../upstream/transport/unreadable-items.js';
import { ignore, type Plan, type RoutedEvent, write, writeAnyway } from './event.js';

/** Events about lab orders. Each contains the complete object; its fields decide which of two versions is newer. */
@Injectable()
export class LabHandler {
  constructor(
    private readonly ordersApply: OrdersApply,
    private readonly orders: OrderReadsService,
    private readonly unmatched: UnmatchedResults,
    private readonly jobs: ParsingJobs,
    private readonly unreadable: UnreadableItems,
  ) {}

  order({ data, receivedAt }: RoutedEvent): Plan {
    const order = readOrder(data, (field) => this.unreadable.skipped('webhook', field));
    return this.plan((tx, account) => this.ordersApply.applyOrder(tx, order, { account, ...by(receivedAt) }));
  }

  appointment({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return this.plan((tx, account) => this.ordersApply.applyAppointment(tx, fields, { account, ...by(receivedAt) }));
  }

  /** A notice with the id of the order, not of the transaction (docs/upstream/results.md#critical-result-event). */
  critical({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    return this.plan((tx, account) => this.ordersApply.applyCritical(tx, fields, { account, ...by(receivedAt) }));
  }

  /**
   * Stores a result that upstream could not attach to an order and that waits for a decision
   * (docs/upstream/unmatched-results.md#match-review-events), even if its owner is unknown. An event without an id is
   * treated as a notice.
   */
  matchReview(event: RoutedEvent): Plan {
    const { data, receivedAt: at } = event;
    if (!isFields(data) || textOrNull(data['id']) === null) return this.notice(event);
    const review = readMatchReview(data);
    const orderId = orderNamed(data);
    return writeAnyway(async (tx, account) => {
      await this.unmatched.applyReview(tx, review, { account, at });
      if (orderId !== null && account !== null) await this.ordersApply.applyNotice(tx, orderId, { account, ...by(at) });
    });
  }

  /**
   * A report that upstream parses (docs/upstream/webhooks.md#parsing-jobs): stores the content of the event unchanged
   * and reads its order again, with results. An event without an id is treated as a notice.
   */
  parsingJob(event: RoutedEvent): Plan {
    const { data, receivedAt: at } = event;
    const jobId = jobNamed(data);
    if (!isFields(data) || jobId === null) return this.notice(event);
    const orderId = orderNamed(data)?.toLowerCase() ?? null;
    return write(async (tx, account) => {
      await this.jobs.apply(tx, { jobId, orderId, data }, { account, at });
      if (orderId !== null) await this.ordersApply.applyNotice(tx, orderId, { account, ...by(at) });
    });
  }

  /**
   * An event about an order that has no id of its own (docs/upstream/webhooks.md#lab-notices): reads the order again,
   * with results. Only the message keeps the content.
   */
  private notice({ data, receivedAt }: RoutedEvent): Plan {
    const orderId = orderNamed(data);
    if (orderId === null) return ignore('names_no_order');
    return this.plan((tx, account) => this.ordersApply.applyNotice(tx, orderId, { account, ...by(receivedAt) }));
  }

  /** The account (`accounts.id`) of the order or parsing job in an event; null if it has none that is known. */
  async ownerOf(data: unknown): Promise<number | null> {
    const [orderId, jobId] = [orderNamed(data), jobNamed(data)];
    const owner = orderId === null ? null : await this.orders.findOwner({ scope: 'order', id: orderId });
    return owner?.account_id ?? (jobId === null ? null : this.jobs.ownerOf(jobId));
  }

  private plan(apply: (tx: Tx, account: number) => Promise<unknown>): Plan {
    return write(async (tx, account) => {
      await apply(tx, account);
    });
  }
}

/** An observation by a message that was received at `observedAt`. */
function by(observedAt: number): { observedAt: number; source: 'message' } {
  return { observedAt, source: 'message' };
}

/** Ids that are valid in our URL paths. */
const jobIdPattern = /^[a-z0-9_.:-]{1,255}$/;

/** The job id from `id` or `job_id`, a text or number, in lower case; null if there is none. */
function jobNamed(data: unknown): string | null {
  if (!isFields(data)) return null;
  const named = data['id'] ?? data['job_id'];
  const id = typeof named === 'number' ? String(named) : textOrNull(named)?.toLowerCase();
  return id !== undefined && jobIdPattern.test(id) ? id : null;
}

/** The order id from `order_id`, `resolved_order_id` or the object `order`. */
function orderNamed(data: unknown): string | null {
  if (!isFields(data)) return null;
  const named = textOrNull(data['order_id']) ?? textOrNull(data['resolved_order_id']);
  const id = named ?? (isFields(data['order']) ? textOrNull(data['order']['id']) : null);
  return id !== null && isUuid(id) ? id : null;
}
