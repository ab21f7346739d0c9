import type { FieldError } from '../../platform/platform/errors.js';
import { isGiven } from '../../platform/platform/json-reader.js';
import type { WireCompendiumInput } from '../../upstream/client/wire-labs.js';

/** Upstream's rules depend on the mode (docs/upstream/compendium.md#search). */
const maxLimits = { canonical: 10, crosswalk: 20 } as const;
type KnownMode = keyof typeof maxLimits;

export const defaultLimit = 3;

/** List fields of a lab's own name of a test. */
export const candidateLists = [
  'result_names',
  'loinc_codes',
  'loinc_components',
  'loinc_groups',
  'cpt_codes',
  'reason_codes',
] as const;

export interface CompendiumSearch {
  /** Upstream may add modes; a search with an unknown mode is passed on unchecked. */
  mode: string;
  query?: string | null;
  cpt_codes?: readonly string[] | null;
  loinc_set_hash?: string | null;
  /** Upstream may add labs. Omitted means all. */
  labs?: readonly string[] | null;
  include_related?: boolean | null;
  limit?: number | null;
}

function isKnown(mode: string): mode is KnownMode {
  return Object.hasOwn(maxLimits, mode);
}

/** Faults across the fields of a search. */
export function compendiumFaults(search: CompendiumSearch): FieldError[] {
  if (!isKnown(search.mode)) return blankFaults(search);
  const subject = search.mode === 'canonical' ? canonicalFaults(search) : crosswalkFaults(search);
  return [...blankFaults(search), ...subject, ...limitFaults(search, search.mode)];
}

function blankFaults({ query }: CompendiumSearch): FieldError[] {
  if (!isGiven(query) || query.trim() !== '') return [];
  return [{ field: 'query', message: 'query must not be blank' }];
}

function canonicalFaults({ query, loinc_set_hash }: CompendiumSearch): FieldError[] {
  const faults: FieldError[] = [];
  if (!isGiven(query)) faults.push({ field: 'query', message: 'query is required when mode is canonical' });
  if (isGiven(loinc_set_hash)) {
    faults.push({ field: 'loinc_set_hash', message: 'loinc_set_hash is not allowed when mode is canonical' });
  }
  return faults;
}

function crosswalkFaults({ query, loinc_set_hash }: CompendiumSearch): FieldError[] {
  if (isGiven(query) !== isGiven(loinc_set_hash)) return [];
  const message = 'exactly one of query and loinc_set_hash is required when mode is crosswalk';
  return [{ field: 'query', message }];
}

function limitFaults({ limit }: CompendiumSearch, mode: KnownMode): FieldError[] {
  const max = maxLimits[mode];
  if (!isGiven(limit) || (limit >= 1 && limit <= max)) return [];
  return [{ field: 'limit', message: `limit must be from 1 to ${max} when mode is ${mode}` }];
}

/**
 * The search as sent to upstream; equal searches give equal inputs. For known modes, upstream's defaults are sent
 * explicitly.
 */
export function compendiumInput(search: CompendiumSearch): WireCompendiumInput {
  const { mode, query, cpt_codes, loinc_set_hash, labs, include_related, limit } = search;
  return {
    mode,
    ...(isGiven(query) && { query: query.trim() }),
    ...(isGiven(cpt_codes) && { cpt_codes }),
    ...(isGiven(loinc_set_hash) && { loinc_set_hash }),
    ...(isGiven(labs) && { labs }),
    ...(isKnown(mode) && { include_related: true, limit: defaultLimit }),
    ...(isGiven(include_related) && { include_related }),
    ...(isGiven(limit) && { limit }),
  };
}
