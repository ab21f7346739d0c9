import { DAY_MS } from '../../platform/platform/time.js';
import type { ChangedSamples } from '../../storage/change-log/change.js';
import { aheadOf, type Sample } from '../catalogue/records.js';

/** Summary of the samples of one series that have new content. */
export interface SamplesChange extends ChangedSamples {
  /** True if no sample was stored at any of their times. */
  readonly areNew: boolean;
}

/** Summarizes which samples of one series have new content. Samples must be added in order of time. */
export class SamplesChanges {
  private change: { -readonly [Name in keyof SamplesChange]: SamplesChange[Name] } | null = null;
  private attributes = '';
  private offsetMs = 0;

  /** Adds `count` samples of one time with new content; `stored` is the number of samples stored there before. */
  add(sample: Pick<Sample, 'time' | 'attributes'>, count: number, stored: number): void {
    const { time } = sample;
    const day = this.localDay(sample);
    const { change } = this;
    if (change === null) {
      this.change = { start: time, end: time, count, firstDay: day, lastDay: day, areNew: stored === 0 };
      return;
    }
    change.end = time;
    change.count += count;
    if (day < change.firstDay) change.firstDay = day;
    if (day > change.lastDay) change.lastDay = day;
    if (stored > 0) change.areNew = false;
  }

  get sum(): SamplesChange | null {
    return this.change;
  }

  /** Day number in local time by the sample's offset; in UTC if it has none, as for sources that write local time. */
  private localDay({ time, attributes }: Pick<Sample, 'time' | 'attributes'>): number {
    if (attributes !== this.attributes) {
      this.attributes = attributes;
      this.offsetMs = aheadOf(attributes) ?? 0;
    }
    return Math.floor((time + this.offsetMs) / DAY_MS);
  }
}
