import { isFields } from '../../platform/platform/json-reader.js';

/*
 * Values in canonical form (docs/canonical-form.md). Written apart from the readers of upstream's answers and from
 * their parser of times, so that a mistake of theirs is seen.
 */

const dateTime = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$/;
const date = /^\d{4}-\d\d-\d\d$/;

/** Epoch milliseconds of a date, which is its midnight in UTC, or of a date-time; null for any other value. */
export function momentOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  return date.test(value) ? atOffset(value, '00:00', '00', '', 'Z') : instantOf(value);
}

function instantOf(text: string): number | null {
  const [, day = '', clock = '', seconds = '', fraction = '', offset = 'Z'] = dateTime.exec(text) ?? [];
  return day === '' ? null : atOffset(day, clock, seconds, fraction, offset.toUpperCase());
}

function atOffset(day: string, clock: string, seconds: string, fraction: string, offset: string): number | null {
  const time = seconds === '60' ? '59.999' : `${seconds}.${`${fraction}000`.slice(0, 3)}`;
  const local = new Date(`${day}T${clock}:${time}Z`);
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(day)) return null;
  const [hours = 0, minutes = 0] = offset === 'Z' ? [] : offset.slice(1).split(':').map(Number);
  const ahead = (hours * 60 + minutes) * 60_000;
  return local.getTime() - (offset.startsWith('-') ? -ahead : ahead);
}

/** RFC 3339 in UTC with milliseconds. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * A value without what says nothing: fields that are null or an empty text. A text that is a date-time becomes the
 * instant in UTC, to the millisecond; half of a surrogate pair becomes U+FFFD, as in UTF-8. Lists keep all items.
 */
export function normal(value: unknown): unknown {
  if (typeof value === 'string') return normalText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(normal);
  if (!isFields(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [wellFormed(name), normal(inner)] as const);
  return Object.fromEntries(fields.filter(([, inner]) => !saysNothing(inner)));
}

function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function normalText(text: string): string {
  const instant = instantOf(text);
  return instant === null ? wellFormed(text) : momentText(instant);
}

function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;
}

/** RFC 8785: names sorted by UTF-16 code units, numbers as ECMAScript writes them, no space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}
