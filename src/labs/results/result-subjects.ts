import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { AppError } from '../../platform/platform/errors.js';
import { isUuid } from '../../platform/platform/ids.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { type SubjectOwner } from '../orders/orders.reader.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { UpstreamOrders } from '../upstream-orders/upstream-orders.js';
import { ResultsTelemetry } from './results.telemetry.js';

/** An order or order transaction confirmed by upstream, and its account. */
export interface OwnedSubject extends ResultSubject {
  /** `accounts.id`. */
  readonly account: number;
  /** The customer's id of the account. */
  readonly externalId: string;
  readonly upstreamUserId: string | null;
  readonly transactionId: string | null;
}

/** Finds the account that results belong to, before they are returned. */
@Injectable()
export class ResultSubjects {
  constructor(
    private readonly orders: OrderReadsService,
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamOrders,
    private readonly telemetry: ResultsTelemetry,
  ) {}

  /**
   * Finds the owner of an order or order transaction. One that is unknown, or only known by ids that upstream has not
   * confirmed, is first read from upstream and stored. Throws `not_found` if it belongs to no account, `conflict` if
   * its orders belong to several, and `UpstreamError`.
   */
  async get(subject: ResultSubject, options: CallOptions): Promise<OwnedSubject> {
    const known = await this.orders.findOwner(subject);
    if (known && isConfirmed(known)) return this.owned(subject, known);
    if (!known && !isUuid(subject.id)) throw notFound();
    if (subject.scope === 'order') await this.upstream.readAndStore(subject.id, options);
    else await this.upstream.refreshTransaction(subject.id, [], options);
    return this.owned(subject, await this.orders.findOwner(subject));
  }

  /** The same from the store alone; null if it would be refused, or read from upstream first. */
  async findStored(subject: ResultSubject): Promise<OwnedSubject | null> {
    const known = await this.orders.findOwner(subject);
    if (!known || !isConfirmed(known) || known.foreign_orders > 0) return null;
    const account = await this.accounts.findById(known.account_id ?? 0);
    return account === null || account.status === 'erasing' ? null : ownedBy(subject, known, account);
  }

  private async owned({ scope, id }: ResultSubject, owner: SubjectOwner | null): Promise<OwnedSubject> {
    const account = owner?.account_id ? await this.accounts.findById(owner.account_id) : null;
    if (!owner || !account || account.status === 'erasing') throw notFound();
    if (owner.foreign_orders > 0) {
      this.telemetry.refused(scope);
      throw new AppError('conflict', 'The orders of this transaction belong to several accounts.');
    }
    return ownedBy({ scope, id }, owner, account);
  }
}

function ownedBy(
  { scope, id }: ResultSubject,
  { order_transaction_id: transactionId }: SubjectOwner,
  { id: account, account_id: externalId, upstream_user_id: upstreamUserId }: Account,
): OwnedSubject {
  return { scope, id, account, externalId, upstreamUserId, transactionId };
}

/** Ids that an operator entered while upstream was unavailable have version 0; their account may be wrong. */
function isConfirmed({ version, account_id }: SubjectOwner): boolean {
  return version > 0 && account_id !== null;
}

function notFound(): AppError {
  return new AppError('not_found', 'No order or transaction with this id belongs to an account.');
}
