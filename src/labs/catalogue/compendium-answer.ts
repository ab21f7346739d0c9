import { isFields, listOrEmpty, type WireFields } from '../../platform/platform/json-reader.js';
import type { WireCompendium } from '../../upstream/client/wire-labs.js';
import { MAX_COMPENDIUM_AGE_MS, MAX_NOTHING_FOUND_AGE_MS } from '../keys/tuning.js';
import type { CompendiumDto } from './compendium.dto.js';
import { candidateLists } from './compendium-rules.js';

/** The response for our callers. Keeps unknown modes, labs, relations and fields; missing lists become empty. */
export function toCompendiumDto(found: WireCompendium): CompendiumDto {
  const labs = Object.entries(found.per_lab);
  const per_lab = Object.fromEntries(labs.map(([lab, list]) => [lab, list.filter(isFields).map(toCandidate)]));
  return { ...found, per_lab };
}

/** A lab's own name of a test. Missing lists become empty. */
export function toCandidate(candidate: WireFields): WireFields {
  return {
    ...candidate,
    ...Object.fromEntries(candidateLists.map((list) => [list, listOrEmpty(candidate[list])])),
    lab_slug: candidate.lab_slug ?? null,
    provider_id: candidate.provider_id ?? null,
  };
}

export function isNothing(found: Pick<CompendiumDto, 'selected_canonical' | 'canonical_candidates'>): boolean {
  return found.selected_canonical === null && found.canonical_candidates.length === 0;
}

export function compendiumValidUntil(answer: CompendiumDto, now: number): number {
  return now + (isNothing(answer) ? MAX_NOTHING_FOUND_AGE_MS : MAX_COMPENDIUM_AGE_MS);
}
