import { newId } from '../../platform/platform/ids.js';
import { shapeOf } from '../database/columns.js';
import { assignments, filledUp, placeholders, type SqlInput, typedRows } from '../database/dialect.js';
import { LEASE_MS } from '../database/tuning.js';
import type { Queryable, Tx } from '../database/tx.js';
import {
  attemptsOf,
  type Change,
  companyMark,
  endsOf,
  isToBePutOff,
  type LeasedRow,
  markOf,
  pauseAfter,
  withoutAbandoned,
} from './lease.js';

/** A further condition for claimable rows: a constant with placeholders, and their values. */
export interface Restriction {
  readonly where: string;
  readonly values: readonly SqlInput[];
}

export interface ClaimOptions {
  readonly now: number;
  readonly limit: number;
  readonly only?: Restriction;
}

/** For declarations of `waiting`: rows of a queue that wait after a failure, by error code. */
export function waitingByError(table: string, where = '1 = 1'): string {
  return `SELECT error_code AS error, COUNT(*) AS count FROM ${table}
    WHERE ${where} AND due_at IS NOT NULL AND error_code IS NOT NULL GROUP BY error_code ORDER BY error_code`;
}

export interface Waiting {
  /** Epoch milliseconds; null if buried. */
  readonly due_at: number | null;
  readonly error: string | null;
}

/** Columns whose values differ between the rows of a statement. */
export interface OwnColumns<Row> {
  readonly columns: readonly { readonly name: keyof Change<Row> & string; readonly type: 'bigint' | 'text' }[];
  /** In the order of the rows and of the columns. */
  readonly values: readonly (readonly SqlInput[])[];
}

/** Another process holds the row now, so the transaction must be rolled back. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(table: string) {
    super(`the lease of a row of ${table} was lost`);
  }
}

const everything: Restriction = { where: '1 = 1', values: [] };
const unleased = { lease_owner: null, lease_until: null } as const;
/** Condition for a row that the holder still has; its value is the holder's `lease_owner`. */
export const heldBy = `RTRIM(lease_owner, '${companyMark}') = ?`;
const workedOff = { attempts: 0, waits: 0 } as const;

/**
 * The statements of leased work, for one table.
 *
 *   due     --claim-->                 leased    until the end of the lease; the attempt is counted
 *   leased  --renew-->                 leased    the holder is alive: the lease is extended (lease-keeper.ts)
 *   leased  --mark company-->          leased    if earlier holders ended: now its own end would prove nothing
 *   leased  --heartbeat-->             leased    a step succeeded: lease and attempts are reset
 *   leased  --complete-->              due later, or never again: the work is done; attempts are reset
 *   leased  --defer-->                 due later with the reason; the attempt counts if the row was at fault
 *   leased  --release, give back-->    due as before; the attempt does not count: a shutdown, or the store failed
 *   leased  --bury-->                  never due again, with the reason, until it is requested again
 *   leased  --the lease ends-->        due       and claimed alone, because it may have killed its process; from
 *                                                the second such end in a row, after a growing pause for other rows
 *
 * Every write of a holder is guarded by its `lease_owner` and throws {@link LeaseLost} if another process holds the
 * row.
 */
export class LeasedRows<Row extends LeasedRow> {
  readonly table: string;
  /** Number of heartbeats by owner, for running leases. */
  private readonly steps = new Map<string | null, number>();
  private readonly key: readonly (keyof Row & string)[];
  /** Conditions for one row, and for one that the holder still has. */
  private readonly one: string;
  private readonly mine: string;

  /** `code`: the column for the last error code. */
  constructor(
    entity: new () => Row,
    private readonly code: 'error_code' | 'reason' = 'error_code',
  ) {
    const { table, conflict: key } = shapeOf(entity);
    this.table = table;
    this.key = key;
    this.one = key.map((column) => `${column} = ?`).join(' AND ');
    this.mine = `${this.one} AND ${heldBy}`;
  }

  /** When the row with this key is due, and why its last attempt failed; null if there is no such row. */
  async waiting(queryable: Queryable, key: readonly SqlInput[]): Promise<Waiting | null> {
    const sql = `SELECT due_at, ${this.code} AS error FROM ${this.table} WHERE ${this.one}`;
    const [row] = await queryable.few<Waiting>(sql, key);
    return row ?? null;
  }

  /** True if a claim would find a row. Uses a reader, so that an idle queue writes nothing. */
  async anyDue(queryable: Queryable, now: number, only = everything): Promise<boolean> {
    const rows = await queryable.few(`SELECT 1 AS due FROM ${this.table} WHERE ${claimable(only)} LIMIT 1`, [
      now,
      now,
      ...only.values,
    ]);
    return rows.length > 0;
  }

  /**
   * Leases due rows, longest due first, and returns them with their lease. A row whose last holder ended without an
   * outcome is claimed alone: if it kills the process, no other row loses an attempt. If that happened more than once,
   * the row is deferred first.
   */
  async claim(tx: Tx, { now, limit, only = everything }: ClaimOptions): Promise<Row[]> {
    const order = ['due_at', ...this.key].join(', ');
    const due = await tx.rows<Row>(
      `SELECT * FROM ${this.table} WHERE ${claimable(only)} ORDER BY ${order} LIMIT ? ${tx.skipLocked}`,
      [now, now, ...only.values, limit],
    );
    const suspects = due.filter(isToBePutOff);
    for (const row of suspects) await this.putOff(tx, row, now);
    const rows = withoutAbandoned(due.filter((row) => !suspects.includes(row)));
    const [first] = rows;
    if (!first) return [];
    // More than one only if none had a holder.
    const given = attemptsOf(first) - first.attempts;
    const lease = { lease_owner: `${newId()}${markOf(endsOf(first))}`, lease_until: now + LEASE_MS };
    await tx.execute(
      `UPDATE ${this.table} SET lease_owner = ?, lease_until = ?, attempts = attempts + ? WHERE ${this.among(rows)}`,
      [lease.lease_owner, lease.lease_until, 1 + given, ...rows.flatMap((row) => this.keyOf(row))],
    );
    return rows.map((row) => Object.assign(row, lease, { attempts: row.attempts + 1 + given }));
  }

  /**
   * For a step that does not change the row: locks the row until the transaction ends. Throws {@link LeaseLost} if
   * another process holds it.
   */
  async assertHeld(tx: Tx, held: Row): Promise<void> {
    const sql = `SELECT 1 AS held FROM ${this.table} WHERE ${this.mine} ${tx.forShare}`;
    const rows = await tx.rows(sql, [...this.keyOf(held), held.lease_owner]);
    if (rows.length === 0) throw new LeaseLost(this.table);
  }

  /** Records a completed step and renews the lease for the next one. Returns the updated row. */
  async heartbeat(tx: Tx, held: Row, now: number, change: Change<Row> = {}): Promise<Row> {
    const after = await this.write(tx, held, { ...change, attempts: 1, waits: 0, lease_until: now + LEASE_MS });
    this.steps.set(held.lease_owner, this.stepsOf([held]) + 1);
    return after;
  }

  /** Number of heartbeats for the rows of one claim. */
  stepsOf([held]: readonly Row[]): number {
    return this.steps.get(held?.lease_owner ?? null) ?? 0;
  }

  /**
   * Renews the leases of rows claimed together that are still held and not locked by a transaction, and returns their
   * number. A due time that equals the end of the lease moves with it.
   */
  renew(tx: Tx, held: readonly Row[], now: number): Promise<number> {
    const until = now + LEASE_MS;
    const key = this.key.join(', ');
    const mine = `${this.among(held)} AND ${heldBy}`;
    return tx.execute(
      `UPDATE ${this.table} SET due_at = CASE WHEN due_at = lease_until THEN ? ELSE due_at END, lease_until = ?
       WHERE (${key}) IN (SELECT ${key} FROM ${this.table} WHERE ${mine} ${tx.skipLocked})`,
      [until, until, ...held.flatMap((row) => this.keyOf(row)), held[0]?.lease_owner],
    );
  }

  /** Completes the work until `dueAt`, or permanently with null. Returns the updated row. */
  complete(tx: Tx, held: Row, dueAt: number | null, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { [this.code]: null, ...workedOff, ...change, ...unleased, due_at: dueAt });
  }

  /**
   * Completes rows of one claim permanently, in one statement. The columns of `own`, including the error code, differ
   * between rows. Leaves `attempts` unchanged. Throws {@link LeaseLost} if one of the rows is no longer held; then none
   * may be completed.
   */
  async completeAll(tx: Tx, held: readonly Row[], change: Change<Row>, own: OwnColumns<Row>): Promise<void> {
    const owner = held[0]?.lease_owner ?? null;
    const { set, values } = assignments({ waits: 0, ...change, ...unleased, due_at: null });
    const keyTypes = this.key.map((name) => (typeof held[0]?.[name] === 'number' ? 'bigint' : 'text'));
    const rows = filledUp(held.map((row, index) => [...this.keyOf(row), ...(own.values[index] as SqlInput[])]));
    const types = [...keyTypes, ...own.columns.map(({ type }) => type)];
    const given = (index: number): string => `given.column${index + 1}`;
    const sets = own.columns.map(({ name }, index) => `, ${name} = ${given(this.key.length + index)}`);
    const same = this.key.map((name, index) => `${this.table}.${name} = ${given(index)}`).join(' AND ');
    const written = await tx.execute(
      `UPDATE ${this.table} ${set}${sets.join('')} FROM (VALUES ${typedRows(types, rows.length)}) AS given
       WHERE ${same} AND ${heldBy}`,
      [...values, ...rows.flat(), owner],
    );
    this.steps.delete(owner);
    if (written !== held.length) throw new LeaseLost(this.table);
  }

  /** Schedules another attempt at `dueAt`. An attempt that failed for a reason outside the row does not count. */
  defer(
    tx: Tx,
    held: Row,
    { dueAt, code, counts }: { dueAt: number; code: string; counts: boolean },
    change: Change<Row> = {},
  ): Promise<Row> {
    return this.write(tx, held, { ...change, [this.code]: code, ...triesOf(held, counts), ...unleased, due_at: dueAt });
  }

  /** Restores the row to its state before the claim. */
  release(tx: Tx, held: Row, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { ...change, attempts: held.attempts - 1, ...unleased, due_at: held.due_at });
  }

  /** Releases the row if it still exists: the work deletes it unless a newer request arrived. */
  async releaseIfKept(tx: Tx, held: Row): Promise<void> {
    if (await this.waiting(tx, this.keyOf(held))) await this.release(tx, held);
  }

  /** Notes that other rows are in flight beside a held one, so that the end of its process proves nothing. */
  async markCompany(tx: Tx, held: Row): Promise<void> {
    await tx.execute(`UPDATE ${this.table} SET lease_owner = ? WHERE ${this.one} AND lease_owner = ?`, [
      `${held.lease_owner}${companyMark}`,
      ...this.keyOf(held),
      held.lease_owner,
    ]);
  }

  /** Like `release`, but does not throw if the lease was lost. */
  async giveBack(tx: Tx, held: Row): Promise<void> {
    await tx.execute(
      `UPDATE ${this.table} SET lease_owner = NULL, lease_until = NULL, attempts = attempts - 1 WHERE ${this.mine}`,
      [...this.keyOf(held), held.lease_owner],
    );
  }

  /** Ends the row permanently. */
  bury(tx: Tx, held: Row, code: string, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { ...change, [this.code]: code, ...unleased, due_at: null });
  }

  /** Like `defer`, but a row that was requested again during the attempt stays due immediately. */
  async deferUnlessRequested(tx: Tx, held: Row, to: { dueAt: number; code: string; counts: boolean }): Promise<Row> {
    if (!(await this.wasRequested(tx, held))) return this.defer(tx, held, to);
    return this.write(tx, held, { [this.code]: to.code, ...triesOf(held, to.counts), ...unleased });
  }

  /** Like `bury`, but a row that was requested again during the attempt stays due. */
  async buryUnlessRequested(tx: Tx, held: Row, code: string, change: Change<Row> = {}): Promise<Row> {
    if (!(await this.wasRequested(tx, held))) return this.bury(tx, held, code, change);
    return this.write(tx, held, { [this.code]: code, ...unleased });
  }

  /**
   * True if the row was requested again since it was claimed, which changes its due time. A claim may set that to the
   * end of the lease, which is not a request.
   */
  private async wasRequested(tx: Tx, held: Row): Promise<boolean> {
    const sql = `SELECT due_at, lease_until FROM ${this.table} WHERE ${this.mine} ${tx.forShare}`;
    const rows = await tx.rows<Pick<Row, 'due_at' | 'lease_until'>>(sql, [...this.keyOf(held), held.lease_owner]);
    return rows.some(({ due_at, lease_until }) => due_at !== held.due_at && due_at !== lease_until);
  }

  /**
   * Ends all leases and returns their number. For the start of a process that owns the store, when all earlier holders
   * are dead. The rows are then claimed one at a time, as after an expired lease.
   */
  releaseDead(tx: Tx, now: number): Promise<number> {
    return tx.execute(
      `UPDATE ${this.table} SET lease_until = ?, due_at = ? WHERE due_at IS NOT NULL AND lease_until > ?`,
      [now, now, now],
    );
  }

  /** Moves due times and ends of leases; see {@link bringForward}. */
  async bringForward(tx: Tx, step: StepBack): Promise<number> {
    const due = await bringForward(tx, this.table, 'due_at', step);
    return due + (await bringForward(tx, this.table, 'lease_until', step, 'due_at IS NOT NULL'));
  }

  /** Keeps the count of ended holders although the row has no holder. */
  private async putOff(tx: Tx, row: Row, now: number): Promise<void> {
    const ends = endsOf(row);
    const change = { lease_owner: markOf(ends), lease_until: null, due_at: now + pauseAfter(ends.all) };
    const { set, values } = assignments({ ...change, attempts: attemptsOf(row) });
    await tx.execute(`UPDATE ${this.table} ${set} WHERE ${this.one} AND lease_owner = ?`, [
      ...values,
      ...this.keyOf(row),
      row.lease_owner,
    ]);
  }

  private async write(tx: Tx, held: Row, change: Readonly<Record<string, SqlInput>>): Promise<Row> {
    const { set, values } = assignments(change);
    const written = await tx.execute(`UPDATE ${this.table} ${set} WHERE ${this.mine}`, [
      ...values,
      ...this.keyOf(held),
      held.lease_owner,
    ]);
    if (written === 0 || 'lease_owner' in change) this.steps.delete(held.lease_owner);
    if (written === 0) throw new LeaseLost(this.table);
    return { ...held, ...change };
  }

  private among(rows: readonly Row[]): string {
    const [column, ...more] = this.key;
    if (more.length === 0) return `${column} IN (${placeholders(rows.length)})`;
    return `(${rows.map(() => `(${this.one})`).join(' OR ')})`;
  }

  private keyOf(row: Row): SqlInput[] {
    return this.key.map((column) => row[column] as SqlInput);
  }
}

/** Counts of a deferred row. An attempt that failed for a reason outside the row is given back. */
function triesOf(held: LeasedRow, counts: boolean): { waits: number; attempts?: number } {
  return counts ? { waits: 0 } : { attempts: held.attempts - 1, waits: held.waits + 1 };
}

/** The clock was set back by `ms` to `now` (epoch milliseconds). */
export interface StepBack {
  readonly now: number;
  readonly ms: number;
}

/** Rows that were already due at the step are overdue by less than this. */
const MAX_OVERDUE_MS = 15 * 60_000;

/**
 * Moves due times after the clock was set back, so that rows wait only as long as intended; rows that were already
 * due become due immediately. Times that are not that far ahead stay: they were stored after the step or moved by
 * another process. After a short step the two cannot be distinguished, so rows become due early. Returns the number of
 * moved rows.
 */
export function bringForward(
  tx: Tx,
  table: string,
  column: string,
  { now, ms }: StepBack,
  where = '1 = 1',
): Promise<number> {
  const sql = `UPDATE ${table} SET ${column} = ${column} - ? WHERE ${column} > ? AND ${where}`;
  return tx.execute(sql, [ms, now + Math.max(0, ms - MAX_OVERDUE_MS)]);
}

function claimable({ where }: Restriction): string {
  return `due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) AND ${where}`;
}
