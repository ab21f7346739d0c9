import type { ResultDto } from '../../lib/api.js';

/** The compared fields of a marker. */
export interface Marker {
  readonly key: string;
  readonly name: string;
  readonly result: string;
  readonly unit: string;
  readonly range: string;
  readonly interpretation: string;
}

const fields = ['result', 'unit', 'range', 'interpretation'] as const;

export interface MarkerChange {
  readonly marker: Marker;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  /** Previous value of each changed field. */
  readonly before: Partial<Pick<Marker, (typeof fields)[number]>>;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Markers of a result in its order; a legacy result, a free object, gives one marker for each field. */
export function markersOf(results: ResultDto['results']): Marker[] {
  if (results === null) return [];
  if (!Array.isArray(results)) {
    return Object.entries(results).map(([name, value]) => ({
      ...{ key: name, name, unit: '', range: '', interpretation: '' },
      result: isFields(value) || Array.isArray(value) ? JSON.stringify(value) : text(value),
    }));
  }
  const seen = new Map<string, number>();
  return (results as readonly unknown[]).filter(isFields).map((row) => {
    const base = text(row['loinc']) || text(row['slug']) || text(row['name']);
    const sample = text(row['source_sample_id']);
    const nth = (seen.get(`${base}/${sample}`) ?? 0) + 1;
    seen.set(`${base}/${sample}`, nth);
    return {
      key: `${base}/${sample}/${nth}`,
      name: text(row['name']) || base,
      result: text(row['result']) || text(row['value']),
      unit: text(row['unit']),
      range: text(row['reference_range']) || rangeOf(row),
      interpretation: text(row['interpretation']),
    };
  });
}

function rangeOf(row: Fields): string {
  const [low, high] = [text(row['min_range_value']), text(row['max_range_value'])];
  if (low && high) return `${low} to ${high}`;
  if (low) return `at least ${low}`;
  return high ? `at most ${high}` : '';
}

/** Markers of the later version in its order, then those that it lacks. */
export function resultChanges(before: readonly Marker[], after: readonly Marker[]): MarkerChange[] {
  const former = new Map(before.map((marker) => [marker.key, marker]));
  const kept = new Set(after.map(({ key }) => key));
  const now = after.map((marker): MarkerChange => {
    const was = former.get(marker.key);
    if (!was) return { marker, kind: 'added', before: {} };
    const changed = fields.filter((field) => was[field] !== marker[field]);
    if (changed.length === 0) return { marker, kind: 'same', before: {} };
    return { marker, kind: 'changed', before: Object.fromEntries(changed.map((field) => [field, was[field]])) };
  });
  const removed = before.filter(({ key }) => !kept.has(key));
  return [...now, ...removed.map((marker): MarkerChange => ({ marker, kind: 'removed', before: {} }))];
}
