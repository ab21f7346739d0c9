import type { Settings } from '../engine/settings.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY, formatTime } from '../engine/times.js';
import type { SeriesResource, SummaryResource } from '../facts/catalogue.js';
import type { User } from '../users/user.js';
import type { Events } from '../webhooks/events.js';
import { type Change, type Point, Points, type StoredPoint } from './points.js';
import { type StoredSummary, Summaries } from './summaries.js';
import { FLATTENED, type SummaryObject } from './summary-makers.js';
import { groupPoints, wirePoint, wireSource } from './wire-points.js';

export interface Written {
  created: number;
  updated: number;
  message_ids: string[];
}

export interface SummaryWrite {
  id: string;
  provider: string;
  sourceType: string;
  deviceId: string | null;
  fields: SummaryObject;
}

interface Mode {
  hidden: boolean;
  notify: boolean;
  /** Rows that are there already stay as they are. */
  isAdded?: boolean;
}

/** Ingestion bounds have a tolerance of one day (docs/upstream/users.md#ingestion-bounds). */
function inBounds(user: User, at: number): boolean {
  const from = user.ingestionStart === null ? -Infinity : Date.parse(user.ingestionStart) - DAY;
  const to = user.ingestionEnd === null ? Infinity : Date.parse(user.ingestionEnd) + 2 * DAY;
  return at >= from && at < to;
}

/** All of upstream's health data, and the events that changes to it fire. */
export class HealthData {
  readonly points = new Points();
  readonly summaries = new Summaries();

  constructor(
    private readonly timeline: Timeline,
    private readonly events: Events,
    private readonly settings: Settings,
  ) {}

  /** Writes samples; fires `created` for new keys and `updated` for changed ones, once per source and chunk. */
  writePoints(user: User, resource: SeriesResource, points: readonly Point[], mode: Mode): Written {
    const changed: Record<Change, StoredPoint[]> = { created: [], updated: [], same: [] };
    for (const point of points) {
      if (!inBounds(user, point.start)) continue;
      if (mode.isAdded && this.points.has(user.user_id, resource, point)) continue;
      const { change, row } = this.points.put(user.user_id, resource, point, mode.hidden);
      changed[change].push(row);
    }
    const message_ids = mode.notify
      ? [
          ...this.announce(user, resource, 'created', changed.created),
          ...this.announce(user, resource, 'updated', changed.updated),
        ]
      : [];
    return { created: changed.created.length, updated: changed.updated.length, message_ids };
  }

  /** Replaces samples of the same times; fires one `updated` event per source and chunk. */
  replacePoints(
    user: User,
    resource: SeriesResource,
    { old, points, notify }: { old: readonly StoredPoint[]; points: readonly Point[]; notify: boolean },
  ): Written {
    this.points.remove(user.user_id, resource, old);
    const rows = points.map((point) => this.points.put(user.user_id, resource, point, false).row);
    const message_ids = notify ? this.announce(user, resource, 'updated', rows) : [];
    return { created: 0, updated: rows.length, message_ids };
  }

  /** Writes summaries by id; `updated_at` always moves forward when an object changes. */
  writeSummaries(user: User, resource: SummaryResource, writes: readonly SummaryWrite[], mode: Mode): Written {
    const written: Written = { created: 0, updated: 0, message_ids: [] };
    for (const write of writes) {
      const known = this.summaries.find(user.user_id, resource.name, write.id);
      const row = this.versioned(user, resource, write, known);
      if (!inBounds(user, row.at)) continue;
      if (known !== undefined && (mode.isAdded || this.isSame(known, row))) continue;
      row.hidden = mode.hidden && (known?.hidden ?? true);
      this.summaries.put(user.user_id, resource.name, row);
      const change = known === undefined ? 'created' : 'updated';
      written[change] += 1;
      if (mode.notify) written.message_ids.push(this.announceSummary(user, resource, change, row));
    }
    return written;
  }

  /** Times of a source's rows that wait for its pull. */
  hiddenTimes(userId: string, resource: string, provider: string): number[] {
    return [
      ...this.points.hidden(userId, resource, provider).map((row) => row.start),
      ...this.summaries.hidden(userId, resource, provider).map((row) => row.at),
    ];
  }

  /** Makes a source's rows visible; returns the number of days with data. */
  reveal(userId: string, resource: string, provider: string): number {
    const days = new Set(this.hiddenTimes(userId, resource, provider).map((at) => Math.floor(at / DAY)));
    for (const row of this.points.hidden(userId, resource, provider)) row.hidden = false;
    for (const row of this.summaries.hidden(userId, resource, provider)) row.hidden = false;
    return days.size;
  }

  private announce(user: User, resource: SeriesResource, change: 'created' | 'updated', rows: StoredPoint[]): string[] {
    if (resource.event === null) return [];
    const ids: string[] = [];
    for (const members of groupPoints(rows).values()) {
      for (let from = 0; from < members.length; from += this.settings.points_per_event) {
        const chunk = members.slice(from, from + this.settings.points_per_event);
        const [first] = chunk;
        if (first === undefined) continue;
        const data = {
          source: wireSource(first),
          data: chunk.map((row) => wirePoint(resource, row, this.settings.sparse_points)),
        };
        ids.push(this.events.emit(`daily.data.${resource.event}.${change}`, user, data).id);
      }
    }
    return ids;
  }

  private announceSummary(user: User, resource: SummaryResource, change: string, row: StoredSummary): string {
    return this.events.emit(`daily.data.${resource.name}.${change}`, user, row.object).id;
  }

  private versioned(user: User, resource: SummaryResource, write: SummaryWrite, known?: StoredSummary): StoredSummary {
    const previous = known === undefined ? 0 : Date.parse(known.object.updated_at);
    const updatedAt = Math.max(this.timeline.now(), previous + 1);
    const { provider, sourceType, deviceId } = write;
    const flat = {
      source_provider: provider,
      source_type: sourceType,
      source_app_id: null,
      source_device_id: deviceId,
    };
    const object = {
      user_id: user.user_id,
      source: { provider, type: sourceType, app_id: null, device_id: deviceId },
      ...(FLATTENED.includes(resource.name) ? flat : {}),
      created_at: formatTime(updatedAt),
      ...known?.object,
      ...write.fields,
      id: write.id,
      updated_at: formatTime(updatedAt),
    };
    const time = resource.timeField === null ? undefined : (object as SummaryObject)[resource.timeField];
    return { provider, at: typeof time === 'string' ? Date.parse(time) : updatedAt, hidden: false, object };
  }

  private isSame(known: StoredSummary, next: StoredSummary): boolean {
    const strip = (row: StoredSummary): string => JSON.stringify({ ...row.object, updated_at: '' });
    return strip(known) === strip(next);
  }
}
