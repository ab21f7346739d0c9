import type { FastifyInstance } from 'fastify';
import { COMPENDIUM_ENTRIES, type CompendiumEntry } from '../facts/compendium.js';
import { COMPENDIUM_LABS, COMPENDIUM_MODES } from '../facts/enums.js';
import { findLabTest, LAB_TESTS } from '../facts/lab-tests.js';
import { invalid } from '../http/answers.js';
import { flag, integer, listOf, nullable, object, oneOf, text, uuid } from '../http/strict.js';
import type { World } from '../world.js';

interface Search {
  mode: 'canonical' | 'crosswalk';
  query?: string | null;
  cpt_codes?: string[] | null;
  loinc_set_hash?: string | null;
  labs?: string[] | null;
  include_related?: boolean;
  limit?: number;
}

const MAX_LIMIT = { canonical: 10, crosswalk: 20 } as const;

function given(value: string | null | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The rules of docs/upstream/compendium.md#search that no schema expresses. */
function check(search: Search): void {
  const { mode, limit = 3 } = search;
  if (limit < 1 || limit > MAX_LIMIT[mode]) {
    throw invalid(['body', 'limit'], `Input should be between 1 and ${MAX_LIMIT[mode]}`, 'less_than_equal');
  }
  if (mode === 'canonical') {
    if (!given(search.query)) throw invalid(['body', 'query'], 'query is required in this mode');
    if (given(search.loinc_set_hash)) throw invalid(['body', 'loinc_set_hash'], 'not allowed in this mode');
  } else if (given(search.query) === given(search.loinc_set_hash)) {
    throw invalid(['body'], 'Exactly one of query and loinc_set_hash is required');
  }
}

function find(search: Search): CompendiumEntry[] {
  const words = (search.query ?? '').toLowerCase();
  const matches = (entry: CompendiumEntry): boolean =>
    given(search.loinc_set_hash)
      ? entry.loinc_set_hash === search.loinc_set_hash
      : [entry.display_name, ...entry.aliases].some((name) => name.toLowerCase().includes(words));
  const coded = (entry: CompendiumEntry): boolean =>
    (search.cpt_codes ?? []).length === 0 || entry.cpt_codes.some((code) => search.cpt_codes?.includes(code));
  return COMPENDIUM_ENTRIES.filter((entry) => matches(entry) && coded(entry));
}

function labCandidate(entry: CompendiumEntry, lab: string): Record<string, unknown> {
  const index = COMPENDIUM_LABS.findIndex((slug) => slug === lab);
  return {
    marker_id: entry.marker_id + index,
    lab_id: index + 1,
    lab_slug: lab,
    name: entry.display_name.toUpperCase(),
    result_names: entry.aliases,
    provider_id: entry.provider_ids[0] ?? null,
    loinc_set_hash: entry.loinc_set_hash,
    loinc_codes: entry.loinc_codes,
    loinc_components: entry.loinc_components,
    loinc_groups: entry.loinc_groups,
    cpt_codes: entry.cpt_codes,
    relation: 'exact',
    confidence: 0.93,
    reason_codes: ['EXACT_LOINC_SET', 'NAME_MATCH'],
    marker_popularity_score: entry.popularity_score,
  };
}

function canonical(entry: CompendiumEntry): Record<string, unknown> {
  const { display_name, popularity_score, confidence, aliases, loinc_set_hash } = entry;
  const { loinc_codes, provider_ids, loinc_components, loinc_groups, cpt_codes } = entry;
  const codes = { loinc_codes, provider_ids, loinc_components, loinc_groups, cpt_codes };
  return { loinc_set_hash, display_name, popularity_score, confidence, aliases, ...codes };
}

function answer(search: Search): Record<string, unknown> {
  check(search);
  const found = find(search).slice(0, search.limit ?? 3);
  const [selected] = found;
  const crosswalk = search.mode === 'crosswalk' && selected !== undefined;
  const labs = search.labs ?? COMPENDIUM_LABS;
  const related = COMPENDIUM_ENTRIES.filter((entry) => !found.includes(entry)).slice(0, 2);
  return {
    mode: search.mode,
    selected_canonical: selected === undefined ? null : canonical(selected),
    canonical_candidates: found.map(canonical),
    per_lab: crosswalk ? Object.fromEntries(labs.map((lab) => [lab, [labCandidate(selected, lab)]])) : {},
    related:
      crosswalk && search.include_related !== false
        ? related.map((entry) => ({
            canonical: canonical(entry),
            relation: 'overlap',
            confidence: 0.41,
            reason_codes: ['OVERLAP'],
          }))
        : [],
  };
}

type Fields = Record<string, unknown>;

function withoutLists(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !Array.isArray(value)));
}

/** The same response without optional lists, and with unknown enum values. */
function lean(full: Fields): Fields {
  const { mode, selected_canonical: selected, per_lab } = full;
  const [candidate] = Object.values(per_lab as Record<string, Fields[]>).flat();
  const odd = candidate && { ...withoutLists(candidate), lab_slug: 'unheard_lab', relation: 'unheard_of' };
  return {
    mode,
    selected_canonical: selected === null ? null : withoutLists(selected as Fields),
    ...(odd && { per_lab: { unheard_lab: [odd] } }),
  };
}

interface Conversion {
  lab_test_id?: string | null;
  provider_ids?: string[] | null;
  target_lab: string;
  limit?: number;
}

/** The target lab's replacement for a test of another lab, if the compendium has one. */
function candidatesFor(providerId: string, { target_lab, limit = 3 }: Conversion): Record<string, unknown>[] {
  const marker = LAB_TESTS.flatMap(({ markers }) => markers).find((each) => each.provider_id === providerId);
  const names = (entry: CompendiumEntry): boolean =>
    entry.provider_ids.includes(providerId) || entry.display_name === marker?.name;
  return COMPENDIUM_ENTRIES.filter(names)
    .slice(0, limit)
    .map((entry) => labCandidate(entry, target_lab));
}

/** Conversion of tests between labs: docs/upstream/compendium.md#convert */
function convert(world: World, asked: Conversion): Record<string, unknown> {
  const { lab_test_id: testId, provider_ids: given, target_lab: lab } = asked;
  if (isGiven(testId) === isGiven(given)) {
    throw invalid(['body'], 'Exactly one of lab_test_id and provider_ids is required');
  }
  const source = isGiven(testId) ? findLabTest(testId) : undefined;
  if (isGiven(testId) && source === undefined) throw world.wording.plain(404, 'lab_test');
  const ids = source?.markers.map((marker) => marker.provider_id) ?? given ?? [];
  const found = ids.map((id) => ({ source_provider_id: id, candidates: candidatesFor(id, asked) }));
  const resolved = found.filter(({ candidates }) => candidates.length > 0);
  return {
    source_lab_test_id: source?.id ?? null,
    source_lab_id: source?.lab.id ?? null,
    target_lab_id: COMPENDIUM_LABS.findIndex((slug) => slug === lab) + 1,
    target_lab_slug: lab,
    source_provider_ids: ids,
    converted_provider_ids: resolved.flatMap(({ candidates }) => candidates.slice(0, 1).map((one) => one.provider_id)),
    unresolved_provider_ids: found.filter((each) => !resolved.includes(each)).map((each) => each.source_provider_id),
    by_source_provider_id: Object.fromEntries(found.map((each) => [each.source_provider_id, each])),
  };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Compendium search: docs/upstream/compendium.md */
export function installCompendium(app: FastifyInstance, world: World): void {
  const body = object(
    {
      mode: oneOf(COMPENDIUM_MODES),
      query: nullable(text),
      cpt_codes: nullable(listOf(text)),
      loinc_set_hash: nullable(text),
      labs: nullable(listOf(oneOf(COMPENDIUM_LABS))),
      include_related: flag,
      limit: integer,
    },
    ['mode'],
  );
  app.post('/v3/compendium/search', { schema: { body } }, (request) => {
    const full = answer(request.body as Search);
    return world.settings.lean_labs ? lean(full) : full;
  });
  const conversion = object(
    {
      lab_test_id: nullable(uuid),
      provider_ids: nullable(listOf(text)),
      target_lab: oneOf(COMPENDIUM_LABS),
      limit: { ...integer, minimum: 1 },
    },
    ['target_lab'],
  );
  app.post('/v3/compendium/convert', { schema: { body: conversion } }, (request) =>
    convert(world, request.body as Conversion),
  );
}
