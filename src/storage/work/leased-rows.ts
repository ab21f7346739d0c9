import { newId } from '../../platform/platform/ids.js';
import { assignments, filledUp, placeholders, type SqlInput, typedRows } from '../database/dialect.js';
import type { Queryable, Tx } from '../database/tx.js';
import {
  type Change,
  endsOf,
  isToBePutOff,
  LEASE_MS,
  type LeasedRow,
  markOf,
  pauseAfter,
  withoutAbandoned,
} from './lease.js';

/** Names of a table and its columns. They become part of SQL, so they are constants of the program. */
export interface LeasedTable<Row> {
  readonly table: string;
  /** The columns that tell rows apart. */
  readonly key: readonly (keyof Row & string)[];
  /** Where the code of the last failure is kept; `error_code` unless it says otherwise. */
  readonly code?: string;
}

/** What else must hold of rows to be claimed: a constant condition with placeholders, and their values. */
export interface Restriction {
  readonly where: string;
  readonly values: readonly SqlInput[];
}

export interface ClaimOptions {
  readonly now: number;
  readonly limit: number;
  readonly only?: Restriction;
}

/** What an operator is told of work that waits. */
export interface Waiting {
  /** Epoch milliseconds; null for what was given up. */
  readonly due_at: number | null;
  /** The code of the last failure. */
  readonly error: string | null;
}

/** Columns of which every row of a statement has values of its own. */
export interface OwnColumns<Row> {
  readonly columns: readonly { readonly name: keyof Change<Row> & string; readonly type: 'bigint' | 'text' }[];
  /** In the order of the rows, and within each of the columns. */
  readonly values: readonly (readonly SqlInput[])[];
}

/** Somebody else holds the row now: what was to be written with it must not be, so the transaction is undone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(table: string) {
    super(`the lease of a row of ${table} was lost`);
  }
}

const everything: Restriction = { where: '1 = 1', values: [] };
const unleased = { lease_owner: null, lease_until: null } as const;
const workedOff = { attempts: 0, waits: 0 } as const;

/**
 * The statements of leased work, for one table.
 *
 *   due     --claim-->                 leased    until the end of the lease; the try is counted
 *   leased  --renew-->                 leased    the holder lives: the lease begins anew (lease-keeper.ts)
 *   leased  --heartbeat-->             leased    a step worked: the lease begins anew, and so do the tries
 *   leased  --complete-->              due later, or never again: the work is done; tries begin anew
 *   leased  --defer-->                 due later with the reason; the try counts, or is given back
 *   leased  --release, give back-->    due as before the claim, the try given back: a shutdown, a failure of the store
 *   leased  --bury-->                  never due again, with the reason, until somebody asks for it anew
 *   leased  --the lease ends-->        due       and claimed alone, since it may have killed its process; from the
 *                                                second end in a row on only after a growing pause, in which others
 *                                                are worked on
 *
 * Every write of a holder is guarded by its `lease_owner` and throws {@link LeaseLost} when somebody else holds the
 * row.
 */
export class LeasedRows<Row extends LeasedRow> {
  readonly table: string;
  /** Heartbeats by owner, of leases under way. */
  private readonly steps = new Map<string | null, number>();
  private readonly key: readonly (keyof Row & string)[];
  private readonly code: string;
  private readonly mine: string;

  constructor({ table, key, code = 'error_code' }: LeasedTable<Row>) {
    this.table = table;
    this.key = key;
    this.code = code;
    this.mine = `${key.map((column) => `${column} = ?`).join(' AND ')} AND lease_owner = ?`;
  }

  /** When the row with this key is due again, and why its last try failed; null where there is no such row. */
  async waiting(queryable: Queryable, key: readonly SqlInput[]): Promise<Waiting | null> {
    const where = this.key.map((column) => `${column} = ?`).join(' AND ');
    const sql = `SELECT due_at, ${this.code} AS error FROM ${this.table} WHERE ${where}`;
    const [row] = await queryable.few<Waiting>(sql, key);
    return row ?? null;
  }

  /** Whether a claim would find anything; a reader may ask, so that an idle queue writes nothing. */
  async anyDue(queryable: Queryable, now: number, only = everything): Promise<boolean> {
    const rows = await queryable.few(`SELECT 1 AS due FROM ${this.table} WHERE ${claimable(only)} LIMIT 1`, [
      now,
      now,
      ...only.values,
    ]);
    return rows.length > 0;
  }

  /**
   * Leases due rows of nobody else, longest due first, and answers them as they are then. A row whose last holder ended
   * without a word comes alone: should it kill the process, it takes no other row's tries with it. One that did so
   * before is put off first.
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
    const lease = { lease_owner: `${newId()}${markOf(endsOf(first))}`, lease_until: now + LEASE_MS };
    await tx.execute(
      `UPDATE ${this.table} SET lease_owner = ?, lease_until = ?, attempts = attempts + 1 WHERE ${this.among(rows)}`,
      [lease.lease_owner, lease.lease_until, ...rows.flatMap((row) => this.keyOf(row))],
    );
    return rows.map((row) => Object.assign(row, lease, { attempts: row.attempts + 1 }));
  }

  /**
   * For a step that holds alone and leaves the row as it is: throws where somebody else holds the row, and keeps them
   * from it until the transaction ends.
   */
  async assertHeld(tx: Tx, held: Row): Promise<void> {
    const sql = `SELECT 1 AS held FROM ${this.table} WHERE ${this.mine} ${tx.forShare}`;
    const rows = await tx.rows(sql, [...this.keyOf(held), held.lease_owner]);
    if (rows.length === 0) throw new LeaseLost(this.table);
  }

  /** A step is done and another follows under the same lease, which begins anew. Answers the row after it. */
  async heartbeat(tx: Tx, held: Row, now: number, change: Change<Row> = {}): Promise<Row> {
    const after = await this.write(tx, held, { ...change, attempts: 1, waits: 0, lease_until: now + LEASE_MS });
    this.steps.set(held.lease_owner, this.stepsOf([held]) + 1);
    return after;
  }

  /** How many heartbeats the work on rows of one claim has had. */
  stepsOf([held]: readonly Row[]): number {
    return this.steps.get(held?.lease_owner ?? null) ?? 0;
  }

  /**
   * The leases of rows claimed together begin anew, of those that are still held and that no transaction is about to
   * change; answers how many. A due time that was the end of the lease stays that.
   */
  renew(tx: Tx, held: readonly Row[], now: number): Promise<number> {
    const until = now + LEASE_MS;
    const key = this.key.join(', ');
    const mine = `${this.among(held)} AND lease_owner = ?`;
    return tx.execute(
      `UPDATE ${this.table} SET due_at = CASE WHEN due_at = lease_until THEN ? ELSE due_at END, lease_until = ?
       WHERE (${key}) IN (SELECT ${key} FROM ${this.table} WHERE ${mine} ${tx.skipLocked})`,
      [until, until, ...held.flatMap((row) => this.keyOf(row)), held[0]?.lease_owner],
    );
  }

  /** The work is done until `dueAt`, or with null for good. Answers the row after it. */
  complete(tx: Tx, held: Row, dueAt: number | null, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { [this.code]: null, ...workedOff, ...change, ...unleased, due_at: dueAt });
  }

  /**
   * The work on rows of one claim is done for good, in one statement; in the columns of `own`, among them that of the
   * code, each row gets values of its own. `attempts` stays as it is. Throws {@link LeaseLost} where one of them is no
   * longer held: then none of them is to be done.
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
       WHERE ${same} AND ${this.table}.lease_owner = ?`,
      [...values, ...rows.flat(), owner],
    );
    this.steps.delete(owner);
    if (written !== held.length) throw new LeaseLost(this.table);
  }

  /** The same again at `dueAt`. A try that does not count was no fault of the row's. */
  defer(
    tx: Tx,
    held: Row,
    { dueAt, code, counts }: { dueAt: number; code: string; counts: boolean },
    change: Change<Row> = {},
  ): Promise<Row> {
    const tries = counts ? { waits: 0 } : { attempts: held.attempts - 1, waits: held.waits + 1 };
    return this.write(tx, held, { ...change, [this.code]: code, ...tries, ...unleased, due_at: dueAt });
  }

  /** Hands the row back as it was before the claim. */
  release(tx: Tx, held: Row, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { ...change, attempts: held.attempts - 1, ...unleased, due_at: held.due_at });
  }

  /** As `release`, of a row whose holder may have lost it. */
  async giveBack(tx: Tx, held: Row): Promise<void> {
    await tx.execute(
      `UPDATE ${this.table} SET lease_owner = NULL, lease_until = NULL, attempts = attempts - 1 WHERE ${this.mine}`,
      [...this.keyOf(held), held.lease_owner],
    );
  }

  /** Not to be tried again. */
  bury(tx: Tx, held: Row, code: string, change: Change<Row> = {}): Promise<Row> {
    return this.write(tx, held, { ...change, [this.code]: code, ...unleased, due_at: null });
  }

  /**
   * Ends every lease; answers how many. For the start of a process that has the store to itself: whoever held them is
   * dead. The rows still come one at a time, as after a lease that ran out.
   */
  releaseDead(tx: Tx, now: number): Promise<number> {
    return tx.execute(
      `UPDATE ${this.table} SET lease_until = ?, due_at = ? WHERE due_at IS NOT NULL AND lease_until > ?`,
      [now, now, now],
    );
  }

  /** See {@link bringForward}: when rows are due, and when their leases end. */
  async bringForward(tx: Tx, step: StepBack): Promise<number> {
    const due = await bringForward(tx, this.table, 'due_at', step);
    return due + (await bringForward(tx, this.table, 'lease_until', step, 'due_at IS NOT NULL'));
  }

  /** The mark of its ends stays with it, without a holder. */
  private async putOff(tx: Tx, row: Row, now: number): Promise<void> {
    const ends = endsOf(row);
    const dueAt = now + pauseAfter(ends);
    await tx.execute(`UPDATE ${this.table} SET lease_owner = ?, lease_until = NULL, due_at = ? WHERE ${this.mine}`, [
      markOf(ends),
      dueAt,
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
    const same = `(${this.key.map((each) => `${each} = ?`).join(' AND ')})`;
    return `(${rows.map(() => same).join(' OR ')})`;
  }

  private keyOf(row: Row): SqlInput[] {
    return this.key.map((column) => row[column] as SqlInput);
  }
}

/** A machine's clock was set back by `ms`; it is `now` since. Epoch milliseconds. */
export interface StepBack {
  readonly now: number;
  readonly ms: number;
}

/** What was due already when the clock was set back has waited less than this, or waits for the step to pass. */
const LONGEST_OVERDUE_MS = 15 * 60_000;

/**
 * Moves times that were due by a clock that was then set back, so that they are due after the time they were meant to
 * be, and at once if they were due already. Those that lie less ahead than that stay: they were stored since, or
 * another process has moved them. After a short step these cannot be told apart, and come early. Answers how many
 * moved.
 */
export function bringForward(
  tx: Tx,
  table: string,
  column: string,
  { now, ms }: StepBack,
  where = '1 = 1',
): Promise<number> {
  const sql = `UPDATE ${table} SET ${column} = ${column} - ? WHERE ${column} > ? AND ${where}`;
  return tx.execute(sql, [ms, now + Math.max(0, ms - LONGEST_OVERDUE_MS)]);
}

function claimable({ where }: Restriction): string {
  return `due_at <= ? AND (lease_until IS NULL OR lease_until <= ?) AND ${where}`;
}
