import type { Resource } from './catalogue.js';

/*
 * Units of samples (docs/meaning.md#units). A record keeps the unit that it was sent with. Numbers over several samples
 * need one unit: conversions are exact or defined, and where none is known there are no numbers.
 */

/** `value` in a unit is `value * factor + offset` in the catalogue's unit. */
interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

/** Spellings in lower case, unless case makes a difference, each with its factor and offset to the first one. */
type Spellings = Readonly<Record<string, number | readonly [factor: number, offset: number]>>;

const fahrenheit = 5 / 9;
/** mg/dL of a mmol/L, by molar mass: 180.156 g/mol for glucose, 386.65 for cholesterol. */
const GLUCOSE = 18.0156;
const CHOLESTEROL = 38.665;

const mass: Spellings = { kg: 1, g: 0.001, lb: 0.45359237, lbs: 0.45359237, '[lb_av]': 0.45359237, st: 6.35029318 };
const temperature: Spellings = {
  ...{ '°c': 1, c: 1, cel: 1, celsius: 1, degc: 1, k: [1, -273.15], kelvin: [1, -273.15] },
  ...Object.fromEntries(
    ['°f', 'f', '[degf]', 'fahrenheit', 'degf'].map((name) => [name, [fahrenheit, -32 * fahrenheit]]),
  ),
};
const temperatureDelta: Spellings = {
  ...{ '°c': 1, c: 1, cel: 1, celsius: 1, degc: 1, k: 1, kelvin: 1 },
  ...Object.fromEntries(['°f', 'f', '[degf]', 'fahrenheit', 'degf'].map((name) => [name, fahrenheit])),
};
const length: Spellings = {
  ...{ m: 1, km: 1_000, cm: 0.01, mm: 0.001, mi: 1_609.344, '[mi_i]': 1_609.344, mile: 1_609.344, miles: 1_609.344 },
  ...{ ft: 0.3048, '[ft_i]': 0.3048, yd: 0.9144, '[yd_i]': 0.9144, in: 0.0254, '[in_i]': 0.0254 },
};
const time: Spellings = {
  min: 1,
  minute: 1,
  minutes: 1,
  s: 1 / 60,
  sec: 1 / 60,
  seconds: 1 / 60,
  h: 60,
  hour: 60,
  hours: 60,
};
/** A `Cal` is a kilocalorie, as on food; a `cal` is a thousandth of it. */
const energy: Spellings = { kcal: 1, Cal: 1, '[Cal]': 1, cal: 0.001, kj: 1 / 4.184, j: 0.001 / 4.184 };
const volume: Spellings = {
  ...{ ml: 1, l: 1_000, dl: 100, cl: 10, 'fl oz': 29.5735295625, floz: 29.5735295625, '[foz_us]': 29.5735295625 },
};
const grams: Spellings = { g: 1, mg: 0.001, kg: 1_000, µg: 1e-6, ug: 1e-6, oz: 28.349523125, '[oz_av]': 28.349523125 };
const pressure: Spellings = { mmhg: 1, 'mm[hg]': 1, kpa: 7.500_615_758_456_563 };
const perMinute: Spellings = { bpm: 1, '/min': 1, 'count/min': 1, '{beats}/min': 1, 'beats/min': 1, 'breaths/min': 1 };

/** By the unit of the catalogue. */
const spellings: Readonly<Record<string, Spellings>> = {
  kg: mass,
  '°C': temperature,
  m: length,
  cm: scaled(length, 100),
  min: time,
  kcal: energy,
  ml: volume,
  L: scaled(volume, 0.001),
  'L/min': { 'l/min': 1, 'ml/min': 0.001, 'l/s': 60 },
  g: grams,
  mmHg: pressure,
  bpm: perMinute,
  '%': { '%': 1, percent: 1 },
  count: { count: 1, counts: 1, '{count}': 1 },
  unit: { unit: 1, units: 1, u: 1, iu: 1, '[iu]': 1, '[u]': 1 },
  'mL/kg/min': { 'ml/kg/min': 1, 'ml/min/kg': 1, 'ml/(kg.min)': 1, 'ml/min·kg': 1, 'ml/kg·min': 1 },
  index: { index: 1, '{index}': 1 },
};

const ofResource: Readonly<Record<string, Spellings>> = {
  body_temperature_delta: temperatureDelta,
  heart_rate_recovery_one_minute: { count: 1, ...perMinute },
  body_mass_index: { index: 1, 'kg/m2': 1, 'kg/m²': 1 },
  glucose: { 'mmol/l': 1, 'mg/dl': 1 / GLUCOSE },
  cholesterol: { 'mmol/l': 1, 'mg/dl': 1 / CHOLESTEROL },
};

/** Units of the catalogue as UCUM (https://ucum.org); others are the same in UCUM. */
const ucum: Readonly<Record<string, string>> = {
  ...{ '°C': 'Cel', mmHg: 'mm[Hg]', bpm: '/min', count: '{count}', index: '{index}', unit: '[iU]' },
  ...{ ml: 'mL', rmssd: 'ms', 'mL/kg/min': 'mL/min/kg', stage: '{stage}', text: '{text}', FSU: '{FSU}' },
};

/** Where the unit alone does not tell. */
const ucumOfResource: Readonly<Record<string, string>> = { body_mass_index: 'kg/m2' };

/** The unit of a resource in the catalogue as UCUM; null if its values have none. */
export function ucumOf({ name, unit }: Pick<Resource, 'name' | 'unit'>): string | null {
  return unit === null ? null : (ucumOfResource[name] ?? ucum[unit] ?? unit);
}

/** The conversion of values of a resource from a unit to the catalogue's; null if that is not known. */
export function conversionOf(
  { name, unit: own }: Pick<Resource, 'name' | 'unit'>,
  unit: string | null,
): Conversion | null {
  if (unit === null || own === null) return null;
  if (unit === own) return { factor: 1, offset: 0 };
  const known = ofResource[name] ?? spellings[own];
  const found = known?.[unit.trim()] ?? known?.[unit.trim().toLowerCase()];
  if (found === undefined) return null;
  return typeof found === 'number' ? { factor: found, offset: 0 } : { factor: found[0], offset: found[1] };
}

function scaled(all: Spellings, by: number): Spellings {
  return Object.fromEntries(Object.entries(all).map(([name, factor]) => [name, (factor as number) * by]));
}

/**
 * Details that must be equal for samples of one series to be compared as they are: their unit and, where it was
 * measured, their `sensor_location`.
 */
export interface Measure {
  readonly unit: string | null;
  readonly place: string | null;
}

export function measureOf(attributes: string): Measure {
  const { unit, sensor_location: place } = JSON.parse(attributes) as Record<string, unknown>;
  return { unit: textOrNull(unit), place: textOrNull(place) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
