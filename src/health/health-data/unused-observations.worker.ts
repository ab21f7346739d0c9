import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { observationIdsAt } from './record.entity.js';
import { type NamedObservation, type Place, UnusedObservationsRepository } from './unused-observations.repository.js';

/*
 * Records name the newest observation that showed them, so most observations are named by none after a while. Once a
 * day every record is passed, in slices; what they name is remembered.
 *
 *   no record names it          --two days apart, both times-->  deleted
 *   marked as unused            --an observation again, as by a replay (observe)-->  no longer marked
 *   marked, but a record names it-->                             no longer marked
 *
 * Only those are looked at that are too old for a pull under way to have begun with them. Nothing is lost where a
 * round ends early: the next one begins again.
 */

const INTERVAL_MS = DAY_MS;
/** After a start, so that a process that starts often does not pass all records each time. */
const FIRST_AFTER_MS = HOUR_MS;
const SETTLED_AFTER_MS = 14 * DAY_MS;
const SLICE_SIZE = 2_000;

type Read = (after: Place, limit: number) => Promise<NamedObservation[]>;

/** One passage over everything. */
interface Passage {
  readonly begunAt: number;
  readonly named: IdFilter;
  stage: 'samples' | 'summaries' | 'observations';
  /** The last one passed of the stage. */
  place: Place;
}

@Injectable()
export class UnusedObservationsWorker {
  readonly loop: WorkerLoop;
  private readonly deleted;
  /** By the monotonic clock. */
  private nextAt: number;
  private passage: Passage | null = null;

  constructor(
    private readonly repository: UnusedObservationsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    metrics: Metrics,
    workers: WorkerRegistry,
  ) {
    this.nextAt = clock.monotonic() + FIRST_AFTER_MS;
    this.deleted = metrics.counter('observations_deleted_total', 'Observations deleted that no record named any more');
    this.loop = workers.register({
      name: 'unused-observations',
      everyMs: HOUR_MS,
      work: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    if (this.passage === null) {
      const now = this.clock.monotonic();
      if (now < this.nextAt) return 'idle';
      this.nextAt = now + INTERVAL_MS;
      this.passage = { begunAt: this.clock.now(), named: new IdFilter(), stage: 'samples', place: beforeAll.samples };
    }
    const begun = performance.now();
    const isOver = await this.step(this.passage);
    if (isOver) this.passage = null;
    // Half of the time is left to everything else.
    else await pause(performance.now() - begun, undefined, { signal }).catch(() => undefined);
    return isOver ? 'idle' : 'more';
  }

  /** The next slice; answers whether it was the last. */
  private async step(passage: Passage): Promise<boolean> {
    const { repository } = this;
    switch (passage.stage) {
      case 'samples':
        await this.remember(passage, (after, limit) => repository.ofSamples(after, limit), 'summaries');
        return false;
      case 'summaries':
        await this.remember(passage, (after, limit) => repository.ofSummaries(after, limit), 'observations');
        return false;
      case 'observations':
        return this.sweep(passage);
    }
  }

  private async remember(passage: Passage, read: Read, next: Passage['stage']): Promise<void> {
    const slice = await read(passage.place, SLICE_SIZE);
    for (const { observation } of slice) passage.named.add(observation);
    const last = slice.at(-1);
    if (last) passage.place = last.place;
    if (slice.length === SLICE_SIZE) return;
    passage.stage = next;
    passage.place = beforeAll[next];
  }

  private async sweep(passage: Passage): Promise<boolean> {
    const { named, begunAt } = passage;
    const below = observationIdsAt(begunAt - SETTLED_AFTER_MS).first;
    const slice = await this.repository.between(passage.place[0] as number, below, SLICE_SIZE);
    const idsOf = (isNamed: boolean, isMarked: boolean): number[] =>
      slice
        .filter((one) => named.has(one.id) === isNamed && (one.unused_since !== null) === isMarked)
        .map(({ id }) => id);
    const deleted = await this.lane.run(async (tx) => {
      await this.repository.markUsed(tx, idsOf(true, true));
      await this.repository.markUnused(tx, idsOf(false, false), begunAt);
      return this.repository.delete(tx, idsOf(false, true), begunAt);
    });
    this.deleted.inc(deleted);
    passage.place = [slice.at(-1)?.id ?? 0];
    return slice.length < SLICE_SIZE;
  }
}

const beforeAll = {
  samples: [0, Number.MIN_SAFE_INTEGER, -1],
  summaries: [0, '', ''],
  observations: [0],
} as const;

/** 8 MiB of bits; of a million ids, one in 67 others is taken for one of them. */
const BITS = 2 ** 26;
/** The largest prime below, so that ids which follow each other, or have a factor in common, spread. */
const SLOTS = 67_108_859;

/** A set of ids that takes the same memory however many there are, and sometimes says yes for one that is not in it. */
class IdFilter {
  private readonly words = new Uint32Array(BITS / 32);

  add(id: number): void {
    const slot = id % SLOTS;
    this.words[slot >>> 5] = (this.words[slot >>> 5] as number) | (1 << (slot & 31));
  }

  has(id: number): boolean {
    const slot = id % SLOTS;
    return ((this.words[slot >>> 5] as number) & (1 << (slot & 31))) !== 0;
  }
}
