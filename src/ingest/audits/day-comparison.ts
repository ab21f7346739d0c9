import { createHash } from 'node:crypto';
import type { Resource } from '../../health/catalogue/catalogue.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { canonicalJson } from './canonical-json.js';
import { type CanonicalObject, fieldsOf, subjectOf } from './canonical-object.js';

export const differenceKinds = ['missing', 'extra', 'different'] as const;
/**
 * missing: upstream has an object that is not stored · extra: stored, and not at upstream · different: both have it.
 */
export type DifferenceKind = (typeof differenceKinds)[number];

/** Where the two lists of a day differ. Contains names of fields, never values. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Names of the fields that differ; empty unless `kind` is `different`. */
  readonly fields: readonly string[];
}

/** A day of one account, resource and source, as upstream shows it and as it is stored. */
export interface ComparedDay {
  readonly provider: string;
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** Number of upstream's objects. */
  readonly objects: number;
  /** SHA-256 of upstream's list, in hex; that of the stored list too if the day is proven. */
  readonly hash: string;
  readonly isEqual: boolean;
  readonly differences: readonly Difference[];
}

/** SHA-256, in hex, over the sorted canonical texts of a day, each followed by a line feed. */
export function hashOf(objects: readonly CanonicalObject[]): string {
  return hashOfLines(linesOf(objects));
}

function hashOfLines(lines: string): string {
  return createHash('sha256').update(lines).digest('hex');
}

/** Sorted by their bytes in UTF-8: the order of UTF-16 code units is another one only if there are surrogate pairs. */
function linesOf(objects: readonly CanonicalObject[]): string {
  if (objects.length === 0) return '';
  const texts = objects.map(({ text }) => text);
  const lines = `${texts.sort().join('\n')}\n`;
  if (!/[\ud800-\udfff]/.test(lines)) return lines;
  const bytes = texts.map((text) => Buffer.from(`${text}\n`)).sort((a, b) => a.compare(b));
  return Buffer.concat(bytes).toString();
}

/** Compares each of `days` (`YYYY-MM-DD`, UTC) of one source, also those on which neither side has anything. */
export function compareDays(
  resource: Resource,
  provider: string,
  days: readonly string[],
  { wire, stored }: { readonly wire: readonly CanonicalObject[]; readonly stored: readonly CanonicalObject[] },
): ComparedDay[] {
  const isOwn = (one: CanonicalObject): boolean => one.provider === provider && one.day !== null;
  const upstream = groupedBy(wire.filter(isOwn), ({ day }) => day);
  const here = groupedBy(stored.filter(isOwn), ({ day }) => day);
  return days.map((day) => compareDay(resource, { provider, day }, upstream.get(day) ?? [], here.get(day) ?? []));
}

function compareDay(
  resource: Resource,
  of: Pick<ComparedDay, 'provider' | 'day'>,
  wire: readonly CanonicalObject[],
  stored: readonly CanonicalObject[],
): ComparedDay {
  const lines = linesOf(wire);
  const isEqual = lines === linesOf(stored);
  const differences = isEqual ? [] : differencesBetween(resource, wire, stored);
  return { ...of, objects: wire.length, hash: hashOfLines(lines), isEqual, differences };
}

function differencesBetween(
  resource: Resource,
  wire: readonly CanonicalObject[],
  stored: readonly CanonicalObject[],
): Difference[] {
  const about = (one: CanonicalObject): string => subjectOf(resource, one);
  const [missing, extra] = [beyond(wire, stored), beyond(stored, wire)];
  const others = groupedBy(extra, about);
  const differences = missing.map((one): Difference => {
    const other = others.get(about(one))?.shift();
    if (!other) return { kind: 'missing', fields: [] };
    return { kind: 'different', fields: differingFields(fieldsOf(one), fieldsOf(other)) };
  });
  const left = [...others.values()].flat();
  return [...differences, ...left.map((): Difference => ({ kind: 'extra', fields: [] }))];
}

/** The objects of a list that are not in the other one, each as often as it is missing there. */
function beyond(list: readonly CanonicalObject[], other: readonly CanonicalObject[]): CanonicalObject[] {
  const counts = new Map<string, number>();
  for (const { text } of other) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter(({ text }) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** A name of upstream's fields. Others may be content: a meal lists its foods by name. */
const fieldName = /^[a-z][a-z0-9_]{0,63}$/;
/** Fields whose own fields have fixed names, which are named too. */
const openFields: ReadonlySet<string> = new Set(['point', 'source']);

function differingFields(one: WireFields, other: WireFields): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.flatMap((name) => {
    const [a, b] = [one[name], other[name]];
    if (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)) return [];
    if (!fieldName.test(name)) return ['other'];
    if (!openFields.has(name) || !isFields(a) || !isFields(b)) return [name];
    return differingFields(a, b).map((inner) => (name === 'point' ? inner : `${name}.${inner}`));
  });
}
