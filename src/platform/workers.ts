import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { WorkerLoop } from './worker-loop.js';

interface Registered {
  readonly loop: WorkerLoop;
  readonly everyMs: number;
}

/**
 * Every background loop of the process. Each worker adds its own; the schedule only ticks them, the loops themselves
 * keep from overlapping and drain.
 */
@Injectable()
export class Workers {
  private readonly registered: Registered[] = [];

  constructor(private readonly schedule: SchedulerRegistry) {}

  add(loop: WorkerLoop, everyMs: number): void {
    this.registered.push({ loop, everyMs });
  }

  all(): WorkerLoop[] {
    return this.registered.map((entry) => entry.loop);
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
