import { createHmac, hash } from 'node:crypto';
import { readSigned, type SignatureFault, signed } from '../../platform/config/jws.js';
import type { SigningKey, VerifyingKey } from '../../platform/config/signing-keys.js';

/*
 * A report about proven days (docs/audit-report.md): a line for each day, then a line with the signed head. Contains no
 * values and no ids of accounts.
 */

/** A proven day. Its line is its JSON with the names in order and without spaces: RFC 8785, as all values are ASCII. */
export interface Leaf {
  readonly account_ref: string;
  readonly day: string;
  readonly hash: string;
  readonly proven_at: string;
  readonly resource: string;
  readonly source: string;
}

export function lineOf({ account_ref, day, hash: of, proven_at, resource, source }: Leaf): string {
  return JSON.stringify({ account_ref, day, hash: of, proven_at, resource, source });
}

/** The signed part. */
export interface Head {
  readonly report_id: string;
  readonly created_at: string;
  readonly first_day: string;
  readonly last_day: string;
  /** Null for every resource. */
  readonly resource: string | null;
  readonly version: string;
  readonly catalogue: string;
  readonly canonical_form: number;
  readonly accounts: number;
  /** Upstream's objects on the proven days. */
  readonly objects: number;
  /** Compared days that are not among the leaves, by state. */
  readonly not_proven: Readonly<Record<string, number>>;
  readonly leaves: number;
  readonly root: string;
}

const type = 'pulsekeep-audit-report+jws';

export function signHead(head: Head, key: SigningKey): string {
  return signed(type, head, key);
}

export function readHead(text: string, keys: readonly VerifyingKey[]): Head | SignatureFault {
  const content = readSigned(type, text, keys);
  if (typeof content === 'string') return content;
  const { leaves, root } = content;
  return Number.isSafeInteger(leaves) && typeof root === 'string' ? (content as unknown as Head) : 'unreadable';
}

/**
 * Name of an account in a report. Without the salt, which the report does not contain, it cannot be guessed, so that
 * the hash of a neighbouring leaf shows nothing. `account` is `accounts.id`, which names no one after an erasure.
 */
export function accountRef(salt: string, account: number): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(String(account)).digest('base64url').slice(0, 22);
}

/** Identifies a catalogue of resources. */
export function catalogueVersion(catalogue: readonly object[]): string {
  return hash('sha256', JSON.stringify(catalogue)).slice(0, 16);
}
