import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { processSigns } from '../../platform/platform/this-process.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { AlarmFinder } from './alarm-finder.js';
import { type Alarm, type AlarmCode, alarmCodes, type Finding, stillAcknowledged } from './alarm-list.js';
import { AlarmsRepository } from './alarms.repository.js';
import { AlarmsTelemetry } from './alarms.telemetry.js';
import { ProcessReports } from './process-reports.js';

/**
 * Raises and clears alarms. Every process checks the conditions. The primary key of `alarms` merges their findings into
 * one alarm, and the process that changed the row logs it.
 *
 *   (no row)  --condition holds-->         raised    logged
 *   raised    --condition still holds-->   raised    count and since are updated
 *   raised    --condition ended-->         (no row)  logged
 *
 * An operator can acknowledge a raised alarm. It stays, but is no reason to act until it grows, which is logged.
 *
 * While the store refuses writes, each process keeps and logs its alarms in memory, and stores those that still hold
 * afterwards. A crash loses only that memory: conditions that hold are found again.
 */
@Injectable()
export class AlarmsService {
  /** Raised alarms as of the last round of this process. */
  private known: readonly Alarm[] = [];
  /** Alarms that were logged by this process but could not be stored. */
  private unstored: ReadonlySet<string> = new Set();

  constructor(
    private readonly repository: AlarmsRepository,
    private readonly reports: ProcessReports,
    private readonly finder: AlarmFinder,
    private readonly lane: WriteLane,
    private readonly telemetry: AlarmsTelemetry,
  ) {
    telemetry.watch(
      () => this.known,
      () => reports.showsStore,
    );
  }

  /** Alarms raised by any process; from memory if the store cannot be read. */
  async current(now: number): Promise<readonly Alarm[]> {
    const stored = await this.repository.raised().catch(() => null);
    if (stored && this.reports.storeRefusedSince(now) === null) return inOrder(stored);
    return inOrder([...this.known.filter(({ code }) => code !== 'store_refused'), this.storeAlarm(now)]);
  }

  /** Throws `not_found` if the alarm is not raised, `conflict` if it must stay open until its cause has ended. */
  async acknowledge(code: AlarmCode, by: string, reason: string, now: number): Promise<Alarm> {
    if (code === 'critical_results') {
      throw new AppError('conflict', 'Record that the patient was informed: no acknowledgement replaces it.');
    }
    const alarm = await this.lane.run((tx) => this.repository.acknowledge(tx, code, { at: now, by, reason }));
    if (!alarm) throw new AppError('not_found', 'This alarm is not raised.');
    this.known = this.known.map((each) => (each.code === code ? alarm : each));
    return alarm;
  }

  /**
   * Stores the report of this process, then raises and clears alarms from the reports of all. Rejects if the conditions
   * cannot be read although the store accepts writes; the alarms stay as they were, and `rounds_failing` joins them
   * once that has happened three times in a row.
   */
  async look(now: number): Promise<void> {
    const refusedSince = this.reports.storeRefusedSince(now) ?? now;
    if (await this.reports.write(now)) {
      this.reports.noteStore({ works: true });
      const found = await this.finder.find(now).catch(async (error: unknown) => {
        if (!(await this.reports.isWritable(now))) return null;
        await this.raiseFailing(now);
        throw error;
      });
      if (found && (await this.canStore(found, now))) return;
    }
    this.reports.noteStore({ works: false, since: refusedSince });
    this.keep(await this.findWithout(now), now);
  }

  private async raiseFailing(now: number): Promise<void> {
    const count = this.reports.own(now).failing.length;
    const before = await this.repository.raised();
    if (count === 0 || holds(before, 'rounds_failing')) return;
    const finding: Finding = { code: 'rounds_failing', count, since: null };
    await this.lane.run((tx) => this.repository.change(tx, { changed: [finding], gone: [] }, now));
    this.known = inOrder([...this.known, alarmOf(finding, before, now)]);
    this.logRaised(this.known, finding.code);
  }

  private canStore(found: readonly Finding[], now: number): Promise<boolean> {
    return this.store(found, now).then(
      () => true,
      () => false,
    );
  }

  /**
   * Findings while the store refuses writes: from reads if they work, else from own signs and previously known alarms.
   */
  private async findWithout(now: number): Promise<Finding[]> {
    const read = await this.finder.find(now).catch(() => null);
    if (read) return read;
    const signs = this.reports.own(now).signs;
    const seen = processSigns.flatMap((code) => {
      const since = signs[code];
      return since === undefined ? [] : [{ code, count: 1, since }];
    });
    const others = this.known.filter(({ code }) => !processSigns.some((sign) => sign === code));
    return [...seen, ...others];
  }

  private async store(found: readonly Finding[], now: number): Promise<void> {
    const before = await this.repository.raised();
    const gone = before.filter(({ code }) => !holds(found, code));
    const changed = found.filter((finding) => !before.some((row) => isSame(row, finding)));
    const made = { raised: [] as Finding[], cleared: [] as Alarm[] };
    if (gone.length + changed.length > 0) {
      Object.assign(made, await this.lane.run((tx) => this.repository.change(tx, { changed, gone }, now)));
    }
    const current = found.map((finding) => alarmOf(finding, [...before, ...this.known], now));
    for (const { code } of made.raised) {
      if (!this.unstored.has(code)) this.logRaised(current, code);
    }
    const clearedHere = this.known.filter(({ code }) => this.unstored.has(code) && !holds(found, code));
    for (const alarm of [...made.cleared, ...clearedHere]) this.telemetry.cleared(alarm, now);
    this.known = current;
    this.unstored = new Set();
  }

  private keep(found: readonly Finding[], now: number): void {
    const before = this.known;
    this.known = inOrder(found.map((finding) => alarmOf(finding, before, now)));
    const raised = this.known.filter(({ code }) => !holds(before, code));
    for (const { code } of raised) this.logRaised(this.known, code);
    for (const alarm of before.filter(({ code }) => !holds(found, code))) this.telemetry.cleared(alarm, now);
    this.unstored = new Set([...this.unstored, ...raised.map(({ code }) => code)]);
  }

  private logRaised(alarms: readonly Alarm[], code: string): void {
    for (const alarm of alarms) if (alarm.code === code) this.telemetry.raised(alarm);
  }

  private storeAlarm(now: number): Alarm {
    const since = this.reports.storeRefusedSince(now) ?? now;
    const known = this.known.find(({ code }) => code === 'store_refused');
    return known ?? { code: 'store_refused', count: 1, since, raised_at: since, acknowledged: null };
  }
}

function holds(findings: readonly Finding[], code: string): boolean {
  return findings.some((finding) => finding.code === code);
}

function isSame(row: Alarm, { code, count, since, providers, reasons }: Finding): boolean {
  const isAsOld = since === null || row.since === since;
  const lists = [row.providers, row.reasons];
  return row.code === code && row.count === count && isAsOld && isDeepStrictEqual(lists, [providers, reasons]);
}

function alarmOf(finding: Finding, known: readonly Alarm[], now: number): Alarm {
  const before = known.find(({ code }) => code === finding.code);
  const times = { since: finding.since ?? before?.since ?? now, raised_at: before?.raised_at ?? now };
  return { ...finding, ...times, acknowledged: stillAcknowledged(before, finding) };
}

function inOrder(alarms: readonly Alarm[]): Alarm[] {
  return [...alarms].sort((a, b) => alarmCodes.indexOf(a.code) - alarmCodes.indexOf(b.code));
}
