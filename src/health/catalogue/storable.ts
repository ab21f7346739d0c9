import type { RejectionReason, SeriesKey, SourceDetails } from './records.js';

/*
 * Checks that both databases can store a record. PostgreSQL accepts no NUL in a text and no key longer than a third of
 * a page; one violation would fail a statement with all its rows. So invalid points are rejected here one by one, by
 * the same rules for both databases.
 */

/** Why a text cannot be stored. */
export type Unstorable = RejectionReason & ('nul_in_text' | 'key_too_long' | 'attributes_too_long');

/** Bytes of one text of a key. */
const MAX_KEY_BYTES = 255;
/** Attributes are part of a key together with three texts of the source. */
const MAX_ATTRIBUTES_BYTES = 1_500;

/** Null if the texts can be part of a key. Upstream's ids are far below the limit. */
export function unstorableKey(texts: readonly string[]): Unstorable | null {
  if (texts.some((text) => text.includes('\0'))) return 'nul_in_text';
  return texts.some((text) => isLonger(text, MAX_KEY_BYTES)) ? 'key_too_long' : null;
}

/** The same check for all fields that samples of one series share. */
export function unstorableSeries(key: SeriesKey, details: SourceDetails): Unstorable | null {
  return unstorableKey([...Object.values<string>({ ...key }), ...Object.values<string>({ ...details })]);
}

/** Checks a sample's own fields: a text value, and attributes as JSON. */
export function unstorableSample(text: string | null, attributes: string): Unstorable | null {
  if (text?.includes('\0')) return 'nul_in_text';
  return isLonger(attributes, MAX_ATTRIBUTES_BYTES) ? 'attributes_too_long' : null;
}

function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
