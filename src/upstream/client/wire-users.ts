import { isLoopback } from '../../platform/config/web-addresses.js';
import {
  asFields,
  asInteger,
  asKey,
  asList,
  asPossiblyEmpty,
  asText,
  codeOrOther,
  isFields,
  listOrEmpty,
  readEach,
  textOrNull,
  type Unreadable,
  WireShapeError,
} from '../../platform/platform/json-reader.js';
import { object, objectOrNull, type ReadObject, type Wire } from '../../platform/platform/json-shape.js';

/**
 * Fields for creating a user. A time zone is a string in requests and an object in responses
 * (docs/upstream/users.md#fallbacks).
 */
export interface WireUserInput {
  client_user_id: string;
  fallback_time_zone?: string | null;
  fallback_birth_date?: string | null;
  ingestion_start?: string | null;
  ingestion_end?: string | null;
}

export type WireUserPatch = Partial<WireUserInput>;

/** Upstream returns `0001-01-01` for an end that was never set (docs/upstream/users.md#ingestion-bounds). */
function readEnd(value: unknown): string | null {
  const end = textOrNull(value);
  return end?.startsWith('0001-01-01') ? null : end;
}

const source = { source_slug: textOrNull, updated_at: textOrNull };

/** An upstream user; only the two ids are required. Throws `WireShapeError`. */
export const readUser = object(
  'user',
  {
    user_id: asText,
    client_user_id: asText,
    team_id: textOrNull,
    created_on: textOrNull,
    fallback_time_zone: objectOrNull(object('fallback_time_zone', { id: asText, ...source })),
    fallback_birth_date: objectOrNull(object('fallback_birth_date', { value: asText, ...source })),
    ingestion_start: textOrNull,
    ingestion_end: readEnd,
  },
  '',
);

export type WireUser = Wire<typeof readUser>;

/** Reads a user; throws for another `client_user_id`, because that user must never be mapped to the account. */
export function readUserNamed(clientUserId: string): ReadObject<WireUser> {
  return (value, unreadable) => {
    const user = readUser(value, unreadable);
    if (user.client_user_id !== clientUserId) throw new WireShapeError('client_user_id');
    return user;
  };
}

export interface WireUserPage {
  users: WireUser[];
  /** Number of listed users, including unreadable ones. */
  listed: number;
  total: number;
}

export function readUserPage(value: unknown, unreadable: Unreadable): WireUserPage {
  const page = asFields(value, 'page');
  const listed = asList(page.users, 'users');
  const users = readEach(listed, (user) => readUser(user, unreadable), unreadable);
  return { users, listed: listed.length, total: asInteger(page.total, 'total') };
}

/** A device from an event or the list. `provider` may be an object, and `source` is its deprecated name. */
export function readDevice(value: unknown): WireDevice {
  const device = asFields(value, 'device');
  const named = device.provider ?? device.source;
  return readFlatDevice({ ...device, provider: isFields(named) ? named.slug : named });
}

const readFlatDevice = object(
  'device',
  {
    id: asKey,
    provider: asKey,
    source_type: textOrNull,
    device_manufacturer: textOrNull,
    device_model: textOrNull,
    device_version: textOrNull,
  },
  '',
);

export type WireDevice = Wire<typeof readFlatDevice>;

/** Devices of a user; incomplete if an entry could not be read. */
export interface WireDevices {
  listed: WireDevice[];
  isComplete: boolean;
}

export function readDevices(value: unknown, unreadable: Unreadable): WireDevices {
  const entries = asList(value, 'devices');
  const listed = readEach(entries, readDevice, unreadable);
  return { listed, isComplete: listed.length === entries.length };
}

/** Omits entries that are not objects or have no status. */
function readAvailability(value: unknown): Record<string, { status: string; scope_requirements?: unknown }> {
  if (!isFields(value)) return {};
  const known = Object.entries(value).filter(([, entry]) => isFields(entry) && typeof entry.status === 'string');
  return Object.fromEntries(known) as ReturnType<typeof readAvailability>;
}

/** A connection of a user, without the free text of its error. */
const readConnection = object('providers[]', {
  slug: asText,
  created_on: textOrNull,
  /** `connected`, `error`, `paused` or a new value. */
  status: asText,
  external_user_id: textOrNull,
  resource_availability: readAvailability,
  error_details: objectOrNull(object('error_details', { error_type: codeOrOther, errored_at: textOrNull })),
});

export type WireConnection = Wire<typeof readConnection>;

/** Connections of a user, and the readable part of unreadable entries. */
export interface WireConnections {
  listed: WireConnection[];
  /** Providers of unreadable entries. */
  unreadable: string[];
  /** True if the provider of an unreadable entry is unreadable too. */
  hasNameless: boolean;
}

/**
 * Reads a map of lists. Its only documented key is `providers` (docs/upstream/connections.md#list-of-connections), but
 * other keys are read too. Reports unreadable entries, because their connections are not gone.
 */
export function readConnections(value: unknown, unreadable: Unreadable): WireConnections {
  const map = asFields(value, 'connections');
  asList(map.providers, 'providers');
  const bad: unknown[] = [];
  const readOrKeep = (entry: unknown): WireConnection => {
    try {
      return readConnection(entry);
    } catch (error) {
      bad.push(entry);
      throw error;
    }
  };
  const listed = readEach(Object.values(map).flatMap(listOrEmpty), readOrKeep, unreadable);
  const slugs = bad.map((entry) => (isFields(entry) ? textOrNull(entry.slug) : null));
  return { listed, unreadable: slugs.filter((slug) => slug !== null), hasNameless: slugs.includes(null) };
}

export const readSignInToken = object('token', { user_id: asText, sign_in_token: asText }, '');

export type WireSignInToken = Wire<typeof readSignInToken>;

export interface WireLinkTokenInput {
  user_id: string;
  provider?: string | null;
  redirect_url?: string | null;
  filter_on_providers?: string[] | null;
  on_error?: 'redirect' | null;
  on_close?: 'redirect' | null;
}

export const readLinkToken = object('token', { link_token: asText, link_web_url: asHttps }, '');

export type WireLinkToken = Wire<typeof readLinkToken>;

/**
 * A URL that the app opens: https only, because `javascript:` and other schemes would run in the app, or http on this
 * machine, where the simulated upstream has its page. May be empty, because an app with the SDK needs only the token.
 */
function asHttps(value: unknown, field: string): string {
  const address = asPossiblyEmpty(value, field);
  if (address === '') return address;
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return address;
  throw new WireShapeError(field);
}

/** Reads the `{"success": bool}` that both deletions return. */
export function readSuccess(value: unknown): boolean {
  const { success } = asFields(value, 'answer');
  if (typeof success !== 'boolean') throw new WireShapeError('success');
  return success;
}
