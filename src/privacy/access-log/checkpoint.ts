import type { SigningKey, VerifyingKey } from '../../platform/config/signing-keys.js';
import { parseInstant, toIso } from '../../platform/platform/time.js';
import type { ChainEnds } from './chain.js';

/** Maximum number of noted entries per request. */
export const mostNoted = 1_000;

/** Content of a checkpoint: at that time the access log ended with this entry. */
export interface Checkpoint {
  readonly first_seq: number;
  readonly seq: number;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Why a text is not a checkpoint signed with one of the given keys. */
export type CheckpointFault = 'unreadable' | 'unknown_key' | 'wrong_signature';

const type = 'pulsekeep-checkpoint+jws';
const jwsPattern = /^([\w-]{1,500})\.([\w-]{1,500})\.([\w-]{86})$/;

/** A compact JSON Web Signature (RFC 7515, with EdDSA from RFC 8037), one line of text. */
export function signCheckpoint({ first_seq, last_seq, last_hash }: ChainEnds, at: number, key: SigningKey): string {
  const header = encoded({ alg: 'EdDSA', kid: key.id, typ: type });
  const signed = `${header}.${encoded({ first_seq, seq: last_seq, hash: last_hash, at: toIso(at) })}`;
  return `${signed}.${key.sign(signed)}`;
}

export function readCheckpoint(text: string, keys: readonly VerifyingKey[]): Checkpoint | CheckpointFault {
  const [, header = '', payload = '', signature = ''] = jwsPattern.exec(text.trim()) ?? [];
  const { alg, kid, typ } = decoded(header);
  if (alg !== 'EdDSA' || typ !== type) return 'unreadable';
  const key = keys.find(({ id }) => id === kid);
  if (!key) return 'unknown_key';
  if (!key.verifies(`${header}.${payload}`, signature)) return 'wrong_signature';
  return checkpointOf(decoded(payload)) ?? 'unreadable';
}

function checkpointOf({ first_seq, seq, hash, at }: Readonly<Record<string, unknown>>): Checkpoint | null {
  const time = typeof at === 'string' ? parseInstant(at) : null;
  if (!Number.isSafeInteger(first_seq) || !Number.isSafeInteger(seq) || typeof hash !== 'string') return null;
  return time === null ? null : { first_seq: Number(first_seq), seq: Number(seq), hash, at: time };
}

function encoded(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
