/**
 * All 61 resources of the interface as rows of data: names, paths and forms.
 */

/**
 * interval: start, end, value · discrete: timestamp, value · pair: timestamp, systolic, diastolic · text: interval with
 * a text.
 */
export type Family = 'interval' | 'discrete' | 'pair' | 'text';

export interface SeriesResource {
  name: string;
  /** Name in events and introspection; null = there is no typed event. */
  event: string | null;
  family: Family;
  unit: string;
  /** Smallest and largest generated value and its decimals. */
  range: readonly [number, number, number];
  /** Values of the point's `type` if it distinguishes sub-series. */
  types: readonly string[];
}

interface SummaryFacts {
  name: string;
  responseKey: string | null;
  /** Field the query window applies to; null = no window. */
  timeField: string | null;
  /** `date`: the parameters must be dates without time (docs/upstream/summaries.md#date-only-calls). */
  parameters: 'any' | 'date' | 'none';
}

type SeriesOptions = Partial<Pick<SeriesResource, 'event' | 'range' | 'types'>>;

function series(name: string, family: Family, unit: string, options: SeriesOptions): SeriesResource {
  return { name, family, unit, event: name, range: [0, 0, 0], types: [], ...options };
}

const SERIES: readonly SeriesResource[] = [
  series('afib_burden', 'interval', '%', { range: [0, 12, 2] }),
  series('basal_body_temperature', 'interval', '°C', { range: [36.1, 37.1, 2] }),
  series('blood_oxygen', 'discrete', '%', { range: [93, 99.8, 1] }),
  series('blood_pressure', 'pair', 'mmHg', {}),
  series('body_fat', 'discrete', '%', { event: 'fat', range: [14, 31, 2] }),
  series('body_mass_index', 'interval', 'index', { range: [19, 29, 2] }),
  series('body_temperature', 'interval', '°C', { range: [36.2, 37.6, 2] }),
  series('body_temperature_delta', 'interval', '°C', { range: [-0.9, 0.9, 2] }),
  series('body_weight', 'discrete', 'kg', { event: 'weight', range: [58, 94, 2] }),
  series('caffeine', 'interval', 'g', { range: [0.02, 0.21, 3] }),
  series('calories_active', 'interval', 'kcal', { range: [1.5, 48, 2] }),
  series('calories_basal', 'discrete', 'kcal', { range: [40, 75, 2] }),
  series('carbohydrates', 'interval', 'g', { range: [8, 96, 1] }),
  series('cholesterol', 'discrete', 'mmol/L', {
    range: [1.1, 6.4, 2],
    types: ['ldl', 'hdl', 'total', 'triglycerides'],
  }),
  series('daylight_exposure', 'interval', 'min', { range: [1, 58, 1] }),
  series('distance', 'interval', 'm', { range: [12, 940, 2] }),
  series('electrocardiogram_voltage', 'discrete', 'mV', { range: [-0.6, 1.4, 4], types: ['lead_i', 'lead_ii'] }),
  series('fall', 'interval', 'count', { range: [1, 1, 0] }),
  series('floors_climbed', 'discrete', 'count', { range: [1, 14, 0] }),
  series('forced_expiratory_volume_1', 'interval', 'L', { range: [2.1, 4.6, 2] }),
  series('forced_vital_capacity', 'interval', 'L', { range: [2.9, 5.6, 2] }),
  series('glucose', 'discrete', 'mmol/L', { range: [3.9, 11.8, 2] }),
  series('handwashing', 'interval', 'count', { range: [1, 1, 0] }),
  series('heart_rate_alert', 'interval', 'count', {
    range: [1, 1, 0],
    types: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'],
  }),
  series('heart_rate_recovery_one_minute', 'interval', 'count', { range: [12, 42, 0] }),
  series('heartrate', 'discrete', 'bpm', { range: [47, 151, 0] }),
  series('hrv', 'discrete', 'rmssd', { range: [18, 112, 2] }),
  series('hypnogram', 'interval', 'stage', { event: null, range: [1, 4, 0] }),
  series('ige', 'discrete', 'FSU', { range: [0.1, 9.8, 2], types: ['egg_white', 'peanut'] }),
  series('igg', 'discrete', 'FSU', { range: [0.5, 44, 2], types: ['casein', 'gluten'] }),
  series('inhaler_usage', 'interval', 'count', { range: [1, 3, 0] }),
  series('insulin_injection', 'interval', 'unit', { range: [0.5, 18, 1], types: ['rapid_acting', 'long_acting'] }),
  series('lean_body_mass', 'interval', 'kg', { range: [42, 71, 2] }),
  series('mindfulness_minutes', 'interval', 'min', { range: [1, 34, 2] }),
  series('note', 'text', 'text', {}),
  series('peak_expiratory_flow_rate', 'interval', 'L/min', { range: [280, 610, 1] }),
  series('respiratory_rate', 'discrete', 'bpm', { range: [11, 19, 1] }),
  series('sleep_apnea_alert', 'interval', 'count', { range: [1, 1, 0] }),
  series('sleep_breathing_disturbance', 'interval', 'count', { range: [0, 9, 1], types: ['elevated', 'not_elevated'] }),
  series('stand_duration', 'interval', 'min', { range: [1, 58, 1] }),
  series('stand_hour', 'interval', 'count', { range: [1, 1, 0], types: ['stood', 'idle'] }),
  series('steps', 'interval', 'count', { range: [3, 1870, 0] }),
  series('stress_level', 'discrete', '%', { range: [4, 91, 1] }),
  series('uv_exposure', 'interval', 'index', { range: [0, 9, 1] }),
  series('vo2_max', 'interval', 'mL/kg/min', { range: [28, 57, 2] }),
  series('waist_circumference', 'interval', 'cm', { range: [68, 108, 1] }),
  series('water', 'discrete', 'ml', { range: [90, 610, 1] }),
  series('wheelchair_push', 'interval', 'count', { range: [4, 420, 0] }),
  series('workout_distance', 'interval', 'm', { range: [40, 1900, 2] }),
  series('workout_duration', 'interval', 'min', { range: [1, 58, 2] }),
  series('workout_swimming_stroke', 'interval', 'count', { range: [8, 64, 0] }),
];

const SUMMARIES = [
  { name: 'activity', responseKey: 'activity', timeField: 'calendar_date', parameters: 'any' },
  { name: 'body', responseKey: 'body', timeField: 'calendar_date', parameters: 'any' },
  { name: 'electrocardiogram', responseKey: 'electrocardiogram', timeField: 'session_start', parameters: 'date' },
  { name: 'meal', responseKey: 'meals', timeField: 'timestamp', parameters: 'any' },
  { name: 'menstrual_cycle', responseKey: 'menstrual_cycle', timeField: 'period_start', parameters: 'date' },
  { name: 'profile', responseKey: null, timeField: null, parameters: 'none' },
  { name: 'sleep', responseKey: 'sleep', timeField: 'bedtime_start', parameters: 'any' },
  { name: 'sleep_cycle', responseKey: 'sleep_cycle', timeField: 'session_start', parameters: 'date' },
  { name: 'workouts', responseKey: 'workouts', timeField: 'time_start', parameters: 'any' },
] as const satisfies readonly SummaryFacts[];

/** A summary without a maker in `sandbox/data/summary-makers.ts` does not compile. */
export type SummaryName = (typeof SUMMARIES)[number]['name'];

export interface SummaryResource extends SummaryFacts {
  name: SummaryName;
}

const seriesByName = new Map(
  SERIES.flatMap((row) => [row.name, row.event ?? row.name].map((name) => [name, row] as const)),
);
const summaryByName = new Map<string, SummaryResource>(SUMMARIES.map((row) => [row.name, row]));

/** By path name; event names (`fat`, `weight`) are not paths. */
export function findSeriesByPath(name: string): SeriesResource | undefined {
  const row = seriesByName.get(name);
  return row?.name === name ? row : undefined;
}

/** By path name or event name. */
export function findSeries(name: string): SeriesResource | undefined {
  return seriesByName.get(name);
}

export function findSummary(name: string): SummaryResource | undefined {
  return summaryByName.get(name);
}

/** The name used in events and introspection, for a path or event name; null if there is no such resource. */
export function eventName(name: string): string | null {
  if (summaryByName.has(name)) return name;
  const row = seriesByName.get(name);
  return row === undefined ? null : (row.event ?? row.name);
}

export const SERIES_NAMES: readonly string[] = SERIES.map((row) => row.name);
export const SUMMARY_NAMES: readonly string[] = SUMMARIES.map((row) => row.name);
