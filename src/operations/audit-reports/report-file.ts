import type { SignatureFault } from '../../platform/config/jws.js';
import type { VerifyingKey } from '../../platform/config/signing-keys.js';
import { type Head, type Leaf, readHead } from './audit-report.js';
import { GrowingTree, inclusionPaths, leafHash, rootAbove } from './merkle-tree.js';

/*
 * Checks of a report, or of an inclusion proof from one, with the public keys alone.
 */

export type ReportFault = SignatureFault | 'no_head' | 'lines_changed' | 'proof_wrong';

/** The days of one person from a report, each with the way to the root. Shows nothing of other people. */
export interface InclusionProof {
  readonly report: string;
  readonly days: readonly ProvenLeaf[];
}

export interface ProvenLeaf {
  /** The line in the report. */
  readonly leaf: string;
  /** Its place among the lines, from 0. */
  readonly index: number;
  /** SHA-256 in hex, from the bottom up. */
  readonly path: readonly string[];
}

type Lines = AsyncIterable<string> | Iterable<string>;

export async function verifyReport(lines: Lines, keys: readonly VerifyingKey[]): Promise<Head | ReportFault> {
  const tree = new GrowingTree();
  let last: string | null = null;
  for await (const line of lines) {
    if (last !== null) tree.add(leafHash(last));
    last = line;
  }
  const text = signedIn(last);
  if (text === null) return 'no_head';
  const head = readHead(text, keys);
  if (typeof head === 'string') return head;
  return head.leaves === tree.size && head.root === tree.root().toString('hex') ? head : 'lines_changed';
}

/** The lines that `isWanted` chooses. Null if the file has no head; does not verify. */
export async function proofFrom(lines: Lines, isWanted: (leaf: Leaf) => boolean): Promise<InclusionProof | null> {
  const hashes: Buffer[] = [];
  const found: { readonly leaf: string; readonly index: number }[] = [];
  let last: string | null = null;
  for await (const line of lines) {
    if (last !== null) {
      const leaf = parsed(last) as Partial<Leaf> | null;
      if (leaf && isWanted(leaf as Leaf)) found.push({ leaf: last, index: hashes.length });
      hashes.push(leafHash(last));
    }
    last = line;
  }
  const report = signedIn(last);
  if (report === null) return null;
  const pathTo = inclusionPaths(hashes);
  const days = found.map((day) => ({ ...day, path: pathTo(day.index).map((hash) => hash.toString('hex')) }));
  return { report, days };
}

export function verifyProof({ report, days }: InclusionProof, keys: readonly VerifyingKey[]): Head | ReportFault {
  const head = readHead(report, keys);
  if (typeof head === 'string') return head;
  const isIn = ({ leaf, index, path }: ProvenLeaf): boolean => {
    const hashes = path.map((hash) => Buffer.from(hash, 'hex'));
    const inclusion = { leaf: leafHash(leaf), index, size: head.leaves, path: hashes };
    return rootAbove(inclusion)?.toString('hex') === head.root;
  };
  return days.length > 0 && days.every(isIn) ? head : 'proof_wrong';
}

/** An inclusion proof, if the text is one. */
export function proofIn(text: string): InclusionProof | null {
  const proof = parsed(text) as Partial<InclusionProof> | null;
  if (typeof proof?.report !== 'string' || !Array.isArray(proof.days)) return null;
  const isDay = (day: Partial<ProvenLeaf> | null): boolean =>
    typeof day?.leaf === 'string' && typeof day.index === 'number' && isTexts(day.path);
  return proof.days.every(isDay) ? (proof as InclusionProof) : null;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function signedIn(line: string | null): string | null {
  const head = line === null ? null : (parsed(line) as { readonly report?: unknown } | null);
  return typeof head?.report === 'string' ? head.report : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
