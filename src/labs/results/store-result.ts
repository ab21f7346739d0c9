import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { unlessAhead } from '../../platform/platform/time.js';
import type { ChangeAction } from '../../storage/change-log/change.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import type { WireOrderTransaction } from '../../upstream/client/wire-orders.js';
import { CriticalResults, type ShownResult } from '../orders/critical-results.service.js';
import { DueReads, resultRead } from '../orders/due-reads.repository.js';
import { OrdersService } from '../orders/orders.service.js';
import { OrdersApply } from '../orders/orders-apply.service.js';
import type { ResultSubject } from '../orders/result-subject.js';
import type { LabResultEntity, ResultForm, ResultSource } from './lab-result.entity.js';
import { findingsIn, hasOtherValues, type ResultContent } from './result-content.js';
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

/** Outcome of an observation. */
interface Stored {
  readonly outcome: ResultOutcome;
  readonly account: number;
  /** The newest version before it. */
  readonly newest: ResultVersion | null;
  /** It ends the withdrawal of the newest version. */
  readonly isBack: boolean;
}

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
    private readonly dueReads: DueReads,
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
    const isBack = outcome === 'confirmed' && newest !== null && this.isBack(newest, observedAt);
    const action = isBack ? 'changed' : actionOf(outcome);
    if (action) await noteResult(tx, read, account, action);
    if (form === 'json' && !(await this.isOwed(tx, read))) await this.completeFetch(tx, subject, observedAt);
    await this.noteCritical(tx, read, { outcome, account, newest, isBack });
    return outcome;
  }

  /** A partial result of a completed order: the final one may come without another event. */
  isOwed(tx: Tx, { subject, content }: Pick<ResultObservation, 'subject' | 'content'>): Promise<boolean> {
    return content?.status === 'partial' ? this.orders.isCompleted(tx, subject) : Promise.resolve(false);
  }

  private async keepPdf(
    tx: Tx,
    { subject: { scope, id }, pdf }: ResultObservation,
    { outcome, account, newest }: Omit<Stored, 'isBack'>,
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
    const related = form === 'pdf' ? [subject] : await this.orders.overlappingResults(tx, subject);
    if (form === 'json') await this.critical.withdraw(tx, subject, observedAt, await this.shown(tx, related));
    for (const each of related) {
      if (await this.current(tx, each, 'json'))
        await this.dueReads.request(tx, resultRead(each), observedAt, { account });
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

  private isBack({ withdrawn_at }: ResultVersion, observedAt: number): boolean {
    return withdrawn_at !== null && unlessAhead(withdrawn_at, this.clock.now()) <= observedAt;
  }

  private completeFetch(tx: Tx, subject: ResultSubject, observedAt: number): Promise<void> {
    return this.dueReads.complete(tx, resultRead(subject), { observedAt, now: this.clock.now() });
  }

  private async noteCritical(
    tx: Tx,
    { subject, content, observedAt: at }: ResultObservation,
    { outcome, account, newest, isBack }: Stored,
  ): Promise<void> {
    if (!content || outcome === 'outdated') return;
    const { findings, status } = content;
    const reported = { findings, status, account, at };
    if (outcome !== 'confirmed' || newest === null) {
      const before = newest && (await this.results.contentOf(tx, newest));
      const isOther = typeof before === 'string' && hasOtherValues(before, content.content);
      const version = (newest?.version ?? 0) + 1;
      await this.critical.applyResult(tx, subject, { ...reported, version, hasOtherValues: isOther });
      return;
    }
    const { withdrawn_at: settledAt } = newest;
    // Read before it was withdrawn.
    if (settledAt !== null && !isBack) return;
    if (settledAt !== null) await this.critical.restore(tx, subject, { settledAt, at });
    await this.critical.repeat(tx, subject, { ...reported, version: newest.version });
  }

  /** The stored parts of these results, except of withdrawn ones. */
  private async shown(tx: Tx, subjects: readonly ResultSubject[]): Promise<ShownResult[]> {
    const shown: ShownResult[] = [];
    for (const subject of subjects) {
      const newest = await this.current(tx, subject, 'json');
      const content = newest && (await this.results.contentOf(tx, newest));
      if (!newest || content === null) continue;
      const { status, version, account_id: account } = newest;
      shown.push({ subject, findings: findingsIn(content), status, version, account });
    }
    return shown;
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
function actionOf(outcome: ResultOutcome): ChangeAction | null {
  if (outcome === 'first') return 'created';
  return outcome === 'changed' ? 'changed' : null;
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
