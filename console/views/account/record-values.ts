import type { TracedHealthRecord } from '../../lib/api.js';

type Values = Readonly<Record<string, unknown>>;

/** The values of a record by name: the fields of a summary, or the one or two values of a sample. */
export function valuesOf(record: TracedHealthRecord): Values {
  const { data, value, systolic, diastolic } = record as unknown as Values;
  if (typeof data === 'object' && data !== null) return data as Values;
  if (systolic !== undefined || diastolic !== undefined) return { systolic, diastolic };
  return { value };
}

/** Names of numeric fields in the records, most frequent first. */
export function numbersIn(records: readonly TracedHealthRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const [name, value] of Object.entries(valuesOf(record))) {
      if (typeof value === 'number') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
}

/** Fields to draw first, in order of preference. */
const usual: readonly string[] = ['value', 'systolic', 'total', 'steps', 'duration', 'calories_total', 'weight'];

export function usualNumber(names: readonly string[]): string | undefined {
  return usual.find((name) => names.includes(name)) ?? names[0];
}

export interface Line {
  readonly source: string;
  /** In order of time; undefined where only other sources have a point, null where the line is broken. */
  readonly values: readonly (number | null | undefined)[];
}

/** Provider and type of the source of a record. */
export function sourceOf({ source: { provider, type } }: TracedHealthRecord): string {
  return `${provider} ${type}`;
}

/** A line is broken where two points are further apart than this many times their usual distance. */
const GAP = 3;

/**
 * One numeric field of the records as lines per source over one time axis in seconds. For equal times, the last value
 * counts. Hidden records are left out.
 */
export function linesOf(
  records: readonly TracedHealthRecord[],
  name: string,
): { readonly times: readonly number[]; readonly lines: readonly Line[] } {
  const bySource = new Map<string, Map<number, number | null>>();
  for (const record of records) {
    const value = valuesOf(record)[name];
    if (typeof value !== 'number' || record.gone) continue;
    const points = bySource.get(sourceOf(record)) ?? new Map<number, number | null>();
    points.set(Date.parse(record.time) / 1_000, value);
    bySource.set(sourceOf(record), points);
  }
  for (const points of bySource.values()) {
    for (const time of gapsIn([...points.keys()])) points.set(time, null);
  }
  const times = [...new Set([...bySource.values()].flatMap((points) => [...points.keys()]))].sort((a, b) => a - b);
  const lines = [...bySource].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    times,
    lines: lines.map(([source, points]) => ({ source, values: times.map((time) => points.get(time)) })),
  };
}

/** A time inside each gap. */
function gapsIn(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const distances = sorted.slice(1).map((time, index) => time - (sorted[index] ?? time));
  const usual = [...distances].sort((a, b) => a - b)[Math.floor((distances.length - 1) / 2)] ?? 0;
  return distances.flatMap((distance, index) => (distance > GAP * usual ? [(sorted[index] ?? 0) + distance / 2] : []));
}

const SHOWN = 6;

/** Values in one line, with at most two decimals; for a summary, the most interesting numbers. */
export function valueWords(record: TracedHealthRecord): string {
  const { unit } = record as { unit?: string | null };
  const values = valuesOf(record);
  const after = unit ? ` ${unit}` : '';
  if ('systolic' in values) return `${plain(values['systolic'])}/${plain(values['diastolic'])}${after}`;
  if ('value' in values) return `${plain(values['value'])}${after}`;
  const numbers = Object.keys(values).filter((name) => typeof values[name] === 'number' && name !== 'timezone_offset');
  const first = usual.filter((name) => numbers.includes(name));
  const shown = [...new Set([...first, ...numbers])].slice(0, SHOWN);
  const more = Object.values(values).filter((value) => value !== null && value !== undefined).length - shown.length;
  const words = shown.map((name) => {
    const value = values[name];
    const text = isSeconds(values, name) && typeof value === 'number' ? hoursAndMinutes(value) : plain(value);
    return `${name.replaceAll('_', ' ')} ${text}`;
  });
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Numeric fields of a night in seconds. */
const ofSleep: readonly string[] = ['duration', 'total', 'awake', 'light', 'rem', 'deep'];

/** True if the values are of a night and this field is one of its durations. */
export function isSeconds(values: Values, name: string): boolean {
  return 'deep' in values && ofSleep.includes(name);
}

/** Seconds as hours and minutes: 7 h 12 min. */
export function hoursAndMinutes(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

function plain(value: unknown): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value);
}

/** Origin of a record: a message or a page of a pull. */
export function originWords({ provenance }: TracedHealthRecord): string {
  const { kind, message_id, task_id, page } = provenance;
  if (kind === 'sync') return `pull ${task_id ?? '?'}, page ${page ?? '?'}`;
  return message_id ? 'message' : 'message, deleted since';
}
