import { Injectable } from '@nestjs/common';
import { UpstreamOrders } from '../orders/upstream-orders.js';
import { AppError } from '../platform/errors.js';
import { isUuid } from '../platform/ids.js';
import type { CallOptions } from '../upstream/upstream.client.js';
import { type ResultSubject, ResultsRepository, type SubjectRow } from './results.repository.js';
import { ResultsTelemetry } from './results.telemetry.js';

/** An order or transaction that upstream has vouched for, and the account it belongs to. */
export interface OwnedSubject extends ResultSubject {
  /** `accounts.id`. */
  readonly account: number;
  readonly upstreamUserId: string | null;
  readonly transactionId: string | null;
}

/** Finds out whose results somebody asks for, before anybody sees them. */
@Injectable()
export class ResultSubjects {
  constructor(
    private readonly results: ResultsRepository,
    private readonly upstream: UpstreamOrders,
    private readonly events: ResultsTelemetry,
  ) {}

  /**
   * What is not known here, or known from hearsay only, is read from upstream and stored first. Throws `not_found` when
   * it belongs to none of our accounts, `conflict` when its orders belong to several, else `UpstreamError`.
   */
  async get(subject: ResultSubject, options: CallOptions): Promise<OwnedSubject> {
    const known = await this.results.subject(subject);
    if (known && isVouchedFor(known)) return this.owned(subject, known);
    if (!known && !isUuid(subject.id)) throw notFound();
    if (subject.scope === 'order') await this.upstream.readAndStore(subject.id, options);
    else await this.upstream.refreshTransaction(subject.id, [], options);
    return this.owned(subject, await this.results.subject(subject));
  }

  private owned({ scope, id }: ResultSubject, row: SubjectRow | null): OwnedSubject {
    if (!row || row.account === null) throw notFound();
    if (row.foreign_orders > 0) {
      this.events.refused(scope);
      throw new AppError('conflict', 'The orders of this transaction belong to several accounts.');
    }
    const { account, upstream_user_id: upstreamUserId, order_transaction_id: transactionId } = row;
    return { scope, id, account, upstreamUserId, transactionId };
  }
}

/** Ids that an operator gave while upstream was away have version 0; they may have been given for the wrong account. */
function isVouchedFor({ version, account }: SubjectRow): boolean {
  return version > 0 && account !== null;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is nothing of any account by this id.');
}
