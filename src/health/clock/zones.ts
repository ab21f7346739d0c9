import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';
import { type ZoneClock, zoneClock } from '../../platform/platform/zone-clock.js';

/** A range in which local time is `ahead` milliseconds ahead of UTC, by a zone of this name. */
export interface ZoneRun extends TimeRange {
  readonly ahead: number;
  readonly zone: string | null;
}

/** A time zone that a person had until a time in epoch milliseconds, exclusive. */
export interface FormerZone {
  readonly until: number;
  readonly time_zone: string;
}

interface Period {
  readonly from: number;
  readonly until: number;
  /** Null for a zone that is not known. */
  readonly clock: ZoneClock | null;
  readonly zone: string | null;
}

/** The time zones of a person, one after another. The first also applies to all times before it was known. */
export class Zones {
  private readonly periods: readonly Period[];

  /** `former` in order of time. A zone that the runtime does not know counts as not known. */
  constructor(present: string | null, former: readonly FormerZone[] = []) {
    const zones = [...former, { until: Number.POSITIVE_INFINITY, time_zone: present }];
    this.periods = zones.map(({ until, time_zone: zone }, index) => {
      const from = zones[index - 1]?.until ?? Number.NEGATIVE_INFINITY;
      return { from, until, zone, clock: zone === null ? null : zoneClock(zone) };
    });
  }

  /** True if a zone is known at any time. */
  get areKnown(): boolean {
    return this.periods.some(({ clock }) => clock !== null);
  }

  /** The offsets of the zones in a range; times without a known zone are left out. */
  runs({ start, end }: TimeRange): ZoneRun[] {
    return this.periods.flatMap(({ from, until, clock, zone }) => {
      const part = { start: Math.max(from, start), end: Math.min(until, end) };
      return clock === null || part.start >= part.end ? [] : zoneRuns(clock, zone, part);
    });
  }
}

function zoneRuns(clock: ZoneClock, zone: string | null, { start, end }: TimeRange): ZoneRun[] {
  const runs: ZoneRun[] = [];
  for (let from = start; from < end; ) {
    const ahead = clock(from);
    let until = from;
    let next = from;
    while (until < end && clock((next = Math.min(until + DAY_MS, end))) === ahead) until = next;
    if (until < end) until = changeBetween(clock, until, next);
    runs.push({ start: from, end: until, ahead, zone });
    from = until;
  }
  return runs;
}

/** The first instant after `same` with a different offset; `other` must have a different one. */
function changeBetween(clock: ZoneClock, same: number, other: number): number {
  const ahead = clock(same);
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (clock(middle) === ahead) same = middle;
    else other = middle;
  }
  return other;
}
