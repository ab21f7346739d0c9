import type { OpenAPIObject } from '@nestjs/swagger';

const account = 'customer-42';
const user = '6f8a1c1e-3d5b-4c0a-9a57-0d1f2e3b4c5d';
const order = '0b7f5c7e-52e1-4d3c-8f0a-6d2b1c9e7a41';
const transaction = '9d2c4b6a-7e8f-4a1b-b3c2-5f6e7d8c9b0a';
const other = '3e1d2c4b-5a69-4788-97a6-b5c4d3e2f101';
const time = '2026-11-20T12:00:00.000Z';

const result: Readonly<Record<string, unknown>> = {
  metadata: {
    age: '46',
    dob: '1980-02-03',
    patient: 'Ada Sample',
    specimen_number: 'S-1001',
    date_reported: time,
    status: 'final',
  },
  results: [
    { name: 'Hemoglobin A1c', slug: 'hemoglobin-a1c', result: '5.4', type: 'numeric', unit: '%', loinc: '4548-4' },
  ],
  missing_results: [{ name: 'Ferritin', slug: 'ferritin', inferred_failure_type: 'quantity_not_sufficient_failure' }],
  sample_information: { 'S-1001': { sample_id: 'S-1001' } },
  extra: {},
};

function of(schema: string, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, example]) => [`${schema}.${name}`, example]));
}

/**
 * Examples by field name, because a name means the same in every response; `Schema.field` overrides the name, and an
 * example in the DTO class overrides both.
 */
const examples: Readonly<Record<string, unknown>> = {
  account_id: account,
  account_ref: 17,
  log_ref: 'a_5f0c2b9d71e84a36',
  user_id: user,
  request_id: 'b1946ac9-2f4c-4c3e-a0d1-77f0a2c1d3e4',
  next_cursor: 'eyJ0IjoxfQ',
  fallback_time_zone: 'Europe/Berlin',
  fallback_birth_date: '1980-02-03',
  fallback_time_zone_source: 'manual',
  fallback_birth_date_source: 'manual',
  ingestion_start: '2026-01-01',
  ingestion_end: '2026-12-31',

  provider: 'oura',
  'AppointmentDto.provider': 'quest',
  connected_provider: 'oura',
  filter_on_providers: ['oura', 'fitbit'],
  source_type: 'ring',
  device_id: other,
  manufacturer: 'Oura',
  model: 'Gen 3',
  'DeviceDto.version': '2.9.1',
  'ConnectionDto.status': 'connected',
  'OwnConnectionDto.status': 'connected',
  'SourceDto.status': 'connected',
  'ConnectionCountDto.status': 'connected',
  'PullDto.status': 'success',
  error_type: 'token_refresh_failed',
  'LinkOutcomeReport.error_type': 'user_cancelled',

  installation_id: 'phone-1',
  sign_in_token: 'eyJhbGciOi...',
  link_token: 'lt_8f0a6d2b1c9e',
  link_web_url: 'https://link.example.com/?token=lt_8f0a6d2b1c9e',
  link_attempt_id: other,
  redirect_url: 'https://app.example.com/linked',
  metadata: {},

  order_id: order,
  order_transaction_id: transaction,
  act_on: order,
  parent_id: other,
  status: 'received.walk_in_test.ordered',
  status_detail: 'sample_quantity_not_sufficient',
  appointment_id: other,
  open_appointments: [other],
  'AppointmentDto.status': 'confirmed',
  'AppointmentDto.type': 'patient_service_center',
  'HistoryEntryDto.status': 'scheduled',
  event_status: 'scheduled',
  iana_timezone: 'America/New_York',
  sample_id: 'S-1001',
  lab_test_id: other,
  lab_test_ids: [other],
  collection_method: 'walk_in_test',
  consents: [{ consentType: 'terms-of-use', version: '1.0', timeOfConsent: time }],
  physician: { first_name: 'Grace', last_name: 'Sample', npi: '1234567893' },
  activate_by: '2026-12-01',
  icd_codes: ['E11.9'],
  aoe_answers: [{ marker_id: 12, question_id: 3, answer: 'yes' }],
  passthrough: 'basket-7',

  checksum: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ...of('ResultDto', result),
  ...of('OwnResultDto', result),

  start_date: '2026-11-21',
  booking_key: 'bk_5f6e7d8c',
  first_line: '1 Main Street',
  second_line: 'Floor 2',
  city: 'New York',
  state: 'NY',
  zip_code: '10001',
  unit: 'min',
  'LocationDayDto.unit': null,
  'LocationDayDto.name': 'Patient Service Center',
  access_notes: 'Ring twice',

  loinc_set_hash: '5f2d0c9a',
  aliases: ['HbA1c'],
  loinc_codes: ['4548-4'],
  provider_ids: ['496'],
  loinc_components: ['Hemoglobin A1c'],
  loinc_groups: ['Diabetes'],
  cpt_codes: ['83036'],
  lab_slug: 'quest',
  provider_id: '496',
  'CompendiumDto.name': 'Hemoglobin A1c',
  result_names: ['HEMOGLOBIN A1c'],
  relation: 'exact',
  reason_codes: ['EXACT_LOINC_SET'],

  resource: 'sleep',
  resources: ['sleep', 'blood_pressure'],
  cursor: 'eyJ0IjoxfQ',
  last_error: 'upstream_unavailable',
  release: '2026.11.1',
  trace_id: 'f3c1a2b4d5e6',
  error_details: 'provider_rate_limit_exceeded',
  workout_id: other,
  calendar_date: '2026-11-20',
  id: other,
  text: 'slept well',
  type: null,
  attributes: { sensor_location: 'wrist' },
  data: { id: other, calendar_date: '2026-11-20', total: 28_800, efficiency: 0.97 },
  sport: 'running',

  message_id: 'msg_2Yx1',
  event_type: 'daily.data.sleep.created',
  reason: 'unknown_event',
  body: { event_type: 'daily.data.sleep.created', data: {} },
  body_base64: null,
  message: 'No message was delivered for longer than SILENCE_ALERT_HOURS, although sources are connected.',
  schema: 'Baseline1764000000000',
};

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds the examples to every field without an example or enum. */
export function withExamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const filled = new Map(schemas.map(([name, schema]) => [name, fill(name, schema) as typeof schema]));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(filled) } };
}

function fill(schemaName: string, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((each) => fill(schemaName, each));
  if (!isSchema(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, fill(schemaName, value)]));
  if (!isSchema(node['properties'])) return copy;
  const fields = Object.entries(node['properties']).map(([name, field]) => {
    const example = exampleOf(schemaName, name, field);
    return [name, example === undefined ? fill(schemaName, field) : { ...(field as Schema), example }];
  });
  return { ...copy, properties: Object.fromEntries(fields) as Schema };
}

function exampleOf(schemaName: string, name: string, field: unknown): unknown {
  if (!isSchema(field) || 'example' in field || 'enum' in field) return undefined;
  const own = `${schemaName}.${name}`;
  if (own in examples) return examples[own];
  return mayHold(field, examples[name]) ? examples[name] : undefined;
}

/** Checks types, because fields of the same name can have different types. */
function mayHold({ type, items }: Schema, example: unknown): boolean {
  const types = [type].flat();
  if (Array.isArray(example)) return types.includes('array') && !(isSchema(items) && '$ref' in items);
  return types.includes(example === null ? 'null' : typeof example);
}
