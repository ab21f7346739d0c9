import type { DayDto, Operations } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';

export type DailyResource = Operations['readDays']['query']['resources'][number];

/** Resources with daily statistics. */
export const dailyResources = everyOf<DailyResource>()([
  'afib_burden',
  'basal_body_temperature',
  'blood_oxygen',
  'blood_pressure',
  'body_fat',
  'body_mass_index',
  'body_temperature',
  'body_temperature_delta',
  'body_weight',
  'caffeine',
  'calories_active',
  'calories_basal',
  'carbohydrates',
  'daylight_exposure',
  'distance',
  'fall',
  'floors_climbed',
  'forced_expiratory_volume_1',
  'forced_vital_capacity',
  'glucose',
  'handwashing',
  'heart_rate_alert',
  'heart_rate_recovery_one_minute',
  'heartrate',
  'hrv',
  'inhaler_usage',
  'insulin_injection',
  'lean_body_mass',
  'mindfulness_minutes',
  'peak_expiratory_flow_rate',
  'respiratory_rate',
  'sleep_apnea_alert',
  'stand_duration',
  'steps',
  'stress_level',
  'uv_exposure',
  'vo2_max',
  'waist_circumference',
  'water',
  'wheelchair_push',
  'workout_distance',
  'workout_duration',
  'workout_swimming_stroke',
]);

type Numbers = Pick<DayDto, 'sum' | 'min' | 'max' | 'mean'>;

const plain = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** A unit worth showing: steps are counted in steps. */
export const shownUnit = (unit: string | null | undefined): string => (!unit || unit === 'count' ? '' : unit);

function rangeWords({ sum, min, max, mean }: Numbers): string {
  if (sum !== undefined) return plain(sum);
  if (mean === undefined) return '–';
  return `${plain(mean)}${min === undefined || max === undefined ? '' : ` (${plain(min)} to ${plain(max)})`}`;
}

/** The total of a day, or its mean with the range; for blood pressure both values. */
export function numbersOfDay(
  day: Pick<DayDto, 'sum' | 'min' | 'max' | 'mean' | 'unit' | 'systolic' | 'diastolic'>,
): string {
  const { unit, systolic, diastolic } = day;
  const words = systolic && diastolic ? `${rangeWords(systolic)} / ${rangeWords(diastolic)}` : rangeWords(day);
  return words === '–' ? words : `${words} ${shownUnit(unit)}`.trimEnd();
}
