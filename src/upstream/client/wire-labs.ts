import {
  asFields,
  asInteger,
  asList,
  asPossiblyEmpty,
  asText,
  isFields,
  listOrEmpty,
  nextCursorOf,
  numberOrNull,
  readEach,
  textOrNull,
  textsOf,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';
import {
  listOf,
  listOrNone,
  mapOf,
  nested,
  object,
  openObject,
  type Wire,
} from '../../platform/platform/json-shape.js';

/**
 * The form in which availability inputs are sent; upstream's documents disagree
 * (docs/upstream/appointments.md#where-inputs-go).
 */
export type InputPlace = 'body' | 'query';

export interface WireAvailabilityInput {
  lab: string;
  start_date?: string;
  site_codes?: readonly string[];
  zip_code?: string;
  radius?: string;
  allow_stale?: boolean;
}

export interface WireCompendiumInput {
  mode: string;
  query?: string;
  cpt_codes?: readonly string[];
  loinc_set_hash?: string;
  labs?: readonly string[];
  include_related?: boolean;
  limit?: number;
}

export interface WireConversionInput {
  lab_test_id?: string;
  provider_ids?: readonly string[];
  target_lab: string;
  limit?: number;
}

/** `lab` is a slug. */
export interface WireAreaInput {
  zip_code: string;
  radius?: string;
  lab?: string;
}

export interface WirePlacesInput {
  zip_code: string;
  lab_id: number;
  radius?: string;
}

/**
 * What is served around a zip code (docs/upstream/appointments.md#places), with all other fields that upstream sends.
 */
export const readArea = openObject(
  'area',
  {
    zip_code: textOrNull,
    phlebotomy: fieldsOrNull,
    /** By slug of the lab. */
    central_labs: (value) => (isFields(value) ? value : {}),
  },
  '',
);

export type WireArea = Wire<typeof readArea>;

const readPlace = openObject('patient_service_centers[]', {
  metadata: fieldsOrNull,
  distance: numberOrNull,
  capabilities: textsOf,
});

/**
 * Patient service centers of a lab (docs/upstream/appointments.md#places), with all other fields that upstream sends.
 */
export const readPlaces = openObject(
  'places',
  { lab_id: numberOrNull, slug: textOrNull, patient_service_centers: listOrNone(readPlace) },
  '',
);

export type WirePlaces = Wire<typeof readPlaces>;

const readSlot = openObject('slots[].slots[]', {
  /** Null if the slot cannot be booked. */
  booking_key: textOrNull,
  start: asText,
  end: asText,
  expires_at: textOrNull,
  price: numberOrNull,
  is_priority: (value) => value === true,
  num_appointments_available: numberOrNull,
});

export type WireSlot = Wire<typeof readSlot>;

const readDay = object('slots[]', {
  /** As upstream sent it. */
  location: fieldsOrNull,
  date: asText,
  slots: listOf(readSlot),
});

export type WireLocationDay = Wire<typeof readDay>;

export const readAvailability = object('availability', { slots: listOf(readDay), timezone: textOrNull }, '');

export type WireAvailability = Wire<typeof readAvailability>;

const readCanonical = openObject('canonical', {
  loinc_set_hash: asPossiblyEmpty,
  display_name: asPossiblyEmpty,
  popularity_score: numberOrNull,
  confidence: numberOrNull,
  aliases: textsOf,
  loinc_codes: textsOf,
  provider_ids: textsOf,
  loinc_components: textsOf,
  loinc_groups: textsOf,
  cpt_codes: textsOf,
});

const readRelated = openObject('related[]', {
  canonical: nested(readCanonical),
  relation: textOrNull,
  confidence: numberOrNull,
  reason_codes: textsOf,
});

/**
 * Most lists are optional in the schema (docs/upstream/compendium.md#answer-of-a-search). A missing list is read as
 * empty, a missing selection as "nothing found".
 */
export const readCompendium = object(
  'compendium',
  {
    mode: asText,
    selected_canonical: (value, _field, unreadable) => (isFields(value) ? readCanonical(value, unreadable) : null),
    canonical_candidates: listOrNone(readCanonical),
    /** Candidates by lab slug, as upstream sent them. */
    per_lab: readPerLab,
    related: listOrNone(readRelated),
  },
  '',
);

export type WireCompendium = Wire<typeof readCompendium>;

/** A conversion, with all other fields that upstream sends. */
export const readConversion = openObject(
  'conversion',
  {
    source_lab_test_id: textOrNull,
    source_lab_id: numberOrNull,
    target_lab_id: numberOrNull,
    target_lab_slug: asPossiblyEmpty,
    source_provider_ids: textsOf,
    converted_provider_ids: textsOf,
    unresolved_provider_ids: textsOf,
    /** Candidates by the source's own id, as upstream sent them. */
    by_source_provider_id: mapOf(openObject('by_source_provider_id[]', { candidates: listOrEmpty })),
  },
  '',
);

export type WireConversion = Wire<typeof readConversion>;

/** An orderable test, with all other fields that upstream sends. */
export const readLabTest = openObject('data[]', {
  id: asText,
  slug: textOrNull,
  name: textOrNull,
  sample_type: textOrNull,
  method: textOrNull,
  price: numberOrNull,
  status: textOrNull,
  fasting: (value) => (typeof value === 'boolean' ? value : null),
  lab: fieldsOrNull,
  markers: listOrEmpty,
  common_tat_days: numberOrNull,
  worst_case_tat_days: numberOrNull,
});

export type WireLabTest = Wire<typeof readLabTest>;

function readPerLab(value: unknown): Record<string, unknown[]> {
  const perLab = isFields(value) ? Object.entries(value) : [];
  return Object.fromEntries(perLab.map(([lab, candidates]) => [lab, listOrEmpty(candidates)]));
}

function fieldsOrNull(value: unknown): WireFields | null {
  return isFields(value) ? value : null;
}

const readQuestion = openObject('questions[]', {
  id: numberOrNull,
  code: textOrNull,
  type: textOrNull,
  value: textOrNull,
  required: (value) => value === true,
  sequence: numberOrNull,
  answers: listOrNone(openObject('answers[]', { id: numberOrNull, code: textOrNull, value: textOrNull })),
});

const readMarker = openObject('markers[]', {
  id: asInteger,
  name: textOrNull,
  slug: textOrNull,
  provider_id: textOrNull,
  /** To be answered when the test is ordered (docs/upstream/orders.md#questions). */
  questions: listOrNone(readQuestion),
});

export type WireMarker = Wire<typeof readMarker>;

export interface WireMarkerPage {
  markers: WireMarker[];
  /** Number of pages; 1 if upstream does not say. */
  pages: number;
}

/** The markers of a test, as a list or as a page of one. */
export function readMarkerPage(value: unknown, unreadable: Unreadable): WireMarkerPage {
  const page = Array.isArray(value) ? { markers: value as unknown[] } : asFields(value, 'markers');
  const markers = readEach(asList(page.markers, 'markers'), readMarker, unreadable);
  return { markers, pages: Math.max(1, numberOrNull('pages' in page ? page.pages : null) ?? 1) };
}

export interface WireLabTestPage {
  tests: WireLabTest[];
  /** Number of skipped items without an id, which cannot be ordered. */
  unreadable: number;
  nextCursor: string | null;
}

/** Skips and counts unreadable items (docs/upstream/orders.md#lab-tests). */
export function readLabTestPage(value: unknown, unreadable: Unreadable): WireLabTestPage {
  const page = asFields(value, 'lab tests');
  const listed = asList(page.data, 'data');
  const tests = readEach(listed, readLabTest, unreadable);
  return { tests, unreadable: listed.length - tests.length, nextCursor: nextCursorOf(page) };
}
