import { readSigned, type SignatureFault, type SignedContent, signed } from '../../platform/config/jws.js';
import type { SigningKey, VerifyingKey } from '../../platform/config/signing-keys.js';
import { parseInstant, toIso } from '../../platform/platform/time.js';
import type { ChainEnds } from './chain.js';

/** Maximum number of noted entries per request. */
export const MAX_NOTED = 1_000;

/** Content of a checkpoint: at that time the access log ended with this entry. */
export interface Checkpoint {
  readonly first_seq: number;
  readonly seq: number;
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Why a text is not a checkpoint signed with one of the given keys. */
export type CheckpointFault = SignatureFault;

const type = 'pulsekeep-checkpoint+jws';

/** A signature (jws.ts), one line of text. */
export function signCheckpoint({ first_seq, last_seq, last_hash }: ChainEnds, at: number, key: SigningKey): string {
  return signed(type, { first_seq, seq: last_seq, hash: last_hash, at: toIso(at) }, key);
}

export function readCheckpoint(text: string, keys: readonly VerifyingKey[]): Checkpoint | CheckpointFault {
  const content = readSigned(type, text, keys);
  return typeof content === 'string' ? content : (checkpointOf(content) ?? 'unreadable');
}

function checkpointOf({ first_seq, seq, hash, at }: SignedContent): Checkpoint | null {
  const time = typeof at === 'string' ? parseInstant(at) : null;
  if (!Number.isSafeInteger(first_seq) || !Number.isSafeInteger(seq) || typeof hash !== 'string') return null;
  return time === null ? null : { first_seq: Number(first_seq), seq: Number(seq), hash, at: time };
}
