import { createHash } from 'node:crypto';
import { isFields, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import type { CriticalResultEntity } from './lab-event.entity.js';

/*
 * The markers that a result calls critical (docs/meaning.md#labs): each marker with a critical interpretation, or, if
 * no marker has one, the result itself.
 */

export type CriticalFinding = Pick<
  CriticalResultEntity,
  'finding' | 'said_by' | 'marker' | 'sample_id' | 'evidence' | 'interpretation'
>;

/** Codes for critically high, critically low, critical without a number (HL7), panic or critical with high and low. */
const criticalCodes: ReadonlySet<string> = new Set(['hh', 'll', 'aa', 'ph', 'pl', 'ch', 'cl']);
/** `Alert` is what some labs write for `HH` and `LL`. */
const criticalWord =
  /(?<!\b(?:non|not|no) )\b(?:critical|panic|crit\b|alert (?:high|low)\b|(?:high|low) alert\b|alert$)/;

/**
 * True for `critical`, longer words of it such as `critical_high`, and those of labs, with any signs between and around
 * them (`HH*`). Upstream may add values.
 */
export function isCritical(interpretation: unknown): boolean {
  if (typeof interpretation !== 'string') return false;
  const spaced = interpretation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[^A-Za-z]+/g, ' ');
  const said = spaced.trim().toLowerCase();
  return criticalCodes.has(said) || criticalWord.test(said);
}

export function criticalFindings({
  results,
  interpretation,
}: {
  results: unknown;
  interpretation: unknown;
}): CriticalFinding[] {
  const byKey = new Map<string, WireFields[]>();
  for (const each of markersOf(results).filter((marker) => criticalWordOf(marker) !== null)) {
    const key = keyOf(each);
    byKey.set(key, [...(byKey.get(key) ?? []), each]);
  }
  const markers = [...byKey].map(([key, values]) => markerFinding(key, values));
  if (markers.length > 0 || !isCritical(interpretation)) return markers;
  const evidence = digest(valuesOf(results));
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
    interpretation: first ? criticalWordOf(first) : null,
  };
}

/** What calls the marker critical: its interpretation, or that of the lab; null if none does. */
export function criticalWordOf(marker: WireFields): string | null {
  const words = [marker['interpretation'], marker['source_interpretation']];
  return textOrNull(words.find(isCritical));
}

/** In old results, an object of any shape takes the place of the list. */
export function markersOf(results: unknown): WireFields[] {
  if (Array.isArray(results)) return results.filter(isFields);
  if (!isFields(results)) return [];
  return Object.entries(results).flatMap(([name, of]) => {
    const below = markersOf(of);
    return isFields(of) ? [{ name, ...of }, ...below] : below;
  });
}

/**
 * True if `after` has another value of a marker than `before`, or one that `before` lacks and that is not normal. Of an
 * old result, anything that differs counts.
 */
export function bringsOtherValues(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return digest(valuesOf(before)) !== digest(valuesOf(after));
  const known = new Set(valuesOf(before));
  const keys = new Set(markersOf(before).map(keyOf));
  return markersOf(after).some((each) => {
    const isAbnormal = !['normal', null].includes(textOrNull(each['interpretation']));
    return !known.has(valueOf(each)) && (keys.has(keyOf(each)) || isAbnormal);
  });
}

/** Each value of a result. */
function valuesOf(results: unknown): string[] {
  return Array.isArray(results) ? markersOf(results).map(valueOf) : leavesOf(results);
}

function leavesOf(value: unknown, path = ''): string[] {
  if (!Array.isArray(value) && !isFields(value)) return [JSON.stringify([path, value ?? null])];
  return Object.entries(value).flatMap(([name, of]) => leavesOf(of, `${path}/${name}`));
}

/** A marker of one sample; two samples of an order may both have it. */
export function keyOf(marker: WireFields): string {
  const name = ['slug', 'loinc', 'provider_id', 'name'].map((field) => textOrNull(marker[field])).find(Boolean) ?? '';
  return `${name}@${textOrNull(marker['source_sample_id']) ?? ''}`.replaceAll('/', '_');
}

function valueOf(marker: WireFields): string {
  return JSON.stringify([keyOf(marker), marker['result'] ?? null, marker['value'] ?? null, marker['unit'] ?? null]);
}

function digest(values: readonly string[]): string {
  return createHash('sha256').update(values.toSorted().join('\n')).digest('hex').slice(0, 32);
}
