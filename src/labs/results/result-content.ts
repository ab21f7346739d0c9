import { createHash } from 'node:crypto';
import { isFields, textOrNull } from '../../platform/platform/json-reader.js';
import type { WireResult } from '../../upstream/client/wire-orders.js';
import type { ResultStatus } from './lab-result.entity.js';

/** The part of a response that makes a version. */
export interface ResultContent {
  /** SHA-256 of `content`, in hex. */
  readonly checksum: string;
  readonly bytes: number;
  readonly status: ResultStatus;
  readonly interpretation: string | null;
  /** Canonical JSON. */
  readonly content: string;
}

/**
 * All of the answer but the transaction in it, which changes while the results do not, and is kept with the orders.
 * Two responses that differ only in the order of their fields have the same content.
 */
export function contentOf({ order_transaction: _, status: _said, ...kept }: WireResult): ResultContent {
  const content = canonicalJson(kept);
  return {
    checksum: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    status: statusOf(kept.metadata['status']),
    interpretation: textOrNull(kept.metadata['interpretation']),
    content,
  };
}

/**
 * Final if it says so or says nothing (docs/upstream/results.md#partial-or-final); any other word is not to be shown as
 * final.
 */
function statusOf(said: unknown): ResultStatus {
  if (said === undefined || said === null) return 'final';
  return typeof said === 'string' && said.toLowerCase() === 'final' ? 'final' : 'partial';
}

/** Fields sorted by name at every depth; lists keep their order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}
