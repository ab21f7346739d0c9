import { formatTime } from '../engine/times.js';
import { findSeries } from '../facts/catalogue.js';
import type { HealthData } from './health-data.js';
import { pointKey, type StoredPoint } from './points.js';

function truthRow(point: StoredPoint, unit: string): Record<string, unknown> {
  return {
    provider: point.provider,
    source_type: point.sourceType,
    device_id: point.deviceId,
    workout_id: point.workoutId,
    sport: point.sport,
    type: point.type,
    start: formatTime(point.start),
    end: point.end === null ? null : formatTime(point.end),
    value: point.value,
    unit,
    timezone_offset: point.offset,
    extras: Object.fromEntries(Object.entries(point.extras).filter(([, value]) => value !== null)),
  };
}

/**
 * The data upstream currently serves of a resource, in the normal form of the README; `resource` is a path or event
 * name.
 */
export function truthOf(data: HealthData, userId: string, resource: string): unknown[] {
  const series = findSeries(resource);
  if (series === undefined) {
    const rows = data.summaries.visible(userId, resource).map((row) => row.object);
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
  return data.points
    .visible(userId, series.name)
    .map((point) => ({ point, key: pointKey(point) }))
    .sort((a, b) => a.point.start - b.point.start || (a.key < b.key ? -1 : 1))
    .map(({ point }) => truthRow(point, series.unit));
}
