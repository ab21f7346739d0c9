import { textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import { keyOf, markersOf } from '../orders/critical-findings.js';

export const markerChanges = ['added', 'removed', 'changed'] as const;
export const directions = ['higher', 'lower'] as const;

export const outOfRange = ['above', 'below'] as const;

export interface MarkerValue {
  readonly result: string | null;
  readonly unit: string | null;
  readonly interpretation: string | null;
  /** As the lab wrote it, else its ends; it depends on age and sex, and may be corrected alone. */
  readonly reference_range: string | null;
  /** Where the value lies; null if the lab says neither. */
  readonly out_of_range: (typeof outOfRange)[number] | null;
}

/** What a version of a result says otherwise of one marker than the version before it. */
export interface MarkerChange {
  readonly name: string | null;
  readonly sample_id: string | null;
  readonly change: (typeof markerChanges)[number];
  /** Null unless both values are numbers of one unit. */
  readonly direction: (typeof directions)[number] | null;
  readonly before: MarkerValue | null;
  readonly after: MarkerValue | null;
}

/** What `after` says otherwise than `before`, in the order of `after`, then what it lacks. Both are stored contents. */
export function changedMarkers(before: string, after: string): MarkerChange[] {
  const [former, now] = [byKey(before), byKey(after)];
  const kept = [...now].flatMap(([key, marker]) => changeOf(former.get(key), marker));
  const lost = [...former].flatMap(([key, marker]) => (now.has(key) ? [] : changeOf(marker, undefined)));
  return [...kept, ...lost];
}

/** A marker that a sample has more than once is identified by its position among them. */
function byKey(content: string): Map<string, WireFields> {
  const markers = new Map<string, WireFields>();
  for (const marker of markersOf((JSON.parse(content) as WireFields)['results'])) {
    let nth = 1;
    while (markers.has(`${keyOf(marker)}#${nth}`)) nth += 1;
    markers.set(`${keyOf(marker)}#${nth}`, marker);
  }
  return markers;
}

function changeOf(before: WireFields | undefined, after: WireFields | undefined): MarkerChange[] {
  const [was, is] = [valueOf(before), valueOf(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const shown = after ?? before;
  return [
    {
      name: textOrNull(shown?.['name']) ?? textOrNull(shown?.['slug']),
      sample_id: textOrNull(shown?.['source_sample_id']),
      change: was === null ? 'added' : is === null ? 'removed' : 'changed',
      direction: directionOf(was, is),
      before: was,
      after: is,
    },
  ];
}

function valueOf(marker: WireFields | undefined): MarkerValue | null {
  if (!marker) return null;
  const { result, value, unit, interpretation } = marker;
  const number = typeof value === 'number' && value !== -1 ? String(value) : textOrNull(value);
  return {
    ...{ result: textOrNull(result) ?? number, unit: textOrNull(unit), interpretation: textOrNull(interpretation) },
    ...{ reference_range: rangeOf(marker), out_of_range: outOf(marker) },
  };
}

function rangeOf({ reference_range, min_range_value: min, max_range_value: max }: WireFields): string | null {
  const [low, high] = [min, max].map((end) => (typeof end === 'number' ? String(end) : (textOrNull(end) ?? '')));
  return textOrNull(reference_range) ?? (low || high ? `${low} - ${high}` : null);
}

function outOf({ is_above_max_range, is_below_min_range }: WireFields): MarkerValue['out_of_range'] {
  if (is_above_max_range === true) return 'above';
  return is_below_min_range === true ? 'below' : null;
}

function directionOf(before: MarkerValue | null, after: MarkerValue | null): MarkerChange['direction'] {
  const [was, is] = [numberIn(before), numberIn(after)];
  if (was === null || is === null || was === is || before?.unit !== after?.unit) return null;
  return is > was ? 'higher' : 'lower';
}

function numberIn(value: MarkerValue | null): number | null {
  return value?.result && /^[+-]?\d+(\.\d+)?$/.test(value.result.trim()) ? Number(value.result) : null;
}
