import type { Settings } from '../engine/settings.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY, formatDate, MINUTE, startOfDay } from '../engine/times.js';
import type { Appointments } from './appointments.js';
import { type Site, ZONE } from './sites.js';

type Fields = Record<string, unknown>;

const DAYS_OFFERED = 3;
/**
 * Maximum age of upstream's own cache, and how far it looks ahead (docs/upstream/appointments.md#stale-availability).
 */
const STALE_MS = 15 * MINUTE;
const STALE_AHEAD_MS = 21 * DAY;

function lookKey(site: Site, from: number): string {
  return `${site.code} ${formatDate(from)}`;
}

/** The same day with null in every nullable field (docs/upstream/appointments.md#answer-of-availability). */
function lean(day: Fields): Fields {
  const slots = day.slots as Fields[];
  return { ...day, location: null, slots: slots.map((slot) => ({ ...slot, booking_key: null, expires_at: null })) };
}

/** Free slots as availability returns them, current or cached. */
export class Offers {
  /** Result of the last live lookup per site. */
  private readonly looks = new Map<string, { at: number; days: Fields[] }>();

  constructor(
    private readonly timeline: Timeline,
    private readonly settings: Settings,
    private readonly appointments: Appointments,
  ) {}

  /** Days with free slots from a date on, per site; cached ones if the request allows stale ones and all are recent. */
  availability(sites: readonly Site[], from: number, mayBeStale: boolean): Fields {
    const stale = mayBeStale && sites.every((site) => this.isYoung(site, from));
    if (!stale) for (const site of sites) this.look(site, from);
    const slots = sites.flatMap((site) => this.looks.get(lookKey(site, from))?.days ?? []);
    return { slots, timezone: this.settings.lean_labs ? null : ZONE };
  }

  private look(site: Site, from: number): void {
    const starts = Array.from({ length: DAYS_OFFERED }, (_, index) => startOfDay(from) + (index + 1) * DAY);
    const make = (day: number): Fields =>
      this.settings.lean_labs ? lean(this.appointments.dayWire(site, day)) : this.appointments.dayWire(site, day);
    this.looks.set(lookKey(site, from), { at: this.timeline.now(), days: starts.map(make) });
  }

  private isYoung(site: Site, from: number): boolean {
    const now = this.timeline.now();
    const look = this.looks.get(lookKey(site, from));
    return look !== undefined && now - look.at < STALE_MS && from < now + STALE_AHEAD_MS;
  }
}
