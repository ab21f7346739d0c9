import type { NewestRecord } from '../../health/health-data/stored-records.service.js';
import type { SourceHistory } from '../../ingest/sources/historical-pulls.service.js';
import { toIso } from '../../platform/platform/time.js';
import type { MeDto } from './me.dto.js';

/** One row per resource and provider with a stored record or a known history state. */
export function resourcesOf(newest: readonly NewestRecord[], histories: readonly SourceHistory[]): MeDto['resources'] {
  const rows = new Map<string, MeDto['resources'][number]>();
  for (const { resource, provider, time } of newest) {
    rows.set(`${resource}|${provider}`, { resource, provider, newest_at: toIso(time), history: 'unknown' });
  }
  for (const { resource, provider, state } of histories) {
    const key = `${resource}|${provider}`;
    rows.set(key, { resource, provider, newest_at: rows.get(key)?.newest_at ?? null, history: state });
  }
  return [...rows.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}
