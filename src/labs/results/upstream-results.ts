import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { textOrNull } from '../../platform/platform/json-reader.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireResult } from '../../upstream/client/wire-orders.js';
import { type CallOptions, type Download } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { ResultForm, ResultSource } from './lab-result.entity.js';
import { contentOf } from './result-content.js';
import type { OwnedSubject } from './result-subjects.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { type ResultObservation, StoreResult } from './store-result.js';

/** Reads results from upstream and stores them. */
@Injectable()
export class UpstreamResults {
  constructor(
    private readonly client: UpstreamClient,
    private readonly store: StoreResult,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: ResultsTelemetry,
  ) {}

  /**
   * Throws `result_not_ready` if upstream has no result (a stored one is then withdrawn), or to a fetch, if the stored
   * one is partial although the order is completed; `upstream_contract` for a result of another order or person, which
   * is not stored; and `UpstreamError`.
   */
  async readAndStore(subject: OwnedSubject, source: ResultSource, options: CallOptions): Promise<void> {
    const observedAt = this.clock.now();
    const wire = await this.ask(subject, options).catch((error: unknown) =>
      this.absent(subject, 'json', observedAt, error),
    );
    if (!belongsTo(wire, subject)) {
      this.telemetry.refused(subject.scope);
      throw new AppError('upstream_contract', 'Upstream returned the result of another order or person.');
    }
    const { checksum, bytes, ...content } = contentOf(wire);
    const { order_transaction: transaction } = wire;
    await this.keep({ subject, form: 'json', source, observedAt, checksum, bytes, content, transaction });
    const mayBeOwed = source === 'fetch' && content.status === 'partial';
    if (mayBeOwed && (await this.lane.run((tx) => this.store.isOwed(tx, { subject, content })))) {
      throw new AppError('result_not_ready', 'The order is completed, and its result is partial.');
    }
  }

  /** The PDF as a stream. Throws `result_not_ready` if upstream has none, and `UpstreamError`. */
  async pdf(subject: OwnedSubject, options: CallOptions): Promise<Download> {
    const { scope, id } = subject;
    const observedAt = this.clock.now();
    const download =
      scope === 'order' ? this.client.orderResultPdf(id, options) : this.client.transactionResultPdf(id, options);
    return download.catch((error: unknown) => this.absent(subject, 'pdf', observedAt, error));
  }

  /** Stores the checksum and size of a delivered PDF, and its bytes if there are any. */
  async keepPdf(
    subject: OwnedSubject,
    measure: Pick<ResultObservation, 'checksum' | 'bytes' | 'pdf' | 'observedAt'>,
  ): Promise<void> {
    await this.keep({ subject, form: 'pdf', source: 'read', ...measure });
  }

  private ask({ scope, id }: OwnedSubject, options: CallOptions): Promise<WireResult> {
    return scope === 'order' ? this.client.orderResult(id, options) : this.client.transactionResult(id, options);
  }

  /** For upstream's 404, withdraws a stored result and throws `result_not_ready`. Rethrows any other error. */
  private async absent(subject: OwnedSubject, form: ResultForm, observedAt: number, error: unknown): Promise<never> {
    if (!(error instanceof UpstreamError && error.isNotFound)) throw error;
    const isWithdrawn = await this.lane.run((tx) => this.store.withdraw(tx, subject, form, observedAt));
    if (isWithdrawn) this.telemetry.withdrawn(subject, form);
    throw new AppError('result_not_ready', 'Upstream has no result yet.', { cause: error });
  }

  private async keep(observation: ResultObservation): Promise<void> {
    const outcome = await this.lane.run((tx) => this.store.apply(tx, observation));
    this.telemetry.stored(observation.subject, observation.form, outcome);
  }
}

/**
 * False if the response names another order, transaction or user than requested. A result need not name any of them
 * (docs/upstream/results.md#the-result).
 */
function belongsTo(wire: WireResult, subject: OwnedSubject): boolean {
  const user = 'user_id' in wire ? textOrNull(wire.user_id) : null;
  return agrees(user, subject.upstreamUserId) && isOfTransaction(wire, subject);
}

function isOfTransaction({ order_transaction: named }: WireResult, subject: OwnedSubject): boolean {
  if (!named) return true;
  if (!agrees(named.id, subject.transactionId)) return false;
  const { scope, id } = subject;
  return scope === 'transaction' || named.orders.length === 0 || named.orders.some((order) => agrees(order.id, id));
}

function agrees(said: string | null, known: string | null): boolean {
  return said === null || known === null || said.toLowerCase() === known.toLowerCase();
}
