import type { NewestRecord } from '../../health/reads/stored-record.js';
import type { SourceHistory } from '../../ingest/sources/historical-pulls.service.js';
import { isoOrNull } from '../../platform/platform/time.js';
import type { ResourceChange } from '../../storage/change-log/change-log.service.js';
import type { MeDto } from './me.dto.js';

/** One row per resource and provider that has or had a record, or a known history state. */
export function resourcesOf(
  newest: readonly NewestRecord[],
  histories: readonly SourceHistory[],
  changes: readonly ResourceChange[],
): MeDto['resources'] {
  const keyOf = ({ resource, provider }: { resource: string; provider: string }): string => `${resource}|${provider}`;
  const times = new Map(newest.map((row) => [keyOf(row), row.time]));
  const states = new Map(histories.map((row) => [keyOf(row), row.state]));
  const changed = new Map(changes.map((row) => [keyOf(row), row.changed_at]));
  const rows = new Map([...newest, ...histories, ...changes].map((row) => [keyOf(row), row]));
  return [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { resource, provider }]) => ({
      resource,
      provider,
      newest_at: isoOrNull(times.get(key) ?? null),
      changed_at: isoOrNull(changed.get(key) ?? null),
      history: states.get(key) ?? 'unknown',
    }));
}
