import {
  asFields,
  asList,
  asText,
  isFields,
  listOrEmpty,
  numberOrNull,
  textOrNull,
  textsOf,
  type WireFields,
} from '../platform/json-reader.js';

/**
 * Inputs of availability, sent as a body or as a query by configuration
 * (docs/upstream/appointments.md#where-inputs-go).
 */
export interface WireAvailabilityInput {
  lab: string;
  start_date?: string;
  site_codes?: readonly string[];
  zip_code?: string;
  radius?: string;
  allow_stale?: boolean;
}

export interface WireSlot {
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

export interface WireCanonical {
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

export interface WireRelated {
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

function readSlot(value: unknown): WireSlot {
  const slot = asFields(value, 'slots[].slots[]');
  return {
    booking_key: textOrNull(slot.booking_key),
    start: asText(slot.start, 'slots[].slots[].start'),
    end: asText(slot.end, 'slots[].slots[].end'),
    expires_at: textOrNull(slot.expires_at),
    price: numberOrNull(slot.price),
    is_priority: slot.is_priority === true,
    num_appointments_available: numberOrNull(slot.num_appointments_available),
  };
}

function readDay(value: unknown): WireLocationDay {
  const day = asFields(value, 'slots[]');
  return {
    location: isFields(day.location) ? day.location : null,
    date: asText(day.date, 'slots[].date'),
    slots: asList(day.slots, 'slots[].slots').map(readSlot),
  };
}

export function readAvailability(value: unknown): WireAvailability {
  const availability = asFields(value, 'availability');
  return { slots: asList(availability.slots, 'slots').map(readDay), timezone: textOrNull(availability.timezone) };
}

function readCanonical(value: unknown): WireCanonical {
  const entry = asFields(value, 'canonical');
  return {
    loinc_set_hash: asText(entry.loinc_set_hash, 'canonical.loinc_set_hash'),
    display_name: asText(entry.display_name, 'canonical.display_name'),
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
export function readCompendium(value: unknown): WireCompendium {
  const answer = asFields(value, 'compendium');
  const perLab = isFields(answer.per_lab) ? Object.entries(answer.per_lab) : [];
  return {
    mode: asText(answer.mode, 'mode'),
    selected_canonical: isFields(answer.selected_canonical) ? readCanonical(answer.selected_canonical) : null,
    canonical_candidates: listOrEmpty(answer.canonical_candidates).map(readCanonical),
    per_lab: Object.fromEntries(perLab.map(([lab, candidates]) => [lab, listOrEmpty(candidates)])),
    related: listOrEmpty(answer.related).map(readRelated),
  };
}
