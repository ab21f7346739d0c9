import { firstIndex } from '../../platform/platform/first-index.js';
import { byStart, subtract, type TimeRange } from '../../platform/platform/time.js';
import type { Zones } from './zones.js';

/*
 * The one clock of a person (docs/meaning.md#a-persons-clock): which local time is it at an instant, and how do we
 * know.
 *
 * 1. own: the record says its offset from UTC;
 * 2. source, then account: the offset of the nearest record that says one, of the same source, else of any, at most two
 *    days away. While it agrees with the zone of the person, the zone goes on from it, so that a change of clocks in
 *    between counts;
 * 3. zone: the zone of the person as it was then;
 * 4. account: the offset that the nearest summary says, such as a night, if no zone is known;
 * 5. utc: nothing is known.
 */
export type ClockSource = 'own' | 'source' | 'account' | 'zone' | 'utc';

/** Maximum distance between a time and the record whose offset is assumed for it. */
export const OFFSET_REACH_MS = 2 * 86_400_000;

/** Where a sample comes from. */
export interface ClockSeries {
  readonly id: number;
  readonly provider: string;
  readonly source_type: string;
  /** 1 if its times are local times, written as if they were UTC. */
  readonly floating_time: number;
  /** End of its newest hour of thinned samples; null or absent if it has none. */
  readonly thinned_until?: number | null;
}

/**
 * A stored record's time, and how far its local time was ahead of UTC, both in milliseconds; null if it does not say.
 */
export interface SeenOffset {
  readonly seriesId: number;
  readonly provider: string;
  readonly sourceType: string;
  readonly time: number;
  readonly ahead: number | null;
}

interface KnownOffset extends SeenOffset {
  readonly ahead: number;
  /** True if the zone of the person had the same offset. */
  readonly isOfZone: boolean;
}

/** A range in which local time is `ahead` milliseconds ahead of UTC, and how that is known. */
export interface ClockRun extends TimeRange {
  readonly ahead: number;
  readonly by: ClockSource;
  /** The zone that decides; null if there is none. */
  readonly zone: string | null;
}

export interface LocalInstant {
  readonly instant: number;
  readonly by: ClockSource;
}

export class PersonClock {
  /** In order of time. */
  private readonly known: readonly KnownOffset[];
  private readonly told: readonly KnownOffset[];
  private readonly bySource = new Map<string, KnownOffset[]>();
  private readonly changes = new Map<number, SeenOffset[]>();

  /**
   * `own`: for each series that is read, in order of time, offsets with every change; a series keeps its first one for
   * all earlier times. `known`: other offsets of the person, in any order. `told`: those of summaries.
   */
  constructor(
    readonly zones: Zones,
    own: readonly SeenOffset[],
    known: readonly SeenOffset[],
    told: readonly SeenOffset[] = [],
  ) {
    for (const one of own) {
      const list = this.changes.get(one.seriesId) ?? [];
      if (list.length === 0) this.changes.set(one.seriesId, list);
      if (list.at(-1)?.ahead !== one.ahead || list.length === 0) list.push(one);
    }
    this.known = withZone(known, zones);
    this.told = withZone(told, zones);
    for (const one of this.known) {
      const list = this.bySource.get(nameOf(one)) ?? [];
      if (list.length === 0) this.bySource.set(nameOf(one), list);
      list.push(one);
    }
  }

  /**
   * The local time of a series in a range, without gaps. Times of a series with floating time are local already. A
   * series of which nothing was read has no runs.
   */
  runsOf(series: ClockSeries, range: TimeRange): ClockRun[] {
    if (series.floating_time === 1) return [{ ...range, ahead: 0, by: 'own', zone: null }];
    const changes = this.changes.get(series.id) ?? [];
    return changes.flatMap(({ time, ahead }, index) => {
      const start = index === 0 ? range.start : Math.max(time, range.start);
      const end = Math.min(changes[index + 1]?.time ?? range.end, range.end);
      if (start >= end) return [];
      if (ahead !== null) return [{ start, end, ahead, by: 'own', zone: null } as const];
      return this.assumed({ start, end }, series);
    });
  }

  /**
   * The local time of the person in a range, without gaps; of a record of `source` that does not say its own, if given.
   */
  assumed(range: TimeRange, source?: Pick<ClockSeries, 'provider' | 'source_type'>): ClockRun[] {
    const same = source ? (this.bySource.get(`${source.provider}|${source.source_type}`) ?? []) : [];
    const zoneRuns = this.zones.runs(range);
    const bySource = this.nearest([range], same, 'source');
    const byAccount = this.nearest(gapsOf([range], bySource), this.known, 'account');
    const observed = [...bySource, ...byAccount];
    const byZone = gapsOf([range], observed).flatMap((gap) =>
      zoneRuns.flatMap((run) => within({ ...run, by: 'zone' }, gap)),
    );
    const bySummary = this.nearest(gapsOf([range], [...observed, ...byZone]), this.told, 'account');
    const known = [...observed, ...byZone, ...bySummary];
    const utc = gapsOf([range], known).map((gap) => ({ ...gap, ahead: 0, by: 'utc', zone: null }) as const);
    return merged([...known, ...utc]);
  }

  /** The instant of a wall clock time, written as if it were UTC. */
  instantOf(wall: number, source?: Pick<ClockSeries, 'provider' | 'source_type'>): LocalInstant {
    const range = { start: wall - MAX_OFFSET_MS, end: wall + MAX_OFFSET_MS };
    const runs = this.assumed(range, source);
    const found = runs.find(({ start, end, ahead }) => wall - ahead >= start && wall - ahead < end);
    // A wall clock time that a change of clocks skipped is placed as if clocks had not changed yet.
    const run = found ?? runs.findLast(({ start, ahead }) => wall - ahead >= start) ?? runs[0];
    return { instant: wall - (run?.ahead ?? 0), by: run?.by ?? 'utc' };
  }

  /** The parts of `ranges` within reach of an offset, each with the nearest one. */
  private nearest(ranges: readonly TimeRange[], known: readonly KnownOffset[], by: 'source' | 'account'): ClockRun[] {
    const cells: (ClockRun & { isOfZone: boolean })[] = [];
    for (const range of ranges) {
      for (let at = Math.max(0, placeOf(known, range.start - OFFSET_REACH_MS)); at < known.length; at++) {
        const { time, ahead, isOfZone } = known[at] as KnownOffset;
        const [before = -Infinity, after = Infinity] = [known[at - 1]?.time, known[at + 1]?.time];
        const start = Math.max(range.start, time - OFFSET_REACH_MS, middle(before, time));
        const end = Math.min(range.end, time + OFFSET_REACH_MS + 1, middle(time, after));
        if (start >= range.end) break;
        if (start >= end) continue;
        const last = cells.at(-1);
        if (last && last.end === start && last.ahead === ahead && last.isOfZone === isOfZone)
          cells[cells.length - 1] = { ...last, end };
        else cells.push({ start, end, ahead, by, zone: null, isOfZone });
      }
    }
    return cells.flatMap(({ isOfZone, ...cell }) => (isOfZone ? this.continued(cell) : [cell]));
  }

  /** The offsets of the zone in place of one that agrees with it; as it is where no zone is known. */
  private continued(cell: ClockRun): ClockRun[] {
    const runs = this.zones.runs(cell).flatMap(({ start, end, ahead }) => within({ ...cell, start, end, ahead }, cell));
    const rest = gapsOf([cell], runs).map((gap) => ({ ...cell, ...gap }));
    return byStart([...runs, ...rest]);
  }
}

/** No local time is further from UTC. */
const MAX_OFFSET_MS = 26 * 3_600_000;

function nameOf({ provider, sourceType }: SeenOffset): string {
  return `${provider}|${sourceType}`;
}

/** The first millisecond that is nearer to the later of two times. */
function middle(one: number, other: number): number {
  return Math.floor((one + other) / 2) + 1;
}

/** In order of time; without those that do not say one. */
function withZone(seen: readonly SeenOffset[], zones: Zones): KnownOffset[] {
  const known = seen.filter(({ ahead }) => ahead !== null).sort((a, b) => a.time - b.time) as KnownOffset[];
  const [first, last] = [known[0], known.at(-1)];
  const runs = first && last ? zones.runs({ start: first.time, end: last.time + 1 }) : [];
  let at = 0;
  return known.map((one) => {
    while ((runs[at]?.end ?? Infinity) <= one.time) at++;
    const run = runs[at];
    return { ...one, isOfZone: run !== undefined && run.start <= one.time && run.ahead === one.ahead };
  });
}

/** Index of the first offset at or after a time. */
function placeOf(known: readonly KnownOffset[], time: number): number {
  return firstIndex(known, (one) => one.time < time);
}

function within(run: ClockRun, range: TimeRange): ClockRun[] {
  const [start, end] = [Math.max(run.start, range.start), Math.min(run.end, range.end)];
  return start < end ? [{ ...run, start, end }] : [];
}

function gapsOf(ranges: readonly TimeRange[], taken: readonly TimeRange[]): TimeRange[] {
  return ranges.flatMap((range) => subtract(range, taken));
}

function merged(runs: readonly ClockRun[]): ClockRun[] {
  const all: ClockRun[] = [];
  for (const run of byStart(runs)) {
    const last = all.at(-1);
    if (last && last.end === run.start && last.ahead === run.ahead && last.by === run.by && last.zone === run.zone)
      all[all.length - 1] = { ...last, end: run.end };
    else all.push(run);
  }
  return all;
}
