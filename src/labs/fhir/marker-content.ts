import type { WireFields } from '../../platform/platform/json-reader.js';
import { measuredIn } from '../../storage/declarations/views.js';
import { criticalWordOf } from '../orders/critical-findings.js';
import {
  type CodeableConcept,
  type Observation,
  type Quantity,
  type ReferenceRange,
  systems,
} from './fhir-resources.js';
import { codeOf, maybe, quantityOf, some, textOf } from './fhir-values.js';

/* What an Observation of FHIR R4 says about a marker of a lab. */

/**
 * A key of each marker, the same in every version of a result, wherever the marker stands there: its first name or
 * code, and how many of it came before.
 */
export function markerKeys(markers: readonly WireFields[]): readonly (readonly [name: string, turn: string])[] {
  const turns = new Map<string, number>();
  return markers.map((marker) => {
    const name = ['slug', 'provider_id', 'loinc', 'name'].map((field) => codeOf(marker[field])).find(Boolean) ?? '';
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return [name, String(turn)];
  });
}

/** Value, interpretation and range of a marker. */
export function markerContent(
  marker: WireFields,
): Pick<Observation, 'valueQuantity' | 'valueString' | 'dataAbsentReason' | 'interpretation' | 'referenceRange'> {
  return {
    ...valueOf(marker),
    ...some('interpretation', interpretationOf(marker)),
    ...some('referenceRange', rangeOf(marker)),
  };
}

export function absent(code: string, text: string | undefined): CodeableConcept {
  return { coding: [{ system: systems.absent, code }], ...maybe('text', text) };
}

const numericTypes: ReadonlySet<unknown> = new Set(['numeric', 'range', undefined, null]);

/** What is coded or a comment is a text, even if it looks like a number. */
function valueOf(marker: WireFields): Pick<Observation, 'valueQuantity' | 'valueString' | 'dataAbsentReason'> {
  const text = textOf(marker['result']);
  if (text === undefined) return { dataAbsentReason: absent('unknown', undefined) };
  const measured = numericTypes.has(marker['type']) ? measuredIn(text) : null;
  if (measured === null) return { valueString: text };
  return { valueQuantity: quantityOf(measured.value, marker['unit'], measured.comparator) };
}

/** A map, because a lab may write the name of a property of every object. */
const interpretations = new Map([
  ['normal', 'N'],
  ['abnormal', 'A'],
]);

/** One code, the most exact: codings of one concept mean the same. */
function interpretationOf(marker: WireFields): CodeableConcept[] {
  const critical = criticalWordOf(marker);
  const said = textOf(critical ?? marker['interpretation']);
  const isCritical = critical !== null;
  const code = rangeFlag(marker, isCritical) ?? (isCritical ? 'AA' : interpretations.get(said?.toLowerCase() ?? ''));
  if (said === undefined && code === undefined) return [];
  const coding = code === undefined ? [] : [{ system: systems.interpretation, code }];
  return [{ ...some('coding', coding), ...maybe('text', said) }];
}

function rangeFlag(marker: WireFields, isCritical: boolean): string | undefined {
  const [above, below] = [marker['is_above_max_range'] === true, marker['is_below_min_range'] === true];
  if (above === below) return undefined;
  return (above ? 'H' : 'L').repeat(isCritical ? 2 : 1);
}

function rangeOf(marker: WireFields): ReferenceRange[] {
  const end = (field: string): Quantity | undefined => {
    const value = marker[field];
    return typeof value === 'number' && Number.isFinite(value) ? quantityOf(value, marker['unit']) : undefined;
  };
  const range = {
    ...maybe('low', end('min_range_value')),
    ...maybe('high', end('max_range_value')),
    ...maybe('text', textOf(marker['reference_range'])),
  };
  return Object.keys(range).length === 0 ? [] : [range];
}
