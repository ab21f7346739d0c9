import type { Rng } from '../engine/random.js';
import { DAY, formatDate, formatTime, HOUR, MINUTE, SECOND } from '../engine/times.js';
import type { SummaryName } from '../facts/catalogue.js';

export type SummaryObject = Record<string, unknown>;

/** Input of a maker: a day, the index of the object within the day, and its random numbers. */
export interface Making {
  rng: Rng;
  /** Midnight UTC of the day. */
  day: number;
  index: number;
  offset: number | null;
  uuid: () => string;
  /** The sleep of the same day and index. */
  sleep: () => { readonly id: string; readonly start: number; readonly end: number };
}

function maybe<T>(rng: Rng, value: T, missing = 0.08): T | null {
  return rng.chance(missing) ? null : value;
}

function sleepStages(rng: Rng, duration: number): Record<string, number> {
  const awake = Math.floor(duration * rng.float(0.03, 0.12, 4));
  const rem = Math.floor(duration * rng.float(0.14, 0.25, 4));
  const deep = Math.floor(duration * rng.float(0.1, 0.22, 4));
  const light = duration - awake - rem - deep;
  return { duration, total: rem + deep + light, awake, light, rem, deep };
}

function sleep({ rng, day, index, offset }: Making): SummaryObject {
  const nap = index > 0;
  const duration = nap ? rng.int(21 * 60, 95 * 60) : rng.int(5 * 3600 + 17, 9 * 3600 - 31);
  const start = nap ? day + 13 * HOUR + index * 2 * HOUR + rng.int(0, 1500) * SECOND : day - rng.int(0, 9000) * SECOND;
  const stages = sleepStages(rng, duration);
  const total = stages.total ?? 0;
  return {
    date: formatTime(day),
    calendar_date: formatDate(day),
    bedtime_start: formatTime(start),
    bedtime_stop: formatTime(start + duration * SECOND),
    type: nap ? 'short_sleep' : 'long_sleep',
    timezone_offset: offset,
    ...stages,
    score: maybe(rng, rng.int(48, 97)),
    recovery_readiness_score: maybe(rng, rng.int(31, 98)),
    hr_lowest: maybe(rng, rng.int(41, 56)),
    hr_average: maybe(rng, rng.int(49, 67)),
    hr_resting: maybe(rng, rng.int(45, 62)),
    hr_dip: maybe(rng, rng.float(4, 21, 2), 0.3),
    efficiency: maybe(rng, Number((total / duration).toFixed(3))),
    latency: maybe(rng, rng.int(61, 1987)),
    temperature_delta: maybe(rng, rng.float(-0.93, 0.88, 2)),
    skin_temperature: maybe(rng, rng.float(33.4, 36.2, 2), 0.4),
    average_hrv: maybe(rng, rng.float(17, 109, 2)),
    respiratory_rate: maybe(rng, rng.float(11.2, 18.7, 2)),
    state: maybe(rng, rng.pick(['tentative', 'confirmed', 'confirmed']), 0.2),
    sleep_stream: null,
  };
}

function activity({ rng, day, offset }: Making): SummaryObject {
  const low = rng.int(30, 320);
  return {
    date: formatTime(day),
    calendar_date: formatDate(day),
    calories_total: rng.float(1610, 3120, 1),
    calories_active: maybe(rng, rng.float(90, 980, 1)),
    steps: rng.int(812, 19_431),
    distance: maybe(rng, rng.float(611, 15_777, 2)),
    low,
    medium: maybe(rng, rng.int(3, 121)),
    high: maybe(rng, rng.int(0, 71)),
    floors_climbed: maybe(rng, rng.int(0, 24)),
    time_zone: null,
    timezone_offset: offset,
    heart_rate: maybe(rng, {
      avg_bpm: rng.int(61, 88),
      min_bpm: rng.int(43, 57),
      max_bpm: rng.int(101, 183),
      resting_bpm: rng.int(47, 66),
      avg_walking_bpm: rng.int(77, 109),
    }),
    wheelchair_use: null,
    wheelchair_push: null,
  };
}

function body({ rng, day }: Making): SummaryObject {
  return {
    date: formatTime(day),
    calendar_date: formatDate(day),
    weight: rng.float(58, 94, 2),
    fat: maybe(rng, rng.float(14, 31, 2)),
    water_percentage: maybe(rng, rng.float(45, 63, 1)),
    muscle_mass_percentage: maybe(rng, rng.float(31, 47, 1)),
    visceral_fat_index: maybe(rng, rng.float(2, 13, 1), 0.5),
    bone_mass_percentage: maybe(rng, rng.float(2.4, 4.9, 1)),
    body_mass_index: maybe(rng, rng.float(19, 29, 2)),
    lean_body_mass_kilogram: maybe(rng, rng.float(42, 71, 2)),
    waist_circumference_centimeter: maybe(rng, rng.float(68, 108, 1), 0.5),
  };
}

function electrocardiogram({ rng, day, index }: Making): SummaryObject {
  const start = day + 9 * HOUR + index * HOUR + rng.int(0, 3000) * SECOND;
  return {
    session_start: formatTime(start),
    session_end: formatTime(start + 30 * SECOND),
    voltage_sample_count: rng.int(14_001, 15_999),
    heart_rate_mean: maybe(rng, rng.int(52, 97)),
    sampling_frequency_hz: maybe(rng, 512.4),
    classification: maybe(rng, rng.pick(['sinus_rhythm', 'atrial_fibrillation', 'inconclusive'])),
    inconclusive_cause: null,
    algorithm_version: maybe(rng, '2.1'),
    time_zone: null,
  };
}

function meal({ rng, day, index }: Making): SummaryObject {
  return {
    priority_id: 1,
    source_id: 1,
    provider_id: '',
    timestamp: formatTime(day + 8 * HOUR + index * 5 * HOUR + rng.int(0, 3500) * SECOND),
    calendar_date: formatDate(day),
    name: rng.pick(['Breakfast', 'Lunch', 'Dinner', 'Snack']),
    energy: maybe(rng, { unit: 'kcal', value: rng.float(110, 940, 1) }),
    macros: maybe(rng, { carbs: rng.float(9, 121, 1), protein: rng.float(3, 48, 1), fats: null, alcohol: null }),
    micros: null,
    data: { oatmeal: { macros: { carbs: rng.float(9, 61, 1) } } },
    source_app_id: null,
    source_device_id: null,
  };
}

function menstrualCycle({ rng, day }: Making): SummaryObject {
  return {
    period_start: formatDate(day),
    period_end: maybe(rng, formatDate(day + rng.int(3, 6) * DAY)),
    cycle_end: maybe(rng, formatDate(day + rng.int(25, 31) * DAY)),
    is_predicted: rng.chance(0.2),
    menstrual_flow: [{ date: formatDate(day), flow: rng.pick(['light', 'medium', 'heavy']) }],
    cervical_mucus: [],
    intermenstrual_bleeding: [],
    contraceptive: [],
    detected_deviations: [],
    ovulation_test: [],
    home_pregnancy_test: [],
    home_progesterone_test: [],
    sexual_activity: [],
    basal_body_temperature: [],
  };
}

function profile({ rng }: Making): SummaryObject {
  return {
    height: maybe(rng, rng.int(151, 197)),
    birth_date: maybe(rng, `19${rng.int(50, 99)}-0${rng.int(1, 9)}-1${rng.int(0, 9)}`),
    wheelchair_use: null,
    gender: maybe(rng, rng.pick(['female', 'male', 'other'])),
    sex: null,
  };
}

/** The stages of the sleep of its day, without a gap. */
function sleepCycle({ rng, ...making }: Making): SummaryObject {
  const { id, start, end } = making.sleep();
  const duration = Math.floor((end - start) / SECOND);
  const ends: number[] = [];
  for (let at = rng.int(211, 3607); at < duration; at += rng.int(211, 3607)) ends.push(at);
  return {
    sleep_id: id,
    session_start: formatTime(start),
    session_end: formatTime(end),
    stage_start_offset_second: [0, ...ends],
    stage_end_offset_second: [...ends, duration],
    stage_type: [...ends, duration].map(() => rng.pick([-1, 1, 2, 3, 4])),
    time_zone: null,
  };
}

function workouts({ rng, day, index, offset }: Making): SummaryObject {
  const start = day + 6 * HOUR + index * 3 * HOUR + rng.int(0, 7000) * SECOND;
  const length = rng.int(11, 104) * MINUTE;
  return {
    title: maybe(rng, rng.pick(['Morning run', 'Ride', 'Swim'])),
    timezone_offset: offset,
    average_hr: maybe(rng, rng.int(97, 161)),
    max_hr: maybe(rng, rng.int(141, 191)),
    distance: maybe(rng, rng.float(1203, 21_417, 2)),
    calendar_date: formatDate(day),
    time_start: formatTime(start),
    time_end: formatTime(start + length),
    calories: maybe(rng, rng.float(81, 973, 1)),
    sport: { id: 108, name: 'Running', slug: 'running' },
    hr_zones: maybe(rng, [11, 207, 811, 640, 93, 2]),
    moving_time: maybe(rng, Math.floor(length / SECOND) - 17),
    total_elevation_gain: maybe(rng, rng.float(0, 411, 1)),
    average_speed: maybe(rng, rng.float(1.9, 4.4, 3)),
    max_speed: maybe(rng, rng.float(4.5, 6.8, 3)),
    steps: null,
    map: null,
    provider_id: `w-${formatDate(day)}-${index}`,
  };
}

/** Flattened source fields beside `source` (docs/upstream/summaries.md#common-fields). */
export const FLATTENED: readonly string[] = ['electrocardiogram', 'sleep_cycle', 'menstrual_cycle'];

export const MAKERS: Readonly<Record<SummaryName, (making: Making) => SummaryObject>> = {
  sleep,
  activity,
  body,
  electrocardiogram,
  meal,
  menstrual_cycle: menstrualCycle,
  profile,
  sleep_cycle: sleepCycle,
  workouts,
};
