/** A wire object lacks something we cannot do without. Holds the field's name, never a value. */
export class WireShapeError extends Error {
  constructor(readonly field: string) {
    super(`missing or unusable: ${field}`);
    this.name = 'WireShapeError';
  }
}

export type WireFields = Record<string, unknown>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for what is not JSON; bytes must be UTF-8. */
export function parseJson(content: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof content === 'string' ? content : utf8.decode(content));
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

/** A text that is not empty. */
export function asText(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '') throw new WireShapeError(field);
  return value;
}

export function asInteger(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value)) throw new WireShapeError(field);
  return value as number;
}

/** A field that is null counts as left out. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const codePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/**
 * A code of one of upstream's open lists. A text that is not a code may be a sentence about a person: it is replaced by
 * `other`, since codes are shown to whoever may not see values.
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

export function textsOf(value: unknown): string[] {
  return listOrEmpty(value).filter((item) => typeof item === 'string');
}

const endCursors: ReadonlySet<unknown> = new Set([null, undefined, '', 'None']);

/**
 * The cursor of the next page, null at the end. `next_cursor` wins over the deprecated `next`; the published example of
 * introspection shows the text `None` as its end (docs/upstream/introspection.md#pages-of-pulls). Anything else that is
 * no text is no end either.
 */
export function nextCursorOf(page: WireFields): string | null {
  const cursor = 'next_cursor' in page ? page.next_cursor : page.next;
  if (endCursors.has(cursor)) return null;
  return asText(cursor, 'next_cursor');
}
