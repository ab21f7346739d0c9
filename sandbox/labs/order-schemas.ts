import {
  BILLING_TYPES,
  COLLECTION_METHODS,
  CONSENT_TYPES,
  ETHNICITIES,
  GENDERS,
  INTERPRETATIONS,
  ORDER_ACTIVATION_TYPES,
  ORDER_LOW_LEVEL_STATUSES,
  RACES,
  RESULT_TYPES,
} from '../facts/enums.js';
import {
  anyValue,
  date,
  dateTime,
  flag,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  queryFlag,
  queryInteger,
  repeated,
  type Schema,
  text,
  uuid,
} from '../http/strict.js';

const NAME_PATTERN = "^([a-zA-Z0-9]{1})([a-zA-Z0-9-.,']*(\\s[a-zA-Z0-9-.,']+)*[a-zA-Z0-9-.,']?)$";

const personName: Schema = { type: 'string', minLength: 1, maxLength: 50, pattern: NAME_PATTERN };

const patientDetails = object(
  {
    first_name: personName,
    last_name: personName,
    dob: date,
    gender: oneOf(GENDERS),
    phone_number: text,
    email: text,
    medical_proxy: anyValue,
    race: nullable(oneOf(RACES)),
    ethnicity: nullable(oneOf(ETHNICITIES)),
    sexual_orientation: nullable(text),
    gender_identity: nullable(text),
    household_income: nullable(integer),
    household_size: nullable(integer),
  },
  ['first_name', 'last_name', 'dob', 'gender', 'phone_number', 'email'],
);

const patientAddress = object(
  {
    receiver_name: nullable(text),
    first_line: text,
    second_line: nullable(text),
    city: text,
    state: text,
    zip: { type: 'string', pattern: '^\\d{5}(-\\d{4})?$' },
    country: text,
    access_notes: nullable({ type: 'string', maxLength: 1000 }),
    phone_number: nullable(text),
  },
  ['first_line', 'city', 'state', 'zip', 'country'],
);

const addOn = object({ marker_ids: nullable(listOf(integer)), provider_ids: nullable(listOf(text)) });

const orderSet = object({
  lab_test_ids: nullable(listOf(uuid)),
  add_on: nullable(addOn),
  lab_account_id: nullable(uuid),
});

const physician = object(
  { first_name: text, last_name: text, npi: text, email: nullable(text), licensed_states: nullable(listOf(text)) },
  ['first_name', 'last_name', 'npi'],
);

const consent = object({ consentType: oneOf(CONSENT_TYPES), version: text, timeOfConsent: nullable(dateTime) }, [
  'consentType',
]);

/** Body of `POST /v3/order` (docs/upstream/orders.md#place-an-order). */
export const createOrderBody = object(
  {
    user_id: uuid,
    patient_details: patientDetails,
    patient_address: patientAddress,
    order_set: nullable(orderSet),
    lab_test_id: nullable(uuid),
    collection_method: nullable(oneOf(COLLECTION_METHODS)),
    consents: listOf(consent),
    physician: nullable(physician),
    activate_by: nullable(date),
    billing_type: nullable(oneOf(BILLING_TYPES)),
    priority: flag,
    icd_codes: nullable(listOf(text)),
    aoe_answers: nullable(
      listOf(
        object({ marker_id: integer, question_id: integer, answer: text }, ['marker_id', 'question_id', 'answer']),
      ),
    ),
    passthrough: nullable(text),
    clinical_notes: nullable(text),
    lab_account_id: nullable(uuid),
    creator_member_id: nullable(uuid),
    health_insurance: anyValue,
  },
  ['user_id', 'patient_details', 'patient_address'],
);

/** Query of `GET /v3/orders` (docs/upstream/orders.md#list-of-orders). */
export const listOrdersQuery = object({
  order_transaction_id: uuid,
  user_id: uuid,
  order_ids: repeated(uuid),
  start_date: text,
  end_date: text,
  updated_start_date: text,
  updated_end_date: text,
  status: repeated(oneOf(ORDER_LOW_LEVEL_STATUSES)),
  order_type: repeated(oneOf(COLLECTION_METHODS)),
  order_activation_types: repeated(oneOf(ORDER_ACTIVATION_TYPES)),
  interpretation: oneOf(INTERPRETATIONS),
  is_critical: queryFlag,
  search_input: text,
  patient_name: text,
  shipping_recipient_name: text,
  order_key: oneOf(['created_at', 'patient_name', 'last_status']),
  order_direction: oneOf(['asc', 'desc']),
  page: queryInteger,
  size: queryInteger,
});

/** `POST /v3/order/{id}/test` (docs/upstream/orders.md#simulate). */
export const simulateBody = nullable(
  object({
    interpretation: oneOf(INTERPRETATIONS),
    result_types: nullable(listOf(oneOf(RESULT_TYPES))),
    has_missing_results: flag,
  }),
);

export const simulateQuery = object({ final_status: text, delay: queryInteger });

export const resendBody = object({
  order_ids: nullable(listOf(uuid)),
  start_at: nullable(dateTime),
  end_at: nullable(dateTime),
});
