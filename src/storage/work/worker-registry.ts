import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Role } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Reader } from '../database/reader.js';
import { ROUND_RETRY_MS, STUCK_AFTER_MS } from '../database/tuning.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import type { LeasedRow } from './lease.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { LeasedRows, StepBack } from './leased-rows.js';
import { Queue, type QueueOptions } from './queue.js';
import { WorkerLoop, type WorkOutcome } from './worker-loop.js';

export interface WorkerOptions {
  readonly name: string;
  readonly everyMs: number;
  /** A longer round counts as stuck; default ten minutes. */
  readonly stuckAfterMs?: number | undefined;
  /** Also runs in processes that only serve HTTP, because the work concerns the process itself. */
  readonly inEveryRole?: boolean;
  /** One round of limited length; see WorkerLoopOptions. */
  readonly work: (signal: AbortSignal) => Promise<WorkOutcome>;
}

interface Registered {
  readonly loop: WorkerLoop;
  readonly everyMs: number;
  readonly stuckAfterMs: number;
  readonly inEveryRole: boolean;
}

/** Due times in one table. */
export interface DueTimes {
  /** Returns the number of moved times. */
  bringForward(tx: Tx, step: StepBack): Promise<number>;
}

type DeadLeases = Pick<LeasedRows<LeasedRow>, 'table' | 'releaseDead' | 'bringForward'>;

const intervalsUntilLate = 3;
/** After so many failed rounds, chance is ruled out. */
const FAILED_IN_A_ROW = 3;
/** Prevents a loop with a short interval from being late after one pause of the process. */
const leastLateMs = 5_000;

/**
 * All background workers of the process. Workers register here; the schedule only ticks them, and the loops prevent
 * overlap and drain.
 */
@Injectable()
export class WorkerRegistry implements OnApplicationBootstrap {
  readonly leases = new LeaseKeeper(this.lane, this.clock);
  private readonly registered: Registered[] = [];
  private readonly leased = new Set<DeadLeases>();
  private readonly scheduled = new Set<DueTimes>();
  private stopped = false;

  constructor(
    private readonly schedule: SchedulerRegistry,
    private readonly lane: WriteLane,
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** Registers a worker that finds its own work. */
  register({ name, everyMs, stuckAfterMs = STUCK_AFTER_MS, inEveryRole = false, work }: WorkerOptions): WorkerLoop {
    const { clock, log, metrics } = this;
    const loop = new WorkerLoop({ name, work, clock, log, metrics });
    this.registered.push({ loop, everyMs, stuckAfterMs, inEveryRole });
    return loop;
  }

  /** Registers a worker on a queue of leased rows, which looks for due rows every `everyMs`. */
  registerQueue<Row extends LeasedRow>(options: QueueOptions<Row> & Pick<WorkerOptions, 'everyMs'>): WorkerLoop {
    const queue = this.queue(options);
    return this.register({ ...options, work: (signal) => queue.round(signal) });
  }

  /** A queue whose rounds another worker runs. */
  queue<Row extends LeasedRow>(options: QueueOptions<Row>): Queue<Row> {
    const { lane, reader, clock, log, metrics, leases } = this;
    this.releaseAtStart(options.rows);
    return new Queue(options, { lane, reader, clock, log, metrics, leases });
  }

  /** Rows whose leases end at the start, for a worker that claims them itself. */
  releaseAtStart(rows: DeadLeases): void {
    this.leased.add(rows);
  }

  /** Registers due times outside queues. */
  registerDueTimes(times: DueTimes): void {
    this.scheduled.add(times);
  }

  dueTimes(): readonly DueTimes[] {
    return [...this.leased, ...this.scheduled];
  }

  /** One process owns a SQLite file, so leases found at the start belong to a dead process. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.lane.ownsFile) return;
    const now = this.clock.now();
    const released = await this.lane.runAtStart(async (tx) => {
      let count = 0;
      for (const rows of this.leased) count += await rows.releaseDead(tx, now);
      return count;
    });
    if (released > 0) this.log.event('worker.leases_released', { count: released });
  }

  all(): WorkerLoop[] {
    return this.registered.map((entry) => entry.loop);
  }

  get stopping(): boolean {
    return this.stopped;
  }

  /** Names of loops that have started no round for three intervals (at least 5 s), or never. */
  late(): string[] {
    return this.namesOf(isLate);
  }

  /** Names of loops whose round or row has made no progress for longer than allowed. */
  stuck(): string[] {
    const atRows = this.leases.stuck();
    return this.namesOf((each, now) => isStuck(each, now) || atRows.includes(each.loop.name));
  }

  /** Names of loops whose last rounds all failed. */
  failing(): string[] {
    return this.namesOf(({ loop }) => loop.failures >= FAILED_IN_A_ROW);
  }

  /** Names of loops that are neither late nor stuck. */
  working(): string[] {
    const idle = [...this.late(), ...this.stuck()];
    return this.namesOf(({ loop }) => !idle.includes(loop.name));
  }

  private namesOf(test: (each: Registered, now: number) => boolean): string[] {
    const now = this.clock.monotonic();
    return this.registered.filter((each) => test(each, now)).map(({ loop }) => loop.name);
  }

  /** Ticks every loop of the role now, and then at its interval. */
  start(role: Role): void {
    this.leases.start();
    for (const { loop, everyMs, inEveryRole } of this.registered) {
      if (role === 'api' && !inEveryRole) continue;
      this.schedule.addInterval(
        loop.name,
        setInterval(() => loop.tick(), everyMs),
      );
      if (everyMs > ROUND_RETRY_MS) this.repeatFailed(loop);
      loop.tick();
    }
  }

  private repeatFailed(loop: WorkerLoop): void {
    const again = setInterval(() => {
      if (loop.failures > 0) loop.tick();
    }, ROUND_RETRY_MS);
    this.schedule.addInterval(`${loop.name} again`, again);
  }

  /** Stops ticking and lets current work finish. Returns the names of loops that missed the deadline. */
  async stop(deadlineMs: number): Promise<string[]> {
    this.stopped = true;
    for (const { loop } of this.registered) {
      for (const name of [loop.name, `${loop.name} again`]) {
        if (this.schedule.doesExist('interval', name)) this.schedule.deleteInterval(name);
      }
    }
    const ends = await Promise.all(
      this.all().map(async (loop) => ({ name: loop.name, end: await loop.stop(deadlineMs) })),
    );
    this.leases.stop();
    return ends.filter(({ end }) => end === 'abandoned').map(({ name }) => name);
  }

  /** Works until no loop finds anything to do, because one loop may create work for another. */
  async runUntilIdle(): Promise<void> {
    let before: number;
    do {
      before = this.workDone();
      for (const loop of this.all()) await loop.runUntilIdle();
    } while (this.workDone() !== before);
  }

  private workDone(): number {
    return this.all().reduce((sum, loop) => sum + loop.productiveRounds, 0);
  }
}

function isLate({ loop, everyMs }: Registered, now: number): boolean {
  const lateAfterMs = Math.max(leastLateMs, intervalsUntilLate * everyMs);
  return loop.roundStartedAt === null && (loop.lastRoundAt === null || now - loop.lastRoundAt > lateAfterMs);
}

function isStuck({ loop, stuckAfterMs }: Registered, now: number): boolean {
  return loop.roundStartedAt !== null && now - loop.roundStartedAt > stuckAfterMs;
}
