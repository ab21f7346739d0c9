import { createHash } from 'node:crypto';
import { isFields, textOrNull } from '../../platform/platform/json-reader.js';
import type { WireResult } from '../../upstream/client/wire-orders.js';
import { bringsOtherValues, type CriticalFinding, criticalFindings } from '../orders/critical-findings.js';
import type { ResultStatus } from './lab-result.entity.js';

/** The part of a response that is stored as a version. */
export interface ResultContent {
  /** SHA-256 of `content`, in hex. */
  readonly checksum: string;
  readonly bytes: number;
  readonly status: ResultStatus;
  readonly interpretation: string | null;
  /** The markers that it calls critical. */
  readonly findings: readonly CriticalFinding[];
  /** Canonical JSON. */
  readonly content: string;
}

/**
 * The complete response except its order transaction, which is stored with the orders and may change while the results
 * do not. Responses that differ only in the order of fields have the same content.
 */
export function contentOf({ order_transaction: _, status: _said, ...kept }: WireResult): ResultContent {
  const content = canonicalJson(kept);
  return {
    checksum: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    status: statusOf(kept.metadata['status']),
    interpretation: textOrNull(kept.metadata['interpretation']),
    findings: criticalFindings({ results: kept.results, interpretation: kept.metadata['interpretation'] }),
    content,
  };
}

/** The markers that the stored content of a version calls critical. */
export function findingsIn(content: string): CriticalFinding[] {
  const { results, metadata } = JSON.parse(content) as Pick<WireResult, 'results' | 'metadata'>;
  return criticalFindings({ results, interpretation: metadata['interpretation'] });
}

/** True if a version has values that the version before it did not have. Both are the stored contents. */
export function hasOtherValues(before: string, after: string): boolean {
  const resultsOf = (content: string): unknown => (JSON.parse(content) as Pick<WireResult, 'results'>).results;
  return bringsOtherValues(resultsOf(before), resultsOf(after));
}

/** A corrected, amended or appended report replaces a final one and is final itself (docs/meaning.md#labs). */
const finalWords: ReadonlySet<string> = new Set(['final', 'corrected', 'amended', 'appended']);

/**
 * `final` if upstream sent such a word or no status (docs/upstream/results.md#partial-or-final). Any other status
 * becomes `partial`, because it must not be shown as final.
 */
function statusOf(said: unknown): ResultStatus {
  if (said === undefined || said === null) return 'final';
  return typeof said === 'string' && finalWords.has(said.trim().toLowerCase()) ? 'final' : 'partial';
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
