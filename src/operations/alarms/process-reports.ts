import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { RoleConfig } from '../../platform/config/config.js';
import { type ProcessSign, processSigns, ThisProcess } from '../../platform/platform/this-process.js';
import { CLOCK_TOLERANCE_MS, DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { isLive, type ProcessReport, REPORT_GOOD_MS } from './alarm-facts.js';
import { AlarmsRepository } from './alarms.repository.js';
import { REPORT_EVERY_MS } from './tuning.js';

/** Signs that a restart says nothing about, and how long after their alarm was raised they expire at the latest. */
const outlastingRestarts: Partial<Record<ProcessSign, number>> = {
  upstream_key_refused: Number.POSITIVE_INFINITY,
  upstream_away: Number.POSITIVE_INFINITY,
  database_went_back: DAY_MS,
  numbers_repeated: HOUR_MS,
};

/** Publishes the state of this process to all processes. */
@Injectable()
export class ProcessReports implements OnApplicationBootstrap, OnApplicationShutdown {
  /** True if the metrics of this process include the store; true until another process is known. */
  showsStore = true;
  /** Time of the last stored report. */
  private reportedAt: number | null = null;
  private written: { readonly said: string; readonly at: number } | null = null;

  constructor(
    private readonly repository: AlarmsRepository,
    private readonly lane: WriteLane,
    private readonly schema: SchemaService,
    private readonly workers: WorkerRegistry,
    private readonly role: RoleConfig,
    private readonly thisProcess: ThisProcess,
  ) {}

  /** Takes over what an earlier process saw and nothing has disproved since. */
  async onApplicationBootstrap(): Promise<void> {
    const raised = await this.repository.raised();
    for (const sign of processSigns) {
      const alarm = raised.find(({ code }) => code === sign);
      const lasts = outlastingRestarts[sign];
      if (alarm && lasts !== undefined) this.thisProcess.note(sign, alarm.since, alarm.raised_at + lasts);
    }
  }

  own(now: number): ProcessReport {
    const { workers, thisProcess } = this;
    return {
      seen_at: now,
      signs: thisProcess.signs(now),
      working: workers.working(),
      stuck: workers.stuck(),
      failing: workers.failing(),
      pauses: thisProcess.pausesAt(now),
    };
  }

  /** Returns true if the store accepted the report. Rewrites an unchanged report only every REPORT_EVERY_MS. */
  async write(now: number): Promise<boolean> {
    if (this.lane.outOfRoom && !(await this.isWritable(now))) return false;
    const { store_refused: _, ...signs } = this.thisProcess.signs(now);
    const report = { ...this.own(now), signs };
    const said = JSON.stringify({ ...report, seen_at: 0 });
    if (this.written?.said === said && Math.abs(now - this.written.at) < REPORT_EVERY_MS) return true;
    try {
      const { instance } = this.thisProcess;
      const wentBackTo = await this.lane.run(async (tx) => {
        const before =
          this.reportedAt === null ? null : await this.repository.wentBackTo(tx, instance, this.reportedAt);
        await this.repository.report(tx, { instance, role: this.role.role }, report);
        return before;
      });
      if (wentBackTo !== null) this.thisProcess.note('database_went_back', wentBackTo, now + DAY_MS);
      this.written = { said, at: now };
      this.reportedAt = now;
      return true;
    } catch {
      this.written = null;
      return false;
    }
  }

  /** Tests by a write. */
  isWritable(now: number): Promise<boolean> {
    return this.schema.probeWrite(now).then(
      () => true,
      () => false,
    );
  }

  /** The newest reports of all processes, with the current state of this one. */
  async all(now: number): Promise<ProcessReport[]> {
    const showing = await this.repository.showingStore(now - REPORT_GOOD_MS, now + CLOCK_TOLERANCE_MS);
    this.showsStore = showing === null || showing === this.thisProcess.instance;
    const others = await this.repository.reportsOfOthers(this.thisProcess.instance);
    const live = others.filter((report) => isLive(report, now));
    // Only one process can use a SQLite file, so all others are dead.
    this.thisProcess.sharers = this.repository.isShared ? 1 + live.length : 1;
    this.thisProcess.hear(live.map(({ pauses }) => pauses));
    return [...others, this.own(now)];
  }

  /** When the store began to refuse writes; null while it works. */
  storeRefusedSince(now: number): number | null {
    return this.thisProcess.signs(now).store_refused ?? null;
  }

  noteStore(store: { works: true } | { works: false; since: number }): void {
    if (store.works) this.thisProcess.clear('store_refused');
    else this.thisProcess.note('store_refused', store.since);
  }

  /** Not called after a crash; other processes then notice the age of the report. */
  async onApplicationShutdown(): Promise<void> {
    await this.lane.run((tx) => this.repository.forget(tx, this.thisProcess.instance)).catch(() => undefined);
  }
}
