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

/** Spellings as `plain` leaves them, unless case matters, each with its factor and offset to the first. */
type Spellings = Readonly<Record<string, number | readonly [factor: number, offset: number]>>;

/** Names of one unit, separated by spaces. */
const all = (names: string, value: Spellings[string]): Spellings =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

const fahrenheit = 5 / 9;
/** mg/dL of a mmol/L, by molar mass: 180.156 g/mol for glucose, 386.65 for cholesterol. */
const GLUCOSE = 18.0156;
const CHOLESTEROL = 38.665;

const mass: Spellings = {
  ...all('kg kgs kilogram kilograms', 1),
  ...all('g gram grams', 0.001),
  ...all('lb lbs pound pounds [lb_av]', 0.45359237),
  ...all('st stone stones [stone_av]', 6.35029318),
  ...all('oz ounce ounces [oz_av]', 0.028349523125),
};
const celsius = '°c c cel celsius degc degreecelsius degreescelsius';
const kelvin = 'k kelvin';
const fahrenheits = '°f f fahrenheit degf [degf] degreefahrenheit degreesfahrenheit';
const temperature: Spellings = {
  ...all(celsius, 1),
  ...all(kelvin, [1, -273.15]),
  ...all(fahrenheits, [fahrenheit, -32 * fahrenheit]),
};
const temperatureDelta: Spellings = { ...all(`${celsius} ${kelvin}`, 1), ...all(fahrenheits, fahrenheit) };
const length: Spellings = {
  ...all('m meter meters metre metres', 1),
  ...all('km kilometer kilometers kilometre kilometres', 1_000),
  ...all('cm centimeter centimeters centimetre centimetres', 0.01),
  ...all('mm millimeter millimeters millimetre millimetres', 0.001),
  ...all('mi mile miles [mi_i]', 1_609.344),
  ...all('ft foot feet [ft_i]', 0.3048),
  ...all('yd yard yards [yd_i]', 0.9144),
  ...all('in inch inches [in_i]', 0.0254),
};
const time: Spellings = {
  ...all('min mins minute minutes', 1),
  ...all('s sec secs second seconds', 1 / 60),
  ...all('ms msec millisecond milliseconds', 1 / 60_000),
  ...all('h hr hrs hour hours', 60),
};
/** A `Cal` is a kilocalorie, as on food; a `cal` is a thousandth of it. In small letters, `calories` may be either. */
const energy: Spellings = {
  ...all('kcal kcals kilocalorie kilocalories Cal Calorie Calories [Cal]', 1),
  ...all('cal', 0.001),
  ...all('kj kilojoule kilojoules', 1 / 4.184),
  ...all('j joule joules', 0.001 / 4.184),
};
const volume: Spellings = {
  ...all('ml milliliter milliliters millilitre millilitres', 1),
  ...all('l liter liters litre litres', 1_000),
  ...all('dl', 100),
  ...all('cl', 10),
  ...all('floz flozus [foz_us]', 29.5735295625),
  ...all('flozimp [foz_br]', 28.4130625),
};
const grams: Spellings = {
  ...all('g gram grams', 1),
  ...all('mg milligram milligrams', 0.001),
  ...all('kg kilogram kilograms', 1_000),
  ...all('μg ug mcg microgram micrograms', 1e-6),
  ...all('oz ounce ounces [oz_av]', 28.349523125),
};
const pressure: Spellings = {
  ...all('mmhg mm[hg]', 1),
  ...all('kpa', 7.500_615_758_456_563),
  ...all('pa', 0.007_500_615_758_456_563),
};
const perMinute: Spellings = {
  ...all('bpm /min 1/min count/min counts/min {beats}/min beats/min beatsperminute', 1),
  ...all('{breaths}/min breaths/min breathsperminute brpm br/min rpm', 1),
  ...all('count/s counts/s {count}/s beats/s {beats}/s 1/s /s hz', 60),
};

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
  'L/min': { ...all('l/min', 1), ...all('ml/min', 0.001), ...all('l/s', 60) },
  g: grams,
  mmHg: pressure,
  bpm: perMinute,
  // What is measured is the root mean square of differences, in milliseconds.
  rmssd: { ...all('rmssd ms msec millisecond milliseconds', 1), ...all('s sec second seconds', 1_000) },
  '%': all('% percent percentage pct', 1),
  count: all('count counts {count}', 1),
  unit: all('unit units u iu [iu] [u] internationalunit internationalunits', 1),
  'mL/kg/min': all('ml/kg/min ml/min/kg ml/(kg.min) ml/(min.kg) ml/min.kg ml/kg.min', 1),
  index: all('index {index}', 1),
};

const ofResource: Readonly<Record<string, Spellings>> = {
  body_temperature_delta: temperatureDelta,
  heart_rate_recovery_one_minute: { ...all('count', 1), ...perMinute },
  body_mass_index: all('index kg/m2 kg/m^2 count', 1),
  steps: all('count counts {count} step steps', 1),
  floors_climbed: all('count counts {count} floor floors flight flights', 1),
  glucose: massConcentration(GLUCOSE),
  cholesterol: massConcentration(CHOLESTEROL),
};

/**
 * A spelling without what makes no difference: spaces and `_` outside brackets, forms of one sign (`℃`, `µ` and `μ`,
 * `·` and `*`), and the molar mass that some phones write (`mmol<180.156>/L`).
 */
function plain(unit: string): string {
  return unit
    .replaceAll(/[ºo˚](?=[CF]\b)/g, '°')
    .normalize('NFKC')
    .replaceAll(/<[\d.]+>/g, '')
    .replaceAll(/[·⋅∙*]/g, '.')
    .replaceAll(/[\s_](?![^[]*\])/g, '');
}

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
  const known = ofResource[name] ?? spellings[own] ?? {};
  const spelling = plain(unit);
  const found = [spelling, spelling.toLowerCase()].find((one) => Object.hasOwn(known, one));
  if (found === undefined) return null;
  const value = known[found] as Spellings[string];
  return typeof value === 'number' ? { factor: value, offset: 0 } : { factor: value[0], offset: value[1] };
}

/** `molar`: mg/dL of a mmol/L. Laboratories of some countries write grams a litre. */
function massConcentration(molar: number): Spellings {
  return { ...all('mmol/l', 1), ...all('mg/dl mg%', 1 / molar), ...all('g/l', 100 / molar) };
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
