import { parseUtcInstant } from './time.js';

/** A wire object lacks a required field. Contains the field's name, never a value. */
export class WireShapeError extends Error {
  constructor(readonly field: string) {
    super(`missing or unusable: ${field}`);
    this.name = 'WireShapeError';
  }
}

export type WireFields = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Deeper than anything that upstream sends. Reading or writing far deeper JSON would exhaust the stack. */
const MAX_DEPTH = 100;

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * True if JSON is nested deeper than `most`, by default the limit of this reader. Scans only the bytes, so any depth is
 * safe.
 */
export function isTooDeep(json: Uint8Array, most = MAX_DEPTH): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === closeBracket || byte === closeBrace) depth--;
    else if ((byte === openBracket || byte === openBrace) && ++depth > most) return true;
  }
  return false;
}

/** Undefined for invalid JSON, or JSON nested too deeply; bytes must be UTF-8. */
export function parseJson(content: string | Uint8Array): unknown {
  try {
    if (typeof content === 'string') return JSON.parse(content);
    return isTooDeep(content) ? undefined : JSON.parse(utf8.decode(content));
  } catch {
    return undefined;
  }
}

export function isFields(value: unknown): value is WireFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asFields(value: unknown, field: string): WireFields {
  if (!isFields(value)) throw new WireShapeError(field);
  return value;
}

export function asList(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw new WireShapeError(field);
  return value as unknown[];
}

/** A text that is not empty and contains no NUL, which not every database can store. */
export function asText(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '' || value.includes('\0')) throw new WireShapeError(field);
  return value;
}

export function asPossiblyEmpty(value: unknown, field: string): string {
  return value === '' ? '' : asText(value, field);
}

/** Maximum bytes of a text by which rows are found, because index entries are limited. */
const MAX_KEY_BYTES = 255;

/** A text that can be a row's key. */
export function asKey(value: unknown, field: string): string {
  const text = asText(value, field);
  if (Buffer.byteLength(text) > MAX_KEY_BYTES) throw new WireShapeError(field);
  return text;
}

export function asInteger(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value)) throw new WireShapeError(field);
  return value as number;
}

/** A null field counts as omitted. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Replaces NUL, which not every database can store, by the replacement character. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '\ufffd') : null;
}

/** The date of a date or an instant, as written. */
export function dateOrNull(value: unknown): string | null {
  return parseUtcInstant(value) === null ? null : String(value).slice(0, 10);
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const codePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/**
 * A code from one of upstream's open lists. A text that is not a code may be a sentence about a person: it is replaced
 * by `other`, because roles that may not see values can see codes.
 */
export function codeOrOther(value: unknown): string | null {
  const text = textOrNull(value);
  return text === null || codePattern.test(text) ? text : 'other';
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Called with the field name of each unreadable list item. */
export type Unreadable = (field: string) => void;

/** For an object that is read alone: one unreadable item makes the object unreadable. */
export const refuse: Unreadable = (field) => {
  throw new WireShapeError(field);
};

/** Skips and reports items that cannot be read. */
export function readEach<I, T>(items: readonly I[], read: (item: I) => T, unreadable: Unreadable): T[] {
  return items.flatMap((item) => {
    try {
      return [read(item)];
    } catch (error) {
      if (!(error instanceof WireShapeError)) throw error;
      unreadable(error.field);
      return [];
    }
  });
}

export function textsOf(value: unknown): string[] {
  return listOrEmpty(value).filter((item) => typeof item === 'string');
}

const endCursors: ReadonlySet<unknown> = new Set([null, undefined, '', 'None']);

/**
 * Cursor of the next page; null at the end. `next_cursor` takes precedence over the deprecated `next`. The published
 * example of introspection ends with the text `None` (docs/upstream/introspection.md#pages-of-pulls). A value that is
 * not a text is an error, not the end.
 */
export function nextCursorOf(page: WireFields): string | null {
  const cursor = 'next_cursor' in page ? page.next_cursor : page.next;
  if (endCursors.has(cursor)) return null;
  return asText(cursor, 'next_cursor');
}
