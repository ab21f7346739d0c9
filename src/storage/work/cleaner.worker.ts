import { Injectable } from '@nestjs/common';
import { CLEANER_EVERY_MS, CLEANER_SHRINK } from '../database/tuning.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import { WorkerRegistry } from './worker-registry.js';

/** `passed`: the slice had nothing to delete, but the next one may. `end`: nothing old is left. */
export type SliceOutcome = 'deleted' | 'passed' | 'end';

/** The way in which the old rows of a table are deleted. */
export interface Cleaning {
  /** Largest slice, small enough not to delay webhooks. */
  readonly maxRows: number;
  /** Looks at no more than `limit` rows, oldest first. Deleting twice must have the same effect. */
  slice(limit: number): Promise<SliceOutcome>;
}

/*
 * Deletes what is old: one cleaning after another, in slices. A slice that fails, for example at the database's limit
 * for statements, is repeated with fewer rows; if even one row fails, the other cleanings continue, and the round fails
 * at its end. Needs no lease. Progress is not stored; after an interruption it restarts at the oldest row.
 */
@Injectable()
export class CleanerWorker {
  readonly loop: WorkerLoop;
  private readonly cleanings: Cleaning[] = [];
  private readonly limits = new Map<Cleaning, number>();
  private place = 0;
  private failed: { error: unknown } | null = null;

  constructor(workers: WorkerRegistry) {
    this.loop = workers.register({ name: 'cleaner', everyMs: CLEANER_EVERY_MS, work: (signal) => this.round(signal) });
  }

  add(cleaning: Cleaning): void {
    this.cleanings.push(cleaning);
  }

  /** Takes slices until one deleted rows or every cleaning is at its end. */
  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    while (!signal.aborted) {
      const cleaning = this.cleanings[this.place];
      if (cleaning === undefined) return this.end();
      const outcome = await this.slice(cleaning);
      if (outcome === 'end') this.place += 1;
      if (outcome === 'deleted') return 'more';
    }
    return 'idle';
  }

  private async slice(cleaning: Cleaning): Promise<SliceOutcome> {
    const limit = this.limits.get(cleaning) ?? cleaning.maxRows;
    try {
      const outcome = await cleaning.slice(limit);
      this.limits.set(cleaning, Math.min(cleaning.maxRows, limit * 2));
      return outcome;
    } catch (error) {
      this.limits.set(cleaning, Math.ceil(limit / CLEANER_SHRINK));
      if (limit > 1) return 'passed';
      this.failed ??= { error };
      return 'end';
    }
  }

  private end(): 'idle' {
    const { failed } = this;
    this.place = 0;
    this.failed = null;
    if (failed) throw failed.error;
    return 'idle';
  }
}
