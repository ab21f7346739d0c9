import type { ApiPropertyOptions } from '@nestjs/swagger';

type Schema = Record<string, unknown>;

/*
 * The documented fields of an upstream result (docs/upstream/results.md#the-result). It is passed on unchanged, so
 * fields may be missing, null, new or, in old results, of another type.
 */

const text = { type: ['string', 'null'] };
const textOrNumber = { type: ['string', 'number', 'null'] };
const list = { type: ['array', 'null'], items: {} };

const open = (properties: Schema, description: string): Schema => ({
  type: 'object',
  additionalProperties: true,
  properties,
  description,
});

const metadata = open(
  {
    patient: text,
    age: textOrNumber,
    dob: text,
    patient_id: textOrNumber,
    account_id: { ...textOrNumber, description: 'Account at the lab, not of Pulsekeep.' },
    specimen_number: text,
    date_collected: text,
    date_received: text,
    date_reported: text,
    provider: text,
    laboratory: text,
    status: { ...text, description: 'Original status from upstream; use the status of the response instead.' },
    interpretation: text,
  },
  'Health values.',
);

const biomarker = open(
  {
    name: text,
    slug: text,
    result: text,
    type: { ...text, description: 'numeric, range, comment or coded_value; upstream may add values.' },
    value: { ...textOrNumber, description: 'Deprecated; -1 if the result is not a number.' },
    unit: text,
    timestamp: text,
    notes: text,
    reference_range: text,
    min_range_value: textOrNumber,
    max_range_value: textOrNumber,
    is_above_max_range: { type: ['boolean', 'null'] },
    is_below_min_range: { type: ['boolean', 'null'] },
    interpretation: text,
    loinc: text,
    loinc_slug: text,
    provider_id: text,
    source_markers: list,
    source_sample_id: text,
  },
  'One biomarker.',
);

const missing = open(
  {
    name: text,
    slug: text,
    inferred_failure_type: { ...text, description: 'E.g. quantity_not_sufficient_failure; upstream may add values.' },
    note: text,
    loinc: text,
    loinc_slug: text,
    provider_id: text,
    source_markers: list,
  },
  'An ordered biomarker that could not be measured.',
);

const anything = {
  type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  items: {},
  description: 'As sent by upstream.',
};
const anyObject = { type: 'object', additionalProperties: true };

export const resultSchemas = {
  metadata,
  results: {
    description: 'A list of biomarkers; a free object in old results.',
    anyOf: [{ type: 'array', items: { anyOf: [biomarker, anything] } }, anyObject, { type: 'null' }],
  },
  missing_results: { type: 'array', items: { anyOf: [missing, anything] } },
  sample_information: {
    ...anyObject,
    nullable: true,
    description: 'Samples by their id: control number, dates, performing laboratories.',
  },
  extra: { ...anyObject, description: 'Unknown fields of upstream, unchanged.' },
} as unknown as Readonly<Record<string, ApiPropertyOptions>>;
