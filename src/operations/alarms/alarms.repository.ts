import { Injectable } from '@nestjs/common';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import { shapeOf } from '../../storage/database/columns.js';
import { Reader } from '../../storage/database/reader.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { type AlarmEntity, ProcessEntity } from './alarm.entity.js';
import { type ProcessReport, REPORT_GOOD_MS } from './alarm-facts.js';
import { type Acknowledgement, type Alarm, type AlarmCode, type Finding, stillAcknowledged } from './alarm-list.js';
import type { CallLoans } from './call-loans.js';
import type { ChangeLoans } from './loan-keeper.js';

/** Reports of dead processes are deleted after this long. */
const REPORTS_KEPT_MS = 3_600_000;

const reports: BulkShape = {
  ...shapeOf(ProcessEntity, ['instance', 'role', 'seen_at', 'report']),
  update: ['seen_at', 'report'],
};

/** Number of live processes, for programs that read PostgreSQL without the application. */
export async function running(
  rows: <T>(sql: string, values: readonly number[]) => Promise<T[]>,
  now: number,
): Promise<number> {
  const sql = 'SELECT instance FROM processes WHERE seen_at >= $1';
  return (await rows(sql, [now - REPORT_GOOD_MS])).length;
}

export interface AlarmChanges {
  readonly changed: readonly Finding[];
  readonly gone: readonly Alarm[];
}

@Injectable()
export class AlarmsRepository {
  constructor(private readonly reader: Reader) {}

  /** True if several processes may share the database. */
  get isShared(): boolean {
    return this.reader.dialect === 'postgres';
  }

  async raised(): Promise<Alarm[]> {
    return (await this.reader.few<AlarmEntity>('SELECT * FROM alarms')).map(alarmOf);
  }

  async reportsOfOthers(instance: string): Promise<ProcessReport[]> {
    const rows = await this.reader.few<ProcessEntity>('SELECT * FROM processes WHERE instance <> ?', [instance]);
    // Reports of an older version can lack fields during a rolling update.
    const none = { pauses: {}, failing: [] };
    return rows.map(({ seen_at, report }) => ({
      ...none,
      ...(JSON.parse(report) as Omit<ProcessReport, 'seen_at'>),
      seen_at,
    }));
  }

  /**
   * The time to which the database went back, given that `instance` reported at `at`. Null if that report is still
   * stored, or if a process whose clock is ahead may have deleted it.
   */
  async wentBackTo(tx: Tx, instance: string, at: number): Promise<number | null> {
    const rows = await tx.rows<Pick<ProcessEntity, 'instance' | 'seen_at'>>('SELECT instance, seen_at FROM processes');
    const own = rows.find((row) => row.instance === instance);
    if (own !== undefined) return own.seen_at < at ? own.seen_at : null;
    if (rows.some(({ seen_at }) => seen_at > at + REPORTS_KEPT_MS)) return null;
    return rows.length === 0 ? at : Math.min(at, Math.max(...rows.map(({ seen_at }) => seen_at)));
  }

  /** Upserts the report of a process, and deletes reports of processes that died long ago. */
  async report(tx: Tx, { instance, role }: { instance: string; role: string }, report: ProcessReport): Promise<void> {
    const { seen_at, ...rest } = report;
    await tx.bulk(reports, [instance, role, seen_at, JSON.stringify(rest)]);
    await tx.execute('DELETE FROM processes WHERE seen_at < ?', [seen_at - REPORTS_KEPT_MS]);
  }

  /** The statements of a `ChangeLoans`. */
  async changeLoans(tx: Tx, instance: string, decide: Parameters<ChangeLoans>[0]): Promise<boolean> {
    await tx.lock('loans', 0);
    const now = await tx.sharedClock();
    const others = await tx.few<CallLoans>(
      'SELECT lends, lends_until, borrows, borrows_until FROM processes WHERE instance <> ?',
      [instance],
    );
    const { lends, lends_until, borrows, borrows_until } = decide(others, now);
    const sql = 'UPDATE processes SET lends = ?, lends_until = ?, borrows = ?, borrows_until = ? WHERE instance = ?';
    return (await tx.execute(sql, [lends, lends_until, borrows, borrows_until, instance])) > 0;
  }

  /** The process whose metrics include the store: a live one with background work, if any. */
  async showingStore(since: number, until: number): Promise<string | null> {
    const row = await this.reader.row<{ instance: string }>(
      `SELECT instance FROM processes WHERE seen_at >= ? AND seen_at <= ?
       ORDER BY CASE role WHEN 'api' THEN 1 ELSE 0 END, instance LIMIT 1`,
      [since, until],
    );
    return row?.instance ?? null;
  }

  async forget(tx: Tx, instance: string): Promise<void> {
    await tx.execute('DELETE FROM processes WHERE instance = ?', [instance]);
  }

  /** Null if the alarm is not raised. */
  async acknowledge(tx: Tx, code: AlarmCode, by: Omit<Acknowledgement, 'count'>): Promise<Alarm | null> {
    const [row] = await tx.rows<AlarmEntity>('SELECT * FROM alarms WHERE code = ?', [code]);
    if (!row) return null;
    const acknowledged = JSON.stringify({ ...by, count: row.count } satisfies Acknowledgement);
    await tx.execute('UPDATE alarms SET acknowledged = ? WHERE code = ?', [acknowledged, code]);
    return alarmOf({ ...row, acknowledged });
  }

  /** Stores new, changed and ended alarms. Returns those that this call raised, or raised again, and cleared. */
  async change(tx: Tx, { changed, gone }: AlarmChanges, now: number): Promise<{ raised: Finding[]; cleared: Alarm[] }> {
    const raised: Finding[] = [];
    const again: Finding[] = [];
    for (const finding of changed) {
      if (await this.raise(tx, finding, now)) raised.push(finding);
      else if (await this.update(tx, finding)) again.push(finding);
    }
    const cleared: Alarm[] = [];
    for (const { code } of gone) {
      const rows = await tx.rows<AlarmEntity>('DELETE FROM alarms WHERE code = ? RETURNING *', [code]);
      cleared.push(...rows.map(alarmOf));
    }
    const changes = [
      ...raised.map(({ code }) => ({ code, action: 'created' as const })),
      ...again.map(({ code }) => ({ code, action: 'changed' as const })),
      ...cleared.map(({ code }) => ({ code, action: 'gone' as const })),
    ];
    await noteChanges(
      tx,
      changes.map(({ code, action }) => ({ kind: 'alarm', action, account: null, subject: code })),
      now,
    );
    return { raised: [...raised, ...again], cleared };
  }

  /** Returns false if the alarm is already raised. */
  private async raise(tx: Tx, { code, count, since, providers, reasons }: Finding, now: number): Promise<boolean> {
    const inserted = await tx.execute(
      `INSERT INTO alarms (code, count, since, raised_at, providers, reasons) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (code) DO NOTHING`,
      [code, count, since ?? now, now, jsonOf(providers), jsonOf(reasons)],
    );
    return inserted > 0;
  }

  /** Returns true if the alarm has grown beyond its acknowledgement, which this call ends. */
  private async update(tx: Tx, finding: Finding): Promise<boolean> {
    const { code, count, since, providers, reasons } = finding;
    const [row] = await tx.rows<AlarmEntity>('SELECT * FROM alarms WHERE code = ?', [code]);
    const acknowledged = row ? stillAcknowledged(alarmOf(row), finding) : null;
    const [before, after] = [row?.acknowledged ?? null, acknowledged && JSON.stringify(acknowledged)];
    // An acknowledgement that arrived since the row was read is kept.
    const sql = `UPDATE alarms SET count = ?, since = COALESCE(?, since), providers = ?, reasons = ?,
      acknowledged = CASE WHEN acknowledged = ? THEN ? ELSE acknowledged END WHERE code = ?`;
    await tx.execute(sql, [count, since, jsonOf(providers), jsonOf(reasons), before, after, code]);
    return before !== null && after === null;
  }
}

function jsonOf(list: readonly string[] | undefined): string | null {
  return list ? JSON.stringify(list) : null;
}

function alarmOf({ providers, reasons, acknowledged, ...row }: AlarmEntity): Alarm {
  return {
    ...row,
    acknowledged: acknowledged === null ? null : (JSON.parse(acknowledged) as Acknowledgement),
    ...(providers !== null && { providers: JSON.parse(providers) as string[] }),
    ...(reasons !== null && { reasons: JSON.parse(reasons) as string[] }),
  };
}
