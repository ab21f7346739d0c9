import { isExternalAccountId } from '../../platform/platform/ids.js';
import { MAX_BODY_SLICE_BYTES } from '../streams/tuning.js';

/** Ids anywhere in a body, whether or not it can be parsed. */
export interface NamedIds {
  /** Upstream's ids of users, orders and other objects, in lower case. */
  readonly uuids: ReadonlySet<string>;
  /** The customer's account ids. */
  readonly clientUserIds: ReadonlySet<string>;
}

/** Overlap of consecutive slices, so that no id is cut in two. */
const OVERLAP_BYTES = 4_096;

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const clientUserIds = /"client_user_id"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** Searches the bytes instead of the fields, because an event can name a person at any depth. */
export function* namedIdsIn(body: Buffer): Generator<void, NamedIds> {
  const found = { uuids: new Set<string>(), clientUserIds: new Set<string>() };
  for (let from = 0; from < body.length; from += MAX_BODY_SLICE_BYTES - OVERLAP_BYTES) {
    if (from > 0) yield;
    const text = body.toString('utf8', from, from + MAX_BODY_SLICE_BYTES);
    for (const [id] of text.matchAll(uuids)) found.uuids.add(id.toLowerCase());
    for (const [, literal = ''] of text.matchAll(clientUserIds)) {
      const id = textOf(literal);
      if (isExternalAccountId(id)) found.clientUserIds.add(id);
    }
  }
  return found;
}

/** True for compressed bytes, which are never JSON. A message of the broker is stored so if it cannot be unpacked. */
export function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function textOf(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}
