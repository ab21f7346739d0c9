import type { Ids } from '../engine/random.js';
import { formatTime } from '../engine/times.js';
import type { SeriesResource } from '../facts/catalogue.js';
import type { Point, StoredPoint } from './points.js';

export interface WireGroup {
  source: Record<string, unknown>;
  data: Record<string, unknown>[];
}

/**
 * Discrete resources whose published examples show an interval (docs/upstream/timeseries.md#discrete-with-an-interval).
 */
const SHOWN_AS_INTERVAL: readonly string[] = ['water', 'floors_climbed', 'calories_basal'];

function isShownAsInterval({ name }: SeriesResource, { seq }: StoredPoint): boolean {
  return SHOWN_AS_INTERVAL.includes(name) && seq % 2 === 0;
}

export function wireSource(point: Point): Record<string, unknown> {
  return {
    provider: point.provider,
    type: point.sourceType,
    app_id: null,
    device_id: point.deviceId,
    sport: point.sport,
    workout_id: point.workoutId,
  };
}

function measured(point: StoredPoint): Record<string, unknown> {
  if (typeof point.value === 'object') return { systolic: point.value.systolic, diastolic: point.value.diastolic };
  return { value: point.value };
}

/**
 * A point like in published examples: no `timestamp` beside `start`, no `id`, no `type`
 * (docs/upstream/timeseries.md#sparse-examples).
 */
function barePoint(resource: SeriesResource, point: StoredPoint): Record<string, unknown> {
  const time = formatTime(point.start);
  const end = point.end ?? (isShownAsInterval(resource, point) ? point.start : null);
  const when = end === null ? { timestamp: time } : { start: time, end: formatTime(end) };
  const offset = point.offset === null ? {} : { timezone_offset: point.offset };
  return { ...when, unit: resource.unit, ...measured(point), ...point.extras, ...offset };
}

/** A point in responses and events: all documented fields, or only those of published examples. */
export function wirePoint(resource: SeriesResource, point: StoredPoint, sparse: boolean): Record<string, unknown> {
  if (sparse && resource.types.length === 0) return barePoint(resource, point);
  const time = formatTime(point.start);
  const common = { timezone_offset: point.offset, type: point.type, unit: resource.unit, ...measured(point) };
  if (point.end !== null) {
    return { id: point.seq, timestamp: time, start: time, end: formatTime(point.end), ...common, ...point.extras };
  }
  const shown = isShownAsInterval(resource, point) ? { start: time, end: time } : {};
  const grouping =
    resource.family === 'pair' && point.seq % 2 === 0
      ? { grouping: [point.sourceType, point.workoutId, point.sport, point.deviceId] }
      : {};
  return { id: null, timestamp: time, ...shown, ...common, ...grouping, ...point.extras };
}

function groupKey(point: Point): string {
  return JSON.stringify([point.provider, point.sourceType, point.deviceId, point.workoutId, point.sport]);
}

/** Groups of one page or event, one per source. */
export function groupPoints(points: readonly StoredPoint[]): Map<string, StoredPoint[]> {
  const groups = new Map<string, StoredPoint[]>();
  for (const point of points) {
    const key = groupKey(point);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [point]);
    else group.push(point);
  }
  return groups;
}

/**
 * The `groups` map of a page. The order inside a group is random and some sources have two groups, because clients
 * must not rely on either (docs/upstream/timeseries.md#groups).
 */
export function wireGroups(
  resource: SeriesResource,
  points: readonly StoredPoint[],
  { ids, sparse }: { ids: Ids; sparse: boolean },
): Record<string, WireGroup[]> {
  const groups: Record<string, WireGroup[]> = {};
  for (const members of groupPoints(points).values()) {
    const first = members[0];
    if (first === undefined) continue;
    const rng = ids.rng('groups', first.provider, first.seq);
    const mixed = rng.chance(0.5) ? rng.shuffle(members) : members;
    const cutAt = mixed.length > 4 && rng.chance(0.3) ? Math.floor(mixed.length / 2) : mixed.length;
    const list = (groups[first.provider] ??= []);
    for (const part of [mixed.slice(0, cutAt), mixed.slice(cutAt)]) {
      if (part.length > 0)
        list.push({ source: wireSource(first), data: part.map((point) => wirePoint(resource, point, sparse)) });
    }
  }
  return groups;
}
