import { isWhole, type Resource } from './catalogue.js';
import { type FieldText, summaryFields } from './summary-fields.js';
import { ucumOf } from './units.js';

/*
 * Names, units and codes of the values of each resource, for everything that gives data to other
 * programs: the views for SQL and docs/data-dictionary.md are made from it. Codes are LOINC (https://loinc.org), units
 * UCUM (https://ucum.org). A code stands here only where it says neither more nor less than the value: a glucose that
 * may be of blood or of tissue has none.
 */

/** A value of a record. */
export interface Value {
  readonly name: string;
  readonly type: 'number' | 'text' | 'boolean';
  /** Where it stands in the object of a summary; empty for a sample. */
  readonly path: readonly string[];
  /** UCUM; null if it has no unit, or if its unit is not certain. */
  readonly unit: string | null;
  /** LOINC; null if no code is certain. */
  readonly loinc: string | null;
  readonly meaning: string;
}

/** By `resource`, `resource.value` for a second number, or `resource.field` of a summary. */
export const loinc: Readonly<Record<string, string>> = {
  blood_oxygen: '59408-5',
  blood_pressure: '8480-6',
  'blood_pressure.value2': '8462-4',
  body_fat: '41982-0',
  body_mass_index: '39156-5',
  body_temperature: '8310-5',
  body_weight: '29463-7',
  forced_expiratory_volume_1: '20150-9',
  forced_vital_capacity: '19868-9',
  heartrate: '8867-4',
  lean_body_mass: '91557-9',
  respiratory_rate: '9279-1',
  steps: '55423-8',
  'activity.heart_rate_resting_bpm': '40443-4',
  'body.body_mass_index': '39156-5',
  'body.fat': '41982-0',
  'body.lean_body_mass_kilogram': '91557-9',
  'body.weight': '29463-7',
  'profile.height': '8302-2',
  'sleep.deep': '93831-6',
  'sleep.hr_resting': '40443-4',
  'sleep.light': '93830-8',
  'sleep.rem': '93829-0',
  'sleep.total': '93832-4',
};

/**
 * Units of fields (summary-fields.ts) as UCUM. Those that end in `?` are not documented by upstream, so they have none
 * here.
 */
const fieldUnits: Readonly<Record<string, string>> = {
  ...{ kg: 'kg', cm: 'cm', m: 'm', s: 's', min: 'min', kcal: 'kcal', '%': '%', '°C': 'Cel', W: 'W', Hz: 'Hz' },
  ...{ bpm: '/min', 'breaths/min': '/min', count: '{count}', index: '{index}' },
  ...{ '1 to 100': '{score}', '0 to 100': '{score}' },
};

/** Fields that the columns of every summary stand for, or that say nothing about the person. */
const common: ReadonlySet<string> = new Set([
  ...['id', 'user_id', 'created_at', 'updated_at', 'date', 'calendar_date', 'message', 'provider_id', 'workout_id'],
  ...['source', 'source_provider', 'source_type', 'source_app_id', 'source_device_id', 'source_device_model'],
]);

const types: Readonly<Record<string, Value['type']>> = {
  number: 'number',
  integer: 'number',
  string: 'text',
  boolean: 'boolean',
};

/**
 * The values of a resource, in the order of the catalogue: one or two of a sample, the plain fields of a summary. Lists
 * and objects of a summary whose fields are not documented are left to its `data`.
 */
export function valuesOf(resource: Resource): readonly Value[] {
  return isWhole(resource) ? summaryValues(resource) : sampleValues(resource);
}

function sampleValues(resource: Resource): Value[] {
  const { name, family } = resource;
  const value = {
    name: 'value',
    type: 'number',
    path: [],
    unit: ucumOf(resource),
    loinc: loinc[name] ?? null,
  } as const;
  if (family === 'text') return [{ ...value, name: 'text', type: 'text', unit: null, meaning: 'The text.' }];
  if (family !== 'pair') return [{ ...value, meaning: 'The number.' }];
  const second = { ...value, name: 'value2', loinc: loinc[`${name}.value2`] ?? null };
  return [
    { ...value, meaning: 'Systolic pressure.' },
    { ...second, meaning: 'Diastolic pressure.' },
  ];
}

function summaryValues({ name, timeField, endField }: Resource): Value[] {
  const isOwn = ([field]: [string, FieldText]): boolean =>
    !common.has(field) && field !== timeField && field !== endField;
  return Object.entries(summaryFields[name] ?? {})
    .filter(isOwn)
    .flatMap(([field, text]) => fieldValues(name, [field], text));
}

function fieldValues(resource: string, path: readonly string[], text: FieldText): Value[] {
  if (typeof text !== 'string') {
    return Object.entries(text).flatMap(([field, inner]) => fieldValues(resource, [...path, field], inner));
  }
  const [kind = '', unit = '', meaning = ''] = text.split('|');
  const type = types[kind];
  if (type === undefined || meaning.startsWith('Deprecated')) return [];
  const name = path.join('_');
  const code = `${resource}.${name}`;
  const isIndex = unit === 'index' && name === 'body_mass_index';
  return [
    {
      ...{ name, type, path, meaning },
      unit: isIndex ? 'kg/m2' : (fieldUnits[unit] ?? null),
      loinc: loinc[code] ?? null,
    },
  ];
}
