import { createHash } from 'node:crypto';
import { isUuid } from '../../platform/platform/ids.js';
import { isFields, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import { type CodeableConcept, type Coding, type Quantity, systems } from './fhir-resources.js';

/*
 * Single values of FHIR R4 from what labs write. What a lab wrote in no form that FHIR knows is left out or kept as
 * text; nothing is guessed.
 */

/** Control characters, and white space other than that which FHIR allows in a string. */
const unsayable = /[^\S \r\n\t]|\p{Cc}/gu;

/** A string of FHIR: not empty; undefined for anything else. Numbers become their text. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : textOrNull(value);
  const said = text?.replace(unsayable, (sign) => (/[\r\n\t]/.test(sign) ? sign : ' ')).trim();
  return said === undefined || said === '' ? undefined : said;
}

/** A code of FHIR: single spaces only. */
export function codeOf(value: unknown): string | undefined {
  return textOf(value)?.replace(/\s+/g, ' ');
}

const loincCode = /^\d{1,7}-\d$/;

/** The LOINC code beside the codes of upstream and of the lab; at least a text, because FHIR requires one. */
export function markerCode(marker: Readonly<Record<string, unknown>>): CodeableConcept {
  const given: readonly [string, string | undefined][] = [
    [systems.loinc, loincCode.test(String(marker['loinc'])) ? codeOf(marker['loinc']) : undefined],
    [systems.marker, codeOf(marker['slug'])],
    [systems.labMarker, codeOf(marker['provider_id'])],
  ];
  const coding = given.flatMap(([system, code]): Coding[] => (code === undefined ? [] : [{ system, code }]));
  const text = textOf(marker['name']) ?? coding[0]?.code ?? 'unnamed';
  return { ...(coding.length > 0 && { coding }), text };
}

const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** An instant with its offset. */
export function instantOf(value: unknown): string | undefined {
  const text = textOrNull(value)?.trim();
  return text !== undefined && dateTime.test(text) && !text.startsWith('0000') ? text : undefined;
}

/** An instant with its offset, or a day. A local time without an offset is no time of FHIR. */
export function dateTimeOf(value: unknown): string | undefined {
  const text = textOrNull(value)?.trim();
  return text !== undefined && date.test(text) && !text.startsWith('0000') ? text : instantOf(value);
}

/** Units of labs whose UCUM code is certain, where the two differ; and those that are UCUM themselves. */
const ucum: Readonly<Record<string, string>> = {
  ...own('%', 'mg/dL', 'g/dL', 'ug/dL', 'ng/dL', 'pg/dL', 'mg/L', 'g/L', 'ug/L', 'ng/L', 'ng/mL', 'pg/mL', 'ug/mL'),
  ...own('mg/mL', 'mmol/L', 'umol/L', 'nmol/L', 'pmol/L', 'mmol/mol', 'mg/g', 'U/L', 'U/mL', 'fL', 'pg', 'mL/min'),
  ...own('mm/h', 's', 'meq/L'),
  ...{ 'IU/L': '[iU]/L', 'IU/mL': '[iU]/mL', 'mIU/L': 'm[iU]/L', 'mIU/mL': 'm[iU]/mL', 'uIU/mL': 'u[iU]/mL' },
  ...{ 'mEq/L': 'meq/L', 'mm/hr': 'mm/h', 'µg/dL': 'ug/dL', 'µg/L': 'ug/L', 'µmol/L': 'umol/L' },
};

function own(...units: readonly string[]): Record<string, string> {
  return Object.fromEntries(units.map((unit) => [unit, unit]));
}

/** A number in the unit that the lab wrote, with its code if that is certain. */
export function quantityOf(value: number, unit: unknown, comparator: Quantity['comparator'] | null = null): Quantity {
  const said = textOf(unit);
  const code = said !== undefined && Object.hasOwn(ucum, said) ? ucum[said] : undefined;
  return {
    value,
    ...(comparator !== null && { comparator }),
    ...(said !== undefined && { unit: said }),
    ...(code !== undefined && { system: systems.ucum, code }),
  };
}

/** `urn:uuid:` of an id, or of a digest of the words, so that the same thing has the same address in every answer. */
export function addressOf(...words: readonly string[]): string {
  const [kind = '', id = ''] = words;
  if (words.length === 2 && kind === 'order' && isUuid(id)) return `urn:uuid:${id.toLowerCase()}`;
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

export const fieldsOrNone = (value: unknown): WireFields => (isFields(value) ? value : {});
export const fieldsIn = (value: unknown): WireFields[] => (Array.isArray(value) ? value.filter(isFields) : []);
/** Without an empty list, which FHIR does not allow. */
export const some = <K extends string, T>(name: K, list: readonly T[]): { readonly [N in K]?: readonly T[] } =>
  (list.length === 0 ? {} : { [name]: list }) as { readonly [N in K]?: readonly T[] };
export const maybe = <K extends string, T>(name: K, value: T | undefined): { readonly [N in K]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: T };
