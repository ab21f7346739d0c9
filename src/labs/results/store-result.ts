import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { unlessAhead } from '../../platform/platform/time.js';
import type { ChangeAction } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrderTransaction } from '../../upstream/client/wire-orders.js';
import { CriticalResults } from '../orders/critical-results.service.js';
import { OrdersService } from '../orders/orders.service.js';
import { OrdersApply } from '../orders/orders-apply.service.js';
import type { ResultSubject } from '../orders/result-subject.js';
import type { LabResultEntity, ResultForm, ResultSource } from './lab-result.entity.js';
import type { ResultContent } from './result-content.js';
import { ResultsRepository, type ResultVersion } from './results.repository.js';

/** A result read from upstream. `observedAt` is the time of the request, in epoch milliseconds. */
export interface ResultObservation extends Pick<LabResultEntity, 'checksum' | 'bytes'> {
  readonly subject: ResultSubject;
  readonly form: ResultForm;
  readonly source: ResultSource;
  readonly observedAt: number;
  /** Undefined for a PDF. */
  readonly content?: Pick<ResultContent, 'status' | 'interpretation' | 'content' | 'findings'>;
  /** Bytes of a PDF that are to be stored. */
  readonly pdf?: Buffer | null;
  /** The order transaction in the same response. */
  readonly transaction?: WireOrderTransaction | null;
}

/** `outdated`: requested before the stored version was last seen, so ignored. */
export type ResultOutcome = 'first' | 'changed' | 'confirmed' | 'outdated';

/**
 * Stores results from upstream as versions. Unchanged content only moves `last_confirmed_at` of the newest version;
 * changed content becomes the next version. The content of a version never changes. Observations may arrive in any
 * order.
 */
@Injectable()
export class StoreResult {
  constructor(
    private readonly results: ResultsRepository,
    private readonly orders: OrdersService,
    private readonly ordersApply: OrdersApply,
    private readonly critical: CriticalResults,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` if the order or order transaction does not, or no longer, belong to an account. */
  async apply(tx: Tx, read: ResultObservation): Promise<ResultOutcome> {
    const { subject, form, observedAt } = read;
    // Always lock the transaction first.
    if (read.transaction) {
      await this.ordersApply.applyTransaction(tx, read.transaction, { account: null, observedAt, source: 'read' });
    }
    const account = orNotFound(await this.orders.lockOwner(tx, subject), 'The order belongs to no account.');
    const newest = await this.results.newest(tx, subject, form);
    const outcome = this.outcomeOf(newest, read, account);
    if (outcome === 'confirmed' && newest) {
      await this.results.confirm(tx, newest, { at: observedAt, now: this.clock.now() });
    }
    if (outcome === 'first' || outcome === 'changed') {
      await this.results.add(tx, versionOf(read, account, (newest?.version ?? 0) + 1));
    }
    await this.keepPdf(tx, read, { outcome, account, newest });
    const action = actionOf(outcome, newest);
    if (action) await noteResult(tx, read, account, action);
    if (form === 'json') await this.completeFetch(tx, subject, observedAt);
    await this.noteCritical(tx, read, { outcome, account, newest });
    return outcome;
  }

  private async keepPdf(
    tx: Tx,
    { subject: { scope, id }, pdf }: ResultObservation,
    { outcome, account, newest }: { outcome: ResultOutcome; account: number; newest: ResultVersion | null },
  ): Promise<void> {
    if (!pdf || outcome === 'outdated') return;
    const version = (newest?.version ?? 0) + (outcome === 'confirmed' ? 0 : 1);
    await this.results.addPdf(tx, { scope, subject_id: id, version, account_id: account, content: pdf });
  }

  /**
   * Call after upstream returned 404 for a call made at `observedAt`. Marks the newest stored version as withdrawn, and
   * requests a fetch of other results that may contain the same values. A waiting fetch stays, because what it was
   * requested for may still come. Returns false if there was nothing to withdraw.
   */
  async withdraw(tx: Tx, subject: ResultSubject, form: ResultForm, observedAt: number): Promise<boolean> {
    const account = await this.orders.lockOwner(tx, subject);
    const newest = await this.results.newest(tx, subject, form);
    if (newest?.withdrawn_at !== null || this.lastSeen(newest) > observedAt) return false;
    await this.results.withdraw(tx, newest, observedAt);
    if (account !== null) await noteResult(tx, { subject, form, observedAt }, account, 'gone');
    if (form === 'json') await this.critical.withdraw(tx, subject, observedAt);
    const related = form === 'pdf' ? [subject] : await this.orders.overlappingResults(tx, subject);
    for (const each of related) {
      if (await this.current(tx, each, 'json')) await this.ordersApply.results.request(tx, each, observedAt, account);
    }
    return true;
  }

  private outcomeOf(newest: ResultVersion | null, read: ResultObservation, account: number): ResultOutcome {
    if (!newest) return 'first';
    if (newest.checksum === read.checksum && newest.account_id === account) return 'confirmed';
    return read.observedAt < this.lastSeen(newest) ? 'outdated' : 'changed';
  }

  private lastSeen({ last_confirmed_at, withdrawn_at }: ResultVersion): number {
    return unlessAhead(Math.max(last_confirmed_at, withdrawn_at ?? 0), this.clock.now());
  }

  private completeFetch(tx: Tx, subject: ResultSubject, observedAt: number): Promise<void> {
    return this.ordersApply.results.complete(tx, subject, { observedAt, now: this.clock.now() });
  }

  private async noteCritical(
    tx: Tx,
    { subject, content, observedAt: at }: ResultObservation,
    { outcome, account, newest }: { outcome: ResultOutcome; account: number; newest: ResultVersion | null },
  ): Promise<void> {
    if (!content) return;
    if (outcome === 'first' || outcome === 'changed') {
      const { findings, status } = content;
      await this.critical.applyResult(tx, subject, {
        findings,
        status,
        version: (newest?.version ?? 0) + 1,
        account,
        at,
      });
    } else if (outcome === 'confirmed' && newest !== null && newest.withdrawn_at !== null) {
      await this.critical.restore(tx, subject, { settledAt: newest.withdrawn_at, at });
    }
  }

  /** True if the newest stored version is withdrawn, which the list of withdrawn results shows. */
  async isWithdrawn(tx: Tx, subject: ResultSubject): Promise<boolean> {
    const newest = await this.results.newest(tx, subject, 'json');
    return newest !== null && newest.withdrawn_at !== null;
  }

  /** The newest version, unless it is withdrawn. */
  private async current(tx: Tx, subject: ResultSubject, form: ResultForm): Promise<ResultVersion | null> {
    const newest = await this.results.newest(tx, subject, form);
    return newest?.withdrawn_at === null ? newest : null;
  }
}

/** Null if nothing changed for consumers. */
function actionOf(outcome: ResultOutcome, newest: ResultVersion | null): ChangeAction | null {
  if (outcome === 'first') return 'created';
  const isBack = outcome === 'confirmed' && newest !== null && newest.withdrawn_at !== null;
  return outcome === 'changed' || isBack ? 'changed' : null;
}

function noteResult(
  tx: Tx,
  { subject: { scope, id }, form, observedAt }: Pick<ResultObservation, 'subject' | 'form' | 'observedAt'>,
  account: number,
  action: ChangeAction,
): Promise<void> {
  return noteChanges(tx, [{ kind: 'result', action, account, subject: `${scope}/${id}/${form}` }], observedAt);
}

function versionOf(read: ResultObservation, account_id: number, version: number): LabResultEntity {
  const { subject, form, checksum, bytes, source, observedAt } = read;
  const { status, interpretation, content } = read.content ?? { status: null, interpretation: null, content: null };
  return {
    scope: subject.scope,
    subject_id: subject.id,
    form,
    version,
    account_id,
    checksum,
    bytes,
    status,
    interpretation,
    content,
    source,
    first_seen_at: observedAt,
    last_confirmed_at: observedAt,
    withdrawn_at: null,
  };
}
