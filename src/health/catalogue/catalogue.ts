import { nearestName } from '../../platform/config/similar-names.js';
import { AppError } from '../../platform/platform/errors.js';
import { DAY_MS, type TimeRange } from '../../platform/platform/time.js';

/*
 * Every resource of upstream, as rows of data (docs/upstream/resources.md). No other file in src names a resource. The
 * sandbox has its own list, so that each list checks the other. When you add a row here, add one to
 * sandbox/facts/catalogue.ts, for a summary also a maker to sandbox/data/summary-makers.ts, and update the counts in
 * test/health/catalogue/catalogue.spec.ts. A row lists only the differences from these defaults:
 *
 * - timeseries are stored as samples. The `type` of points splits a series into sub-series, and fields without a column
 *   (`sensor_location`, `delivery_mode`, `tags`, ...) are stored unchanged with the sample;
 * - summaries are stored as one object per id, with their times in columns;
 * - `hypnogram` has no event and was removed from upstream's documentation on 14 Sep 2026
 *   (docs/upstream/environments.md#deprecated-names), so it is not pulled;
 * - `workout_stream` can be pulled only per workout. Its event carries no data but triggers the fetch; the summary of a
 *   workout does not, so workouts from a source's history have no stream here.
 */

/**
 * interval: start, end, number · discrete: one instant, number · pair: one instant, systolic and diastolic ·
 * text: interval with a text · summary: an object with its own id · stream: parallel arrays of one workout.
 */
export type Family = 'interval' | 'discrete' | 'pair' | 'text' | 'summary' | 'stream';

/**
 * total: amounts of intervals, which add up to the day's total · measure: readings, with a mean, minimum and maximum
 * per day.
 */
export const statisticsKinds = ['total', 'measure'] as const;
export type Statistics = (typeof statisticsKinds)[number];

/** An interval of a total longer than this counts on the day on which it begins. */
export const MAX_SPREAD_MS = 2 * DAY_MS;

/** Limits of numbers in any unit, inclusive unless they say otherwise. */
export interface Possible {
  /** Exclusive. */
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly except?: number;
}

export interface Resource {
  /** Our name of the resource and its path segment. */
  readonly name: string;
  readonly family: Family;
  /** Its name in events; null if upstream sends none. */
  readonly eventName: string | null;
  /** Unit of a sample as upstream documents it; each stored sample keeps the unit it was sent with. */
  readonly unit: string | null;
  /** Key of the list in the response; null if the response is the object itself. */
  readonly responseKey: string | null;
  /** Field with the start of a summary; the next one has the field with its end. */
  readonly timeField: string | null;
  readonly endField: string | null;
  /** True if its objects contain the calendar day they belong to. */
  readonly hasDay: boolean;
  /**
   * The records that represent a day (reads/records-of-day.ts): the object changed last, the long sleeps, or every
   * object.
   */
  readonly ofDay: 'latest' | 'main_sleep' | 'all';
  /** True if the sub-series of its samples are different things, so that no number is given for all of them. */
  readonly byType: boolean;
  /**
   * True for what a person does once at a time, such as steps: equal amounts of one device that overlap count the same.
   * False for doses and events, which are added.
   */
  readonly onceAtATime: boolean;
  /**
   * Values that a measurement of it can have. Devices send others for "no reading"; they are stored, but do not count.
   */
  readonly possible: Possible;
  /** True if nobody lives with 1 % of it, so that a value of at most 1 is a fraction and not a percentage. */
  readonly mayBeFraction: boolean;
  /** True for doses that may flow over time, such as basal insulin; others are given at once. */
  readonly mayFlow: boolean;
  /** True for what is measured in a night: it belongs to the day on which the night ends. */
  readonly ofNight: boolean;
  /** Type of the sources that are made to measure it; null if there is none. */
  readonly instrument: string | null;
  /** Statistics that can be computed from the samples of a day; null if no daily number is meaningful. */
  readonly statistics: Statistics | null;
  /** True if the request takes dates without a time of day. */
  readonly dateOnly: boolean;
  /** True if its objects may be forecasts (`is_predicted`), which are never the latest record. */
  readonly hasForecasts: boolean;
  /** False if it cannot be pulled by account and window. */
  readonly pulled: boolean;
}

type Optional =
  | 'byType'
  | 'onceAtATime'
  | 'possible'
  | 'mayBeFraction'
  | 'mayFlow'
  | 'ofNight'
  | 'instrument'
  | 'eventName'
  | 'pulled'
  | 'statistics'
  | 'responseKey'
  | 'endField'
  | 'hasDay'
  | 'ofDay'
  | 'dateOnly'
  | 'hasForecasts';
type Differences = Partial<Pick<Resource, Optional>>;

function timeseries(
  name: string,
  family: Exclude<Family, 'summary' | 'stream'>,
  unit: string,
  differences: Differences = {},
): Resource {
  const fixed = {
    responseKey: 'groups',
    timeField: null,
    endField: null,
    hasDay: false,
    ofDay: 'latest',
    ofNight: false,
    byType: false,
    onceAtATime: false,
    possible: {},
    mayBeFraction: false,
    mayFlow: false,
    instrument: null,
    statistics: 'measure',
    dateOnly: false,
    hasForecasts: false,
    pulled: true,
  } as const;
  return { name, family, unit, eventName: name, ...fixed, ...differences };
}

function summary(name: string, timeField: string, differences: Differences = {}): Resource {
  const usual = {
    eventName: name,
    responseKey: name,
    endField: null,
    dateOnly: false,
    hasForecasts: false,
    pulled: true,
  } as const;
  const fixed = {
    family: 'summary',
    unit: null,
    hasDay: false,
    ofDay: 'latest',
    ofNight: false,
    byType: false,
    onceAtATime: false,
    possible: {},
    mayBeFraction: false,
    mayFlow: false,
    instrument: null,
    statistics: null,
  } as const;
  return { name, timeField, ...fixed, ...usual, ...differences };
}

/** Totals of doses and events; nobody eats or walks less than nothing. */
const added: Differences = { statistics: 'total', possible: { from: 0 } };
/** Totals of what a person does once at a time. */
const counted: Differences = { ...added, onceAtATime: true };

/** Measures of which a living person has some, up to a number that holds in every unit of them. */
const ofLiving = (to?: number): Differences => ({ possible: { above: 0, ...(to !== undefined && { to }) } });
/** The same of what is counted a minute; 255 is "no reading" where a device has one byte for it. */
const aMinute: Differences = { possible: { above: 0, to: 300, except: 255 } };
/** The lower limit is that of degrees Celsius, the upper one that of Kelvin. */
const warmth: Differences = { possible: { from: 10, to: 330 } };
/** Beyond these limits it is the temperature itself, in any unit. */
const warmthDelta: Differences = { possible: { from: -20, to: 20 } };
const onScale: Differences = { instrument: 'scale' };
const ofLivingInPercent: Differences = { possible: { above: 0, to: 100 }, mayBeFraction: true };
/** Percentages that may be 0; stress below 0 means that the watch was not worn, or moved too much. */
const percentage: Differences = { possible: { from: 0, to: 100 } };

/** Workouts, stored as summaries; next, the stream of one workout, which is stored with the workout's time. */
export const workouts = summary('workouts', 'time_start', { endField: 'time_end', hasDay: true, ofDay: 'all' });
export const workoutStream: Resource = {
  name: 'workout_stream',
  family: 'stream',
  eventName: 'workout_stream',
  unit: null,
  responseKey: null,
  timeField: null,
  endField: null,
  hasDay: false,
  ofDay: 'latest',
  ofNight: false,
  byType: false,
  onceAtATime: false,
  possible: {},
  mayBeFraction: false,
  mayFlow: false,
  instrument: null,
  statistics: null,
  dateOnly: false,
  hasForecasts: false,
  pulled: false,
};

export const catalogue: readonly Resource[] = [
  timeseries('afib_burden', 'interval', '%', percentage),
  timeseries('basal_body_temperature', 'interval', '°C', warmth),
  timeseries('blood_oxygen', 'discrete', '%', ofLivingInPercent),
  timeseries('blood_pressure', 'pair', 'mmHg', { instrument: 'cuff', ...ofLiving() }),
  timeseries('body_fat', 'discrete', '%', { eventName: 'fat', ...onScale, ...ofLivingInPercent }),
  timeseries('body_mass_index', 'interval', 'index', { ...onScale, ...ofLiving(300) }),
  timeseries('body_temperature', 'interval', '°C', warmth),
  timeseries('body_temperature_delta', 'interval', '°C', warmthDelta),
  timeseries('body_weight', 'discrete', 'kg', { eventName: 'weight', ...onScale, ...ofLiving() }),
  timeseries('caffeine', 'interval', 'g', added),
  timeseries('calories_active', 'interval', 'kcal', counted),
  timeseries('calories_basal', 'discrete', 'kcal', counted),
  timeseries('carbohydrates', 'interval', 'g', added),
  timeseries('cholesterol', 'discrete', 'mmol/L', { statistics: null, ...ofLiving() }),
  timeseries('daylight_exposure', 'interval', 'min', counted),
  timeseries('distance', 'interval', 'm', counted),
  timeseries('electrocardiogram_voltage', 'discrete', 'mV', { statistics: null }),
  timeseries('fall', 'interval', 'count', added),
  timeseries('floors_climbed', 'discrete', 'count', counted),
  timeseries('forced_expiratory_volume_1', 'interval', 'L', ofLiving()),
  timeseries('forced_vital_capacity', 'interval', 'L', ofLiving()),
  timeseries('glucose', 'discrete', 'mmol/L', ofLiving(3_000)),
  timeseries('handwashing', 'interval', 'count', added),
  timeseries('heart_rate_alert', 'interval', 'count', { ...added, byType: true }),
  timeseries('heart_rate_recovery_one_minute', 'interval', 'count'),
  timeseries('heartrate', 'discrete', 'bpm', aMinute),
  timeseries('hrv', 'discrete', 'rmssd', ofLiving(1_000)),
  timeseries('hypnogram', 'interval', 'stage', { statistics: null, ofNight: true, eventName: null, pulled: false }),
  timeseries('ige', 'discrete', 'FSU', { statistics: null }),
  timeseries('igg', 'discrete', 'FSU', { statistics: null }),
  timeseries('inhaler_usage', 'interval', 'count', added),
  timeseries('insulin_injection', 'interval', 'unit', { ...added, mayFlow: true }),
  timeseries('lean_body_mass', 'interval', 'kg', { ...onScale, ...ofLiving() }),
  timeseries('mindfulness_minutes', 'interval', 'min', counted),
  timeseries('note', 'text', 'text', { statistics: null }),
  timeseries('peak_expiratory_flow_rate', 'interval', 'L/min', ofLiving()),
  timeseries('respiratory_rate', 'discrete', 'bpm', aMinute),
  timeseries('sleep_apnea_alert', 'interval', 'count', added),
  timeseries('sleep_breathing_disturbance', 'interval', 'count', { statistics: null, ofNight: true }),
  timeseries('stand_duration', 'interval', 'min', counted),
  timeseries('stand_hour', 'interval', 'count', { statistics: null }),
  timeseries('steps', 'interval', 'count', counted),
  timeseries('stress_level', 'discrete', '%', percentage),
  timeseries('uv_exposure', 'interval', 'index', { possible: { from: 0 } }),
  timeseries('vo2_max', 'interval', 'mL/kg/min', ofLiving(200)),
  timeseries('waist_circumference', 'interval', 'cm', ofLiving()),
  timeseries('water', 'discrete', 'ml', added),
  timeseries('wheelchair_push', 'interval', 'count', counted),
  timeseries('workout_distance', 'interval', 'm', counted),
  timeseries('workout_duration', 'interval', 'min', counted),
  timeseries('workout_swimming_stroke', 'interval', 'count', counted),
  summary('activity', 'calendar_date', { hasDay: true }),
  summary('body', 'calendar_date', { hasDay: true }),
  summary('electrocardiogram', 'session_start', { endField: 'session_end', dateOnly: true }),
  summary('meal', 'timestamp', { responseKey: 'meals', hasDay: true, ofDay: 'all' }),
  summary('menstrual_cycle', 'period_start', { endField: 'period_end', dateOnly: true, hasForecasts: true }),
  summary('profile', 'updated_at', { responseKey: null }),
  summary('sleep', 'bedtime_start', { endField: 'bedtime_stop', hasDay: true, ofDay: 'main_sleep' }),
  summary('sleep_cycle', 'session_start', { endField: 'session_end', dateOnly: true, ofNight: true }),
  workouts,
  workoutStream,
];

const byName = new Map(catalogue.map((resource) => [resource.name, resource]));
const byEvent = new Map(catalogue.map((resource) => [resource.eventName, resource]));

export function resourceByName(name: string): Resource | null {
  return byName.get(name) ?? null;
}

/** The resource with this name in events and introspection; for `fat` and `weight` it differs from the path. */
export function resourceByEvent(eventName: string): Resource | null {
  return byEvent.get(eventName) ?? null;
}

/** True for a resource requested without dates and returned as a single object: the profile. */
export function hasNoWindow({ family, responseKey }: Resource): boolean {
  return family === 'summary' && responseKey === null;
}

/** True for a number that a measurement of the resource can have. */
export function isPossible({ possible: { above, from, to, except } }: Resource, value: number): boolean {
  const isBelow = value <= (above ?? Number.NEGATIVE_INFINITY) || value < (from ?? Number.NEGATIVE_INFINITY);
  return !isBelow && value <= (to ?? Number.POSITIVE_INFINITY) && value !== except;
}

/** True if a resource is stored as one object per id; the others are stored as samples. */
export function isWhole({ family }: Resource): boolean {
  return family === 'summary' || family === 'stream';
}

/** Valid names for `SYNC_RESOURCES`. */
export const pulledResources = namesOf(({ pulled }) => pulled);

function nearestOf(name: string, names: readonly string[]): string | undefined {
  return nearestName(name.toLowerCase(), names);
}

/** The resource that a misspelled name may mean. */
export function nearestResource(name: string): Resource | null {
  return resourceByName(nearestOf(name, [...byName.keys()]) ?? '');
}

/** A sentence about a name that is none of these: the nearest of them, or all. */
export function unlike(name: string, names: readonly string[]): string {
  const nearest = nearestOf(name, names);
  return nearest === undefined ? `known are ${names.join(', ')}` : `the nearest is ${nearest}`;
}

/** Error for a name that is not in the catalogue; says which is the nearest, or lists all. */
export function unknownResource(code: 'not_found' | 'invalid_request', name: string): AppError {
  return new AppError(
    code,
    `Unknown resource: ${unlike(
      name,
      namesOf(() => true),
    )}.`,
  );
}

/** Resources whose objects contain the calendar day they belong to. */
export const calendarDayResources = namesOf(({ hasDay }) => hasDay);

/** Resources with daily statistics. */
export const statisticsResources = namesOf(({ statistics }) => statistics !== null);

/** Resources whose samples may be replaced by hourly sums: a total is merged from every interval of every source. */
export const measureResources = namesOf(({ statistics }) => statistics === 'measure');

/** Resources with coverage per day: a profile has no days, and a resource that cannot be pulled is never covered. */
export const coveredResources = namesOf((resource) => resource.pulled && !hasNoWindow(resource));

function namesOf(isOne: (resource: Resource) => boolean): readonly string[] {
  return catalogue.filter(isOne).map(({ name }) => name);
}

/**
 * The time range of the summaries of a date; `start` is its midnight in UTC. A summary belongs to its `calendar_date`,
 * a local day of the person, which may end up to twelve hours after the UTC day. A night that ends on it begins the day
 * before.
 */
export function rangeOfSummaries(start: number): TimeRange {
  return { start: start - DAY_MS, end: start + 1.5 * DAY_MS };
}
