import { Injectable } from '@nestjs/common';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { type CriticalFinding, isCritical } from './critical-findings.js';
import type { CriticalResultEntity } from './lab-event.entity.js';
import { unnotified } from './lab-events.js';
import { LabEventsRepository } from './lab-events.repository.js';
import { changeOf, criticalSubject } from './order-changes.js';
import type { OrderRow } from './order-merge.js';
import { OrdersRepository } from './orders.repository.js';
import { type NotificationColumns } from './patient-notification.js';
import { inOrderOfCreation } from './redraw-chain.js';
import { hasResults } from './result-due.js';
import type { ResultScope, ResultSubject } from './result-subject.js';

/** A version of a result, and what it says is critical. */
export interface ReportedFindings {
  readonly findings: readonly CriticalFinding[];
  readonly status: string | null;
  readonly version: number;
  /** Owner, `accounts.id`. */
  readonly account: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface OrderWord {
  readonly account: number | null;
  readonly interpretation: string | null;
  readonly version: number;
  readonly at: number;
}

/**
 * What upstream says is critical, from any source (docs/meaning.md#labs). A row is one finding: its record that the
 * patient was informed counts only for that value. Events are applied by OrdersApply.
 */
@Injectable()
export class CriticalResults {
  constructor(
    private readonly labEvents: LabEventsRepository,
    private readonly orders: OrdersRepository,
  ) {}

  /** Applies a new version of a result. What the version before said and this one does not is settled. */
  async applyResult(tx: Tx, subject: ResultSubject, reported: ReportedFindings): Promise<void> {
    const { findings, at } = reported;
    const orders = await this.ordersOf(tx, subject);
    const target = targetOf(orders);
    const stored = await this.labEvents.findCritical(
      tx,
      orders.map(({ order_id }) => order_id),
    );
    const open = stored.filter((row) => row.settled_at === null);
    const before = open.filter((row) => isOfScope(row, subject.scope));
    const said = new Set(findings.map(({ finding }) => finding));
    const revoked = new Set(before.map(plainName).filter((name) => !said.has(name)));
    // What an order's result revokes, the result of its transaction may still repeat from before.
    const isAbout = (row: CriticalResultEntity): boolean => subject.scope === 'order' || isOfScope(row, subject.scope);
    for (const row of open.filter((each) => isAbout(each) && revoked.has(plainName(each)))) {
      await this.save(tx, row, { ...row, settled_at: at, observed_at: at });
    }
    if (!target) return;
    for (const finding of findings) await this.applyFinding(tx, { subject, target, stored }, finding, reported);
    if (subject.scope === 'order' && findings.length === 0 && before.length > 0) {
      await this.labEvents.settleWords(tx, subject.id, at);
    }
  }

  /** Upstream no longer has the result. */
  async withdraw(tx: Tx, subject: ResultSubject, at: number): Promise<void> {
    for (const row of await this.findingsOf(tx, subject)) {
      const isAbout = row.result_scope !== null && (subject.scope === 'order' || isOfScope(row, subject.scope));
      if (isAbout && row.settled_at === null) await this.save(tx, row, { ...row, settled_at: at });
    }
    if (subject.scope === 'order') await this.labEvents.settleWords(tx, subject.id, at);
  }

  /** Upstream has the withdrawn result again: what its withdrawal settled counts again, with its records. */
  async restore(tx: Tx, subject: ResultSubject, times: { settledAt: number; at: number }): Promise<void> {
    const orders = await this.ordersOf(tx, subject);
    await this.labEvents.unsettle(
      tx,
      orders.map(({ order_id }) => order_id),
      times,
    );
  }

  /** Applies the interpretation in an order. It adds nothing to critical findings of which the patient was informed. */
  async applyOrder(tx: Tx, orderId: string, { account, interpretation, version, at }: OrderWord): Promise<void> {
    if (interpretation === null) return;
    const all = await this.labEvents.findCritical(tx, [orderId]);
    const own = all.find(({ said_by }) => said_by === 'order');
    if (!isCritical(interpretation) && !own) return;
    const stored = await this.labEvents.lockCritical(tx, { order_id: orderId, finding: 'order', created_at: at });
    if (own && version <= stored.version) return;
    const isOpen = own?.settled_at === null;
    const record = isOpen ? recordIn(stored) : inherited(all.filter((row) => row !== own));
    const settled_at = isCritical(interpretation) ? null : (stored.settled_at ?? at);
    const said = { said_by: 'order', interpretation, version, account_id: account, observed_at: at } as const;
    await this.save(tx, stored, { ...stored, ...(settled_at === null ? record : {}), ...said, settled_at });
  }

  private async applyFinding(
    tx: Tx,
    { subject, target, stored }: { subject: ResultSubject; target: string; stored: readonly CriticalResultEntity[] },
    finding: CriticalFinding,
    { status, version, account, at }: ReportedFindings,
  ): Promise<void> {
    const name = nameIn(subject.scope, finding.finding);
    const own = stored.find((row) => row.order_id === target && row.finding === name);
    const isSame = own?.settled_at === null && own.evidence === finding.evidence;
    if (isSame) return;
    const open = stored.filter((row) => row !== own && row.settled_at === null);
    const twin = open.find((row) => plainName(row) === finding.finding && row.evidence === finding.evidence);
    // The results of a transaction repeat those of its orders.
    if (twin && subject.scope === 'transaction') return;
    const isWord = finding.said_by === 'result' && !own;
    const record = twin ? recordIn(twin) : isWord ? inherited(open) : unnotified;
    const before = await this.labEvents.lockCritical(tx, { order_id: target, finding: name, created_at: at });
    const reported = { ...finding, finding: name, result_scope: subject.scope, result_version: version, status };
    const times = { created_at: at, version: at, observed_at: at, settled_at: null };
    await this.save(tx, before, { ...before, ...reported, ...times, ...record, account_id: account });
  }

  private async save(tx: Tx, stored: CriticalResultEntity, row: CriticalResultEntity): Promise<void> {
    await this.labEvents.saveCritical(tx, row);
    await noteChanges(tx, changeOf('critical_result', criticalSubject(row), stored, row), row.observed_at);
  }

  private async findingsOf(tx: Tx, subject: ResultSubject): Promise<CriticalResultEntity[]> {
    const orders = await this.ordersOf(tx, subject);
    return this.labEvents.findCritical(
      tx,
      orders.map(({ order_id }) => order_id),
    );
  }

  /** The orders that the result is about, and those of the same transaction, oldest first. */
  private async ordersOf(tx: Tx, { scope, id }: ResultSubject): Promise<OrderRow[]> {
    if (scope === 'transaction') return inOrderOfCreation(await this.orders.ordersOf(tx, id));
    const order = await this.orders.findOrder(tx, id);
    return order ? [order] : [];
  }
}

/** The order that findings of a transaction's result are listed under: the last one with results. */
function targetOf(orders: readonly OrderRow[]): string | null {
  return (orders.findLast(hasResults) ?? orders.at(-1))?.order_id ?? null;
}

function nameIn(scope: ResultScope, finding: string): string {
  return scope === 'order' ? finding : `transaction:${finding}`;
}

function plainName({ finding }: CriticalResultEntity): string {
  return finding.replace(/^transaction:/, '');
}

function isOfScope(row: CriticalResultEntity, scope: ResultScope): boolean {
  return row.result_scope === scope;
}

function recordIn({ notified_at, notified_by, notified_how }: NotificationColumns): NotificationColumns {
  return { notified_at, notified_by, notified_how };
}

/** A word without a value repeats what is known: it needs no record of its own if all other open findings have one. */
function inherited(others: readonly CriticalResultEntity[]): NotificationColumns {
  const open = others.filter((row) => row.settled_at === null);
  const [first] = open.toSorted((a, b) => (b.notified_at ?? 0) - (a.notified_at ?? 0));
  return first && open.every(({ notified_at }) => notified_at !== null) ? recordIn(first) : unnotified;
}
