import { DAY_MS } from '../../platform/platform/time.js';
import { aheadOf, type Sample } from '../catalogue/records.js';
import type { UnplacedSamples } from '../clock/changed-days.service.js';

/** Summary of the samples of one series that have new content. */
export interface SamplesChange extends UnplacedSamples {
  /** True if no sample was stored at any of their times. */
  readonly areNew: boolean;
}

/** The way in which the days of a series are counted. */
export interface DayRule {
  /** Its times are local times, written as if they were UTC. */
  readonly isFloating: boolean;
  /** Time before midnight at which its days begin, in milliseconds. */
  readonly shift: number;
}

/** Summarizes which samples of one series have new content. Samples must be added in order of time. */
export class SamplesChanges {
  private change: { -readonly [Name in keyof SamplesChange]: SamplesChange[Name] } | null = null;
  private attributes: string | null = null;
  private offsetMs: number | null = null;

  constructor(private readonly rule: DayRule) {}

  /** Adds `count` samples of one time with new content; `stored` is the number of samples stored there before. */
  add(sample: Pick<Sample, 'time' | 'attributes'>, count: number, stored: number): void {
    const { time } = sample;
    const day = this.localDay(sample);
    const [firstDay, lastDay] = day === null ? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] : [day, day];
    const change = (this.change ??= {
      ...{ start: time, end: time, count: 0, firstDay, lastDay, areNew: true, unplaced: null },
    });
    change.end = time;
    change.count += count;
    if (firstDay < change.firstDay) change.firstDay = firstDay;
    if (lastDay > change.lastDay) change.lastDay = lastDay;
    if (stored > 0) change.areNew = false;
    if (day === null) change.unplaced = { first: change.unplaced?.first ?? time, last: time };
  }

  get sum(): SamplesChange | null {
    return this.change;
  }

  /** Day number in local time by the sample's offset; null if it does not say one. */
  private localDay({ time, attributes }: Pick<Sample, 'time' | 'attributes'>): number | null {
    if (attributes !== this.attributes) {
      this.attributes = attributes;
      this.offsetMs = this.rule.isFloating ? 0 : aheadOf(attributes);
    }
    return this.offsetMs === null ? null : Math.floor((time + this.offsetMs + this.rule.shift) / DAY_MS);
  }
}
