import {
  asFields,
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

/**
 * Where inputs of availability are sent; upstream's own documents differ
 * (docs/upstream/appointments.md#where-inputs-go).
 */
export type InputPlace = 'body' | 'query';

/** Inputs of availability. */
export interface WireAvailabilityInput {
  lab: string;
  start_date?: string;
  site_codes?: readonly string[];
  zip_code?: string;
  radius?: string;
  allow_stale?: boolean;
}

/** With all other fields upstream sends. */
export interface WireSlot extends WireFields {
  /** Null: the slot cannot be booked. */
  booking_key: string | null;
  start: string;
  end: string;
  expires_at: string | null;
  price: number | null;
  is_priority: boolean;
  num_appointments_available: number | null;
}

export interface WireLocationDay {
  /** As upstream sent it. */
  location: WireFields | null;
  date: string;
  slots: WireSlot[];
}

export interface WireAvailability {
  slots: WireLocationDay[];
  timezone: string | null;
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

/** With all other fields upstream sends. */
export interface WireCanonical extends WireFields {
  loinc_set_hash: string;
  display_name: string;
  popularity_score: number | null;
  confidence: number | null;
  aliases: string[];
  loinc_codes: string[];
  provider_ids: string[];
  loinc_components: string[];
  loinc_groups: string[];
  cpt_codes: string[];
}

/** With all other fields upstream sends. */
export interface WireRelated extends WireFields {
  canonical: WireCanonical;
  relation: string | null;
  confidence: number | null;
  reason_codes: string[];
}

export interface WireCompendium {
  mode: string;
  selected_canonical: WireCanonical | null;
  canonical_candidates: WireCanonical[];
  /** Candidates by lab slug, as upstream sent them. */
  per_lab: Record<string, unknown[]>;
  related: WireRelated[];
}

export interface WireConversionInput {
  lab_test_id?: string;
  provider_ids?: readonly string[];
  target_lab: string;
  limit?: number;
}

/** With all other fields upstream sends. */
export interface WireConversion extends WireFields {
  source_lab_test_id: string | null;
  source_lab_id: number | null;
  target_lab_id: number | null;
  target_lab_slug: string;
  source_provider_ids: string[];
  converted_provider_ids: string[];
  unresolved_provider_ids: string[];
  /** Candidates by the source's own id, as upstream sent them. */
  by_source_provider_id: Record<string, WireFields & { candidates: unknown[] }>;
}

/** An orderable test, with all other fields upstream sends. */
export interface WireLabTest extends WireFields {
  id: string;
  slug: string | null;
  name: string | null;
  sample_type: string | null;
  method: string | null;
  price: number | null;
  status: string | null;
  fasting: boolean | null;
  lab: WireFields | null;
  markers: unknown[];
  common_tat_days: number | null;
  worst_case_tat_days: number | null;
}

export interface WireLabTestPage {
  tests: WireLabTest[];
  /** Number of items without an id; they cannot be ordered. */
  unreadable: number;
  nextCursor: string | null;
}

function readSlot(value: unknown): WireSlot {
  const slot = asFields(value, 'slots[].slots[]');
  return {
    ...slot,
    booking_key: textOrNull(slot.booking_key),
    start: asText(slot.start, 'slots[].slots[].start'),
    end: asText(slot.end, 'slots[].slots[].end'),
    expires_at: textOrNull(slot.expires_at),
    price: numberOrNull(slot.price),
    is_priority: slot.is_priority === true,
    num_appointments_available: numberOrNull(slot.num_appointments_available),
  };
}

function readDay(value: unknown, unreadable: Unreadable): WireLocationDay {
  const day = asFields(value, 'slots[]');
  return {
    location: isFields(day.location) ? day.location : null,
    date: asText(day.date, 'slots[].date'),
    slots: readEach(asList(day.slots, 'slots[].slots'), readSlot, unreadable),
  };
}

export function readAvailability(value: unknown, unreadable: Unreadable): WireAvailability {
  const availability = asFields(value, 'availability');
  const days = asList(availability.slots, 'slots');
  return {
    slots: readEach(days, (day) => readDay(day, unreadable), unreadable),
    timezone: textOrNull(availability.timezone),
  };
}

function readCanonical(value: unknown): WireCanonical {
  const entry = asFields(value, 'canonical');
  return {
    ...entry,
    loinc_set_hash: asPossiblyEmpty(entry.loinc_set_hash, 'canonical.loinc_set_hash'),
    display_name: asPossiblyEmpty(entry.display_name, 'canonical.display_name'),
    popularity_score: numberOrNull(entry.popularity_score),
    confidence: numberOrNull(entry.confidence),
    aliases: textsOf(entry.aliases),
    loinc_codes: textsOf(entry.loinc_codes),
    provider_ids: textsOf(entry.provider_ids),
    loinc_components: textsOf(entry.loinc_components),
    loinc_groups: textsOf(entry.loinc_groups),
    cpt_codes: textsOf(entry.cpt_codes),
  };
}

function readRelated(value: unknown): WireRelated {
  const related = asFields(value, 'related[]');
  return {
    ...related,
    canonical: readCanonical(related.canonical),
    relation: textOrNull(related.relation),
    confidence: numberOrNull(related.confidence),
    reason_codes: textsOf(related.reason_codes),
  };
}

/**
 * Most lists are optional in the schema (docs/upstream/compendium.md#answer-of-a-search): absent reads as empty, no
 * selection as "nothing found".
 */
export function readCompendium(value: unknown, unreadable: Unreadable): WireCompendium {
  const answer = asFields(value, 'compendium');
  const perLab = isFields(answer.per_lab) ? Object.entries(answer.per_lab) : [];
  return {
    mode: asText(answer.mode, 'mode'),
    selected_canonical: isFields(answer.selected_canonical) ? readCanonical(answer.selected_canonical) : null,
    canonical_candidates: readEach(listOrEmpty(answer.canonical_candidates), readCanonical, unreadable),
    per_lab: Object.fromEntries(perLab.map(([lab, candidates]) => [lab, listOrEmpty(candidates)])),
    related: readEach(listOrEmpty(answer.related), readRelated, unreadable),
  };
}

type Converted = readonly [id: string, WireFields & { candidates: unknown[] }];

function readConverted([id, value]: readonly [string, unknown]): Converted {
  const of = asFields(value, 'by_source_provider_id[]');
  return [id, { ...of, candidates: listOrEmpty(of.candidates) }];
}

export function readConversion(value: unknown, unreadable: Unreadable): WireConversion {
  const answer = asFields(value, 'conversion');
  const by = isFields(answer.by_source_provider_id) ? Object.entries(answer.by_source_provider_id) : [];
  return {
    ...answer,
    source_lab_test_id: textOrNull(answer.source_lab_test_id),
    source_lab_id: numberOrNull(answer.source_lab_id),
    target_lab_id: numberOrNull(answer.target_lab_id),
    target_lab_slug: asPossiblyEmpty(answer.target_lab_slug, 'target_lab_slug'),
    source_provider_ids: textsOf(answer.source_provider_ids),
    converted_provider_ids: textsOf(answer.converted_provider_ids),
    unresolved_provider_ids: textsOf(answer.unresolved_provider_ids),
    by_source_provider_id: Object.fromEntries(readEach(by, readConverted, unreadable)),
  };
}

function readLabTest(value: unknown): WireLabTest {
  const test = asFields(value, 'data[]');
  return {
    ...test,
    id: asText(test.id, 'data[].id'),
    slug: textOrNull(test.slug),
    name: textOrNull(test.name),
    sample_type: textOrNull(test.sample_type),
    method: textOrNull(test.method),
    price: numberOrNull(test.price),
    status: textOrNull(test.status),
    fasting: typeof test.fasting === 'boolean' ? test.fasting : null,
    lab: isFields(test.lab) ? test.lab : null,
    markers: listOrEmpty(test.markers),
    common_tat_days: numberOrNull(test.common_tat_days),
    worst_case_tat_days: numberOrNull(test.worst_case_tat_days),
  };
}

/** Item by item: what cannot be read is counted, and the rest stands (docs/upstream/orders.md#lab-tests). */
export function readLabTestPage(value: unknown, unreadable: Unreadable): WireLabTestPage {
  const page = asFields(value, 'lab tests');
  const listed = asList(page.data, 'data');
  const tests = readEach(listed, readLabTest, unreadable);
  return { tests, unreadable: listed.length - tests.length, nextCursor: nextCursorOf(page) };
}
