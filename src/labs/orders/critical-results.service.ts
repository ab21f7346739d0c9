import { Injectable } from '@nestjs/common';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Tx } from '../../storage/database/tx.js';
import { type CriticalFinding, isCritical } from './critical-findings.js';
import { DueReads, orderRead } from './due-reads.repository.js';
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
  /** True if it has values that the version before it did not have. */
  readonly hasOtherValues?: boolean;
}

/** A stored result that upstream still has. */
export interface ShownResult extends Omit<ReportedFindings, 'at'> {
  readonly subject: ResultSubject;
}

/** Where the findings of a result go. */
interface Destination {
  readonly scope: ResultScope;
  readonly target: string;
  readonly stored: readonly CriticalResultEntity[];
  /** What the withdrawal of another result settles, as it was before: what repeats it keeps its record and times. */
  readonly withdrawn?: readonly CriticalResultEntity[];
}

interface OrderWord {
  readonly account: number | null;
  readonly interpretation: string | null;
  readonly version: number;
  readonly at: number;
}

/**
 * Everything that upstream calls critical, from any source (docs/meaning.md#labs). A row is one finding: its record
 * that the patient was informed counts only for that value. Events are applied by OrdersApply.
 */
@Injectable()
export class CriticalResults {
  constructor(
    private readonly labEvents: LabEventsRepository,
    private readonly orders: OrdersRepository,
    private readonly dueReads: DueReads,
  ) {}

  /** Applies a new version of a result. What the version before said and this one does not is settled. */
  async applyResult(tx: Tx, subject: ResultSubject, reported: ReportedFindings): Promise<void> {
    const { findings, at } = reported;
    const orders = await this.ordersOf(tx, subject);
    const target = targetOf(orders);
    const stored = await this.findingsOf(tx, orders);
    const open = stored.filter((row) => row.settled_at === null);
    const before = open.filter((row) => isOfScope(row, subject.scope));
    const said = new Set(findings.map(({ finding }) => finding));
    const revoked = new Set(before.map(plainName).filter((name) => !said.has(name)));
    // What an order's result revokes, the result of its transaction may still repeat from before.
    const isRevocable = (row: CriticalResultEntity): boolean =>
      subject.scope === 'order' || isOfScope(row, subject.scope);
    for (const row of open.filter((each) => isRevocable(each) && revoked.has(plainName(each)))) {
      await this.save(tx, row, { ...row, settled_at: at, observed_at: at });
    }
    if (!target) return;
    const to = { scope: subject.scope, target, stored };
    for (const finding of findings) await this.applyFinding(tx, to, finding, reported);
    if (subject.scope !== 'order' || findings.length > 0) return;
    if (before.length > 0) await this.settleWords(tx, subject.id, at);
    // What they said of the value before, of which the patient was informed, they now say of another one.
    if (reported.hasOtherValues) await this.labEvents.reopenWords(tx, subject.id, at);
  }

  /** An order may still say that it is critical, so it is asked. */
  private async settleWords(tx: Tx, orderId: string, at: number): Promise<void> {
    await this.labEvents.settleEvents(tx, orderId, at);
    await this.dueReads.request(tx, orderRead(orderId), at);
  }

  /** Upstream no longer has the result. What one of `others` still shows stays on the list as a finding of that one. */
  async withdraw(tx: Tx, subject: ResultSubject, at: number, others: readonly ShownResult[]): Promise<void> {
    const orders = await this.ordersOf(tx, subject);
    const stored = await this.findingsOf(tx, orders);
    const withdrawn = stored.filter((row) => row.settled_at === null && isOfScope(row, subject.scope));
    for (const row of withdrawn) await this.save(tx, row, { ...row, settled_at: at }, at);
    if (subject.scope === 'order') await this.settleWords(tx, subject.id, at);
    for (const { subject: other, ...shown } of others) await this.repeat(tx, other, { ...shown, at }, withdrawn);
  }

  /** Upstream still shows, at `at`, what a stored version says: what was settled before is critical again. */
  async repeat(
    tx: Tx,
    subject: ResultSubject,
    reported: ReportedFindings,
    withdrawn: readonly CriticalResultEntity[] = [],
  ): Promise<void> {
    if (reported.findings.length === 0) return;
    const orders = await this.ordersOf(tx, subject);
    const target = targetOf(orders);
    if (!target) return;
    const stored = await this.findingsOf(tx, orders);
    const settledSince = stored.filter(({ settled_at }) => settled_at !== null && settled_at > reported.at);
    for (const finding of reported.findings) {
      if (settledSince.some((row) => isAbout(row, finding))) continue;
      await this.applyFinding(tx, { scope: subject.scope, target, stored, withdrawn }, finding, reported);
    }
  }

  /** Upstream has the withdrawn result again: what its withdrawal settled counts again, with its records. */
  async restore(tx: Tx, subject: ResultSubject, { settledAt, at }: { settledAt: number; at: number }): Promise<void> {
    const stored = await this.findingsOf(tx, await this.ordersOf(tx, subject));
    const told = stored.filter((row) => row.settled_at === null && row.evidence !== null && row.notified_at !== null);
    for (const row of stored.filter(({ settled_at }) => settled_at === settledAt)) {
      // While it was withdrawn, the patient may have heard of the same value from another result.
      const twin = told.find((each) => plainName(each) === plainName(row) && each.evidence === row.evidence);
      const record = row.notified_at === null && twin ? recordIn(twin) : {};
      await this.save(tx, row, { ...row, ...record, settled_at: null }, at);
    }
  }

  /** Applies the interpretation in an order. It adds nothing to critical findings of which the patient was informed. */
  async applyOrder(tx: Tx, orderId: string, { account, interpretation, version, at }: OrderWord): Promise<void> {
    const all = await this.labEvents.findCritical(tx, [orderId]);
    const own = all.find(({ said_by }) => said_by === 'order');
    if (!isCritical(interpretation) && !own) return;
    // A report that leaves the word out takes it back only if the result did so before.
    if (interpretation === null && !all.some(isTakenBack)) return;
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
    { scope, target, stored, withdrawn = [] }: Destination,
    finding: CriticalFinding,
    { status, version, account, at }: ReportedFindings,
  ): Promise<void> {
    const name = nameIn(scope, finding.finding);
    const own = stored.find((row) => row.order_id === target && row.finding === name);
    const isSame = own?.settled_at === null && own.evidence === finding.evidence;
    if (isSame) return;
    const open = stored.filter((row) => row !== own && row.settled_at === null);
    const twin = open.find((row) => isAbout(row, finding));
    // The results of a transaction repeat those of its orders.
    if (twin && scope === 'transaction') return;
    const former = withdrawn.find((row) => isAbout(row, finding));
    const known = twin ?? former;
    // A later version says so of other values than those of which the patient was informed.
    const isWord = finding.said_by === 'result' && !own && version === 1;
    const record = known ? recordIn(known) : isWord ? inherited([...open, ...withdrawn]) : unnotified;
    const before = await this.labEvents.lockCritical(tx, { order_id: target, finding: name, created_at: at });
    const reported = { ...finding, finding: name, result_scope: scope, result_version: version, status };
    const { created_at, observed_at } = former ?? { created_at: at, observed_at: at };
    const times = { created_at, observed_at, version: at, settled_at: null };
    await this.save(tx, before, { ...before, ...reported, ...times, ...record, account_id: account }, at);
  }

  private async save(
    tx: Tx,
    stored: CriticalResultEntity,
    row: CriticalResultEntity,
    at = row.observed_at,
  ): Promise<void> {
    await this.labEvents.saveCritical(tx, row);
    await noteChanges(tx, changeOf('critical_result', criticalSubject(row), stored, row), at);
  }

  private findingsOf(tx: Tx, orders: readonly OrderRow[]): Promise<CriticalResultEntity[]> {
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

/** True if the row is about the same value, whichever result says so. */
function isAbout(row: CriticalResultEntity, { finding, evidence }: CriticalFinding): boolean {
  return plainName(row) === finding && row.evidence === evidence;
}

function isTakenBack({ evidence, settled_at }: CriticalResultEntity): boolean {
  return evidence !== null && settled_at !== null;
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
