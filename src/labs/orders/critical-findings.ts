import { createHash } from 'node:crypto';
import { isFields, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import type { CriticalResultEntity } from './lab-event.entity.js';

/*
 * What a result says is critical (docs/meaning.md#labs): each marker with a critical interpretation, or, if no marker
 * has one, the result as a whole.
 */

export type CriticalFinding = Pick<
  CriticalResultEntity,
  'finding' | 'said_by' | 'marker' | 'sample_id' | 'evidence' | 'interpretation'
>;

/** True for `critical` and longer words of it, such as `critical_high`. Upstream may add values. */
export function isCritical(interpretation: unknown): boolean {
  return typeof interpretation === 'string' && /^critical/i.test(interpretation.trim());
}

export function criticalFindings({
  results,
  interpretation,
}: {
  results: unknown;
  interpretation: unknown;
}): CriticalFinding[] {
  const byKey = new Map<string, WireFields[]>();
  for (const each of markersOf(results).filter((marker) => isCritical(marker['interpretation']))) {
    const key = keyOf(each);
    byKey.set(key, [...(byKey.get(key) ?? []), each]);
  }
  const markers = [...byKey].map(([key, values]) => markerFinding(key, values));
  if (markers.length > 0 || !isCritical(interpretation)) return markers;
  const evidence = digest(markersOf(results).map(valueOf));
  return [
    {
      finding: 'result',
      said_by: 'result',
      marker: null,
      sample_id: null,
      evidence,
      interpretation: textOrNull(interpretation),
    },
  ];
}

function markerFinding(key: string, values: readonly WireFields[]): CriticalFinding {
  const [first] = values;
  return {
    finding: `marker:${key}`,
    said_by: 'marker',
    marker: textOrNull(first?.['name']) ?? textOrNull(first?.['slug']),
    sample_id: textOrNull(first?.['source_sample_id']),
    evidence: digest(values.map(valueOf)),
    interpretation: textOrNull(first?.['interpretation']),
  };
}

/** In old results, an object of any shape takes the place of the list. */
function markersOf(results: unknown): WireFields[] {
  if (Array.isArray(results)) return results.filter(isFields);
  return isFields(results)
    ? Object.entries(results).flatMap(([name, of]) => (isFields(of) ? [{ name, ...of }] : []))
    : [];
}

/** A marker of one sample; two samples of an order may both have it. */
function keyOf(marker: WireFields): string {
  const name = ['slug', 'loinc', 'provider_id', 'name'].map((field) => textOrNull(marker[field])).find(Boolean) ?? '';
  return `${name}@${textOrNull(marker['source_sample_id']) ?? ''}`.replaceAll('/', '_');
}

function valueOf(marker: WireFields): string {
  return JSON.stringify([keyOf(marker), marker['result'] ?? null, marker['value'] ?? null, marker['unit'] ?? null]);
}

function digest(values: readonly string[]): string {
  return createHash('sha256').update(values.toSorted().join('\n')).digest('hex').slice(0, 32);
}
