import type { WireFields } from '../../platform/platform/json-reader.js';

/*
 * Fields that the canonical form leaves out (docs/canonical-form.md#what-is-left-out): upstream calls them deprecated
 * or its own, or shows them in one answer and not in the next. Everything else is compared.
 */

/** Version of the canonical form, of which reports tell. It changes with the form. */
export const canonicalForm = 1;

/** Of a point; `timestamp` becomes `start` if it stands alone. */
export const leftOutOfPoints: readonly string[] = ['id', 'grouping', 'timestamp'];

/** Deprecated names of a provider. */
export const leftOutOfSources: readonly string[] = ['name', 'slug', 'logo'];

/** Of a source: named in one answer and not in the next (docs/upstream/timeseries.md#siblings). */
export const unstableOfSources: readonly string[] = ['device_id', 'sport', 'workout_id'];

/** Of a summary: the device once more, named or not like that of the source. */
export const unstableOfSummaries: readonly string[] = ['source_device_id'];

/** Deprecated fields of summaries, by resource (docs/upstream/summaries.md). */
export const leftOutOfSummaries: Readonly<Record<string, readonly string[]>> = {
  activity: ['date', 'daily_movement'],
  body: ['date'],
  meal: ['priority_id', 'source_id', 'provider_id'],
  sleep: ['date', 'sleep_stream'],
};

export function without(fields: WireFields, names: readonly string[]): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
