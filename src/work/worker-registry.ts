import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { WorkerLoop } from './worker-loop.js';

interface Registered {
  readonly loop: WorkerLoop;
  readonly everyMs: number;
}

const intervalsUntilLate = 3;
/** A loop with a short interval is not called late for one pause of the process. */
const leastLateMs = 5_000;

/**
 * Every background loop of the process. Each worker adds its own; the schedule only ticks them, the loops themselves
 * keep from overlapping and drain.
 */
@Injectable()
export class WorkerRegistry {
  private readonly registered: Registered[] = [];
  private stopped = false;

  constructor(private readonly schedule: SchedulerRegistry) {}

  add(loop: WorkerLoop, everyMs: number): void {
    this.registered.push({ loop, everyMs });
  }

  all(): WorkerLoop[] {
    return this.registered.map((entry) => entry.loop);
  }

  /** True from the moment the process was told to stop. */
  get stopping(): boolean {
    return this.stopped;
  }

  /** Names of the loops that were not ticked for three of their intervals (at least 5 s), or never. */
  late(now: number): string[] {
    const isLate = ({ loop, everyMs }: Registered): boolean =>
      loop.lastTickAt === null || now - loop.lastTickAt > Math.max(leastLateMs, intervalsUntilLate * everyMs);
    return this.registered.filter(isLate).map(({ loop }) => loop.name);
  }

  /** Ticks every loop now and then on its interval. */
  start(): void {
    for (const { loop, everyMs } of this.registered) {
      this.schedule.addInterval(
        loop.name,
        setInterval(() => loop.tick(), everyMs),
      );
      loop.tick();
    }
  }

  /** Stops the ticking and lets work in hand finish; names the loops that did not by the deadline. */
  async stop(deadlineMs: number): Promise<string[]> {
    this.stopped = true;
    for (const { loop } of this.registered) {
      if (this.schedule.doesExist('interval', loop.name)) this.schedule.deleteInterval(loop.name);
    }
    const ends = await Promise.all(
      this.all().map(async (loop) => ({ name: loop.name, end: await loop.stop(deadlineMs) })),
    );
    return ends.filter(({ end }) => end === 'abandoned').map(({ name }) => name);
  }

  /** Works until no loop finds anything to do: what one loop stores can be work for another. */
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
