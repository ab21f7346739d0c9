import type { DayDto, TracedHealthRecord } from '../../lib/api.js';
import type { Bar } from '../../parts/bar-chart.js';
import { sourceOf, valuesOf } from './record-values.js';

/** Resources with a record a day or a night, drawn as bars on that day; all others are drawn as dots. */
const barred: readonly string[] = ['sleep', 'activity'];

export function hasBars(resource: string): boolean {
  return barred.includes(resource);
}

/** A shorter sleep is no night, whatever its type (docs/meaning.md). */
const NIGHT_SECONDS = 3 * 3_600;

/** One numeric field of daily records: a bar each on its calendar date, hollow for a nap or another short sleep. */
export function barsOfRecords(records: readonly TracedHealthRecord[], name: string): Bar[] {
  const bars = records.flatMap((record): Bar[] => {
    const value = valuesOf(record)[name];
    const day = (record as { readonly calendar_date?: string | null }).calendar_date;
    if (typeof value !== 'number' || !day || record.gone) return [];
    return [{ day, low: 0, high: value, isHollow: isShortSleep(record), group: sourceOf(record) }];
  });
  return bars.sort((a, b) =>
    a.group < b.group ? -1 : a.group > b.group ? 1 : Number(a.isHollow) - Number(b.isHollow),
  );
}

function isShortSleep(record: TracedHealthRecord): boolean {
  if (record.resource !== 'sleep') return false;
  const { type, duration } = valuesOf(record);
  const isShort = typeof duration === 'number' && duration < NIGHT_SECONDS;
  return isShort || type === 'acknowledged_nap' || type === 'short_sleep';
}

type Statistics = Pick<DayDto, 'day' | 'sum' | 'min' | 'max' | 'mean' | 'systolic' | 'diastolic'>;

/** The total of each day from zero; of measures the range of each day with its mean. Diastolic values are hollow. */
export function barsOfDays(days: readonly Statistics[]): Bar[] {
  return days.flatMap((each) => {
    const { day, systolic, diastolic } = each;
    const parts = systolic && diastolic ? [systolic, diastolic] : [each];
    return parts.flatMap(({ sum, min, max, mean }, index): Bar[] => {
      const own = { day, isHollow: index > 0, group: '' };
      if (sum !== undefined) return [{ ...own, low: 0, high: sum }];
      if (min === undefined || max === undefined) return [];
      return [{ ...own, low: min, high: max, ...(mean === undefined ? {} : { mark: mean }) }];
    });
  });
}
