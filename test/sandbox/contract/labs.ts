import {
  day,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  orNull,
  type Schema,
  text,
  texts,
  time,
  uuid,
} from './shapes.js';

const maybe = orNull(text);
const marker = object({ id: integer, name: text, slug: text }, { provider_id: maybe });

/** docs/upstream/orders.md#the-order-object */
const lab = object({
  id: integer,
  slug: text,
  name: text,
  first_line_address: text,
  city: text,
  zipcode: text,
  collection_methods: texts,
  sample_types: texts,
});

export const labTest = object(
  {
    id: uuid,
    slug: text,
    name: text,
    sample_type: text,
    method: { enum: ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] },
    price: number,
    status: text,
    fasting: flag,
  },
  {
    lab: orNull(lab),
    markers: orNull(listOf(marker)),
    common_tat_days: orNull(integer),
    worst_case_tat_days: orNull(integer),
  },
);

export const labTestPage = object({ data: listOf(labTest) }, { next_cursor: maybe });

/** docs/upstream/orders.md#order-events */
const event = object(
  { id: integer, created_at: time, status: { type: 'string', pattern: '^[a-z_]+\\.[a-z_]+\\.[a-z_]+$' } },
  { status_detail: maybe },
);

const transactionStatus = { enum: ['active', 'completed', 'cancelled'] };
const inTransaction = { id: uuid, created_at: time, updated_at: time };
const derived = { origin: maybe, parent_id: orNull(uuid) };

/** docs/upstream/orders.md#two-shapes */
const embeddedTransaction = object({
  id: uuid,
  status: transactionStatus,
  orders: listOf(
    object(inTransaction, { ...derived, low_level_status: maybe, low_level_status_created_at: orNull(time) }),
  ),
});

export const transaction = object(
  { id: uuid, team_id: uuid, status: transactionStatus },
  { orders: listOf(object({ ...inTransaction, last_status: text, last_status_created_at: time }, derived)) },
);

const details = (type: string, data: Schema): Schema => object({ type: { const: type } }, { data: orNull(data) });
const stamped = { id: uuid, created_at: time, updated_at: time };
const withAppointment = object(stamped, { appointment_id: orNull(uuid) });

export const order = object(
  {
    id: uuid,
    user_id: uuid,
    team_id: uuid,
    patient_details: orNull(object({ dob: time, gender: text })),
    patient_address: orNull(object({ first_line: text, city: text, state: text, zip: text, country: text })),
    lab_test: labTest,
    details: {
      anyOf: [
        details('walk_in_test', withAppointment),
        details('at_home_phlebotomy', withAppointment),
        details('on_site_collection', object(stamped)),
        details('testkit', object({ ...stamped, shipment: orNull(object({ id: uuid })) })),
      ],
    },
    sample_id: maybe,
    notes: maybe,
    created_at: time,
    updated_at: time,
    events: listOf(event),
    last_event: event,
    health_insurance_id: maybe,
    requisition_form_url: maybe,
    shipping_details: orNull(object({})),
    has_abn: flag,
  },
  {
    clinical_notes: maybe,
    status: text,
    origin: orNull({ enum: ['initial', 'redraw', 'recreation'] }),
    order_transaction: orNull(embeddedTransaction),
    priority: flag,
    billing_type: text,
    physician: orNull(object({ first_name: text, last_name: text, npi: text })),
    interpretation: orNull({ enum: ['normal', 'abnormal', 'critical', 'unknown'] }),
    has_missing_results: orNull(flag),
    expected_result_by_date: orNull(day),
    worst_case_result_by_date: orNull(day),
    activate_by: orNull(day),
    icd_codes: orNull(texts),
    passthrough: maybe,
  },
);

export const orderAnswer = object({ order, status: text, message: text });
export const orderPage = object({ orders: listOf(order) }, { total: integer, page: integer, size: integer });
export const orderIds = object({ order_ids: listOf(uuid) });

/** docs/upstream/results.md#the-result */
export const resultMetadata = object(
  { age: text, dob: text, patient: text, specimen_number: text, date_reported: text },
  {
    provider: maybe,
    laboratory: maybe,
    date_collected: maybe,
    date_received: maybe,
    status: orNull({ enum: ['final', 'partial'] }),
    interpretation: maybe,
    patient_id: maybe,
    account_id: maybe,
    'clia_#': maybe,
  },
);

const sourceMarkers = orNull(listOf(object({ marker_id: integer, name: text, slug: text }, { provider_id: maybe })));

/** docs/upstream/results.md#biomarkers; what is no number has -1 for its value. */
const biomarker: Schema = {
  ...object(
    { name: text, result: text, type: { enum: ['numeric', 'range', 'comment', 'coded_value'] } },
    {
      slug: text,
      value: orNull(number),
      unit: maybe,
      timestamp: orNull(time),
      notes: maybe,
      reference_range: maybe,
      min_range_value: orNull(number),
      max_range_value: orNull(number),
      is_above_max_range: orNull(flag),
      is_below_min_range: orNull(flag),
      interpretation: text,
      source_interpretation: text,
      loinc: maybe,
      loinc_slug: maybe,
      provider_id: maybe,
      source_markers: sourceMarkers,
      source_sample_id: maybe,
    },
  ),
  if: { properties: { type: { enum: ['range', 'comment', 'coded_value'] } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
  then: { properties: { value: { enum: [-1, null] } } },
};

export const result = object(
  { metadata: resultMetadata, results: { anyOf: [listOf(biomarker), object({})] } },
  {
    missing_results: orNull(
      listOf(
        object(
          { name: text, slug: text, inferred_failure_type: text },
          { note: maybe, loinc: maybe, loinc_slug: maybe, provider_id: maybe, source_markers: sourceMarkers },
        ),
      ),
    ),
    sample_information: orNull(mapOf(object({}))),
    order_transaction: orNull(embeddedTransaction),
  },
);

/** docs/upstream/results.md#critical-result-event */
export const critical = object({
  order_id: uuid,
  sample_id: text,
  status: { enum: ['final', 'partial'] },
  interpretation: text,
  team_id: uuid,
  user_id: uuid,
  created_at: time,
  updated_at: time,
});

/** docs/upstream/compendium.md#canonical-entries */
const canonical = object(
  { loinc_set_hash: text, display_name: text, popularity_score: number, confidence: number },
  {
    aliases: texts,
    loinc_codes: texts,
    provider_ids: texts,
    loinc_components: texts,
    loinc_groups: texts,
    cpt_codes: texts,
  },
);

/** docs/upstream/compendium.md#candidates-of-labs */
const candidate = object(
  {
    marker_id: integer,
    lab_id: integer,
    name: text,
    loinc_set_hash: text,
    relation: text,
    confidence: number,
    marker_popularity_score: number,
  },
  { lab_slug: maybe, provider_id: maybe, result_names: texts, loinc_codes: texts, reason_codes: texts },
);

export const compendium = object(
  { mode: text },
  {
    selected_canonical: orNull(canonical),
    canonical_candidates: listOf(canonical),
    per_lab: mapOf(listOf(candidate)),
    related: listOf(object({ canonical, relation: text, confidence: number }, { reason_codes: texts })),
  },
);

/** docs/upstream/compendium.md#convert */
export const conversion = object(
  { target_lab_id: integer, target_lab_slug: text },
  {
    source_lab_test_id: orNull(uuid),
    source_lab_id: orNull(integer),
    source_provider_ids: texts,
    converted_provider_ids: texts,
    unresolved_provider_ids: texts,
    by_source_provider_id: mapOf(object({ source_provider_id: text, candidates: listOf(candidate) })),
  },
);
