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
  textsOf,
  type Unreadable,
  type WireFields,
  WireShapeError,
} from '../../platform/platform/json-reader.js';

/**
 * Fields for creating a user; a time zone is a text in requests and an object in responses
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

export interface WireProvider {
  slug: string;
  name: string | null;
  logo: string | null;
}

export interface WireConnectedSource {
  provider: WireProvider;
  created_on: string | null;
}

export interface WireFallback {
  source_slug: string | null;
  updated_at: string | null;
}

export interface WireUser {
  user_id: string;
  client_user_id: string;
  team_id: string | null;
  created_on: string | null;
  connected_sources: WireConnectedSource[];
  fallback_time_zone: (WireFallback & { id: string }) | null;
  fallback_birth_date: (WireFallback & { value: string }) | null;
  ingestion_start: string | null;
  ingestion_end: string | null;
}

export interface WireUserPage {
  users: WireUser[];
  /** Number of listed users, including unreadable ones. */
  listed: number;
  total: number;
  offset: number;
  limit: number;
}

export interface WireResourceAvailability {
  status: string;
  scope_requirements?: unknown;
}

export interface WireConnection {
  slug: string;
  name: string | null;
  logo: string | null;
  created_on: string | null;
  /** Open: `connected`, `error`, `paused`, ... */
  status: string;
  external_user_id: string | null;
  resource_availability: Record<string, WireResourceAvailability>;
  error_details: { error_type: string | null; errored_at: string | null } | null;
}

/** Connections of a user, and what is known of unreadable entries. */
export interface WireConnections {
  listed: WireConnection[];
  /** Providers of entries in which nothing else could be read. */
  unreadable: string[];
  /** True if an entry did not even have a readable provider. */
  hasNameless: boolean;
}

export interface WireDevice {
  id: string;
  provider: string;
  source_type: string | null;
  device_manufacturer: string | null;
  device_model: string | null;
  device_version: string | null;
}

/** Devices of a user; not complete if an entry could not be read. */
export interface WireDevices {
  listed: WireDevice[];
  isComplete: boolean;
}

export interface WireRefresh {
  /** False if upstream returned before the refresh was complete (202). */
  finished: boolean;
  refreshed_sources: string[];
  in_progress_sources: string[];
  failed_sources: string[];
}

export interface WireSignInToken {
  user_id: string;
  sign_in_token: string;
}

export interface WireLinkTokenInput {
  user_id: string;
  provider?: string | null;
  redirect_url?: string | null;
  filter_on_providers?: string[] | null;
  on_error?: 'redirect' | null;
  on_close?: 'redirect' | null;
}

export interface WireLinkToken {
  link_token: string;
  link_web_url: string;
}

/** `0001-01-01` is how an end that was never set comes back (docs/upstream/users.md#ingestion-bounds). */
function readEnd(value: unknown): string | null {
  const end = textOrNull(value);
  return end?.startsWith('0001-01-01') ? null : end;
}

function readProvider(value: unknown, field: string): WireProvider {
  const provider = asFields(value, field);
  return {
    slug: asText(provider.slug, `${field}.slug`),
    name: textOrNull(provider.name),
    logo: textOrNull(provider.logo),
  };
}

/**
 * `source` is the deprecated name of `provider`, and the only one in the agreed description
 * (docs/upstream/users.md#connected-sources).
 */
function readConnectedSource(value: unknown): WireConnectedSource {
  const source = asFields(value, 'connected_sources[]');
  return {
    provider: readProvider(source.provider ?? source.source, 'connected_sources[].provider'),
    created_on: textOrNull(source.created_on),
  };
}

function readFallback(fields: WireFields): WireFallback {
  return { source_slug: textOrNull(fields.source_slug), updated_at: textOrNull(fields.updated_at) };
}

function readTimeZone(value: unknown): WireUser['fallback_time_zone'] {
  if (!isFields(value) || typeof value.id !== 'string') return null;
  return { id: value.id, ...readFallback(value) };
}

function readBirthDate(value: unknown): WireUser['fallback_birth_date'] {
  if (!isFields(value) || typeof value.value !== 'string') return null;
  return { value: value.value, ...readFallback(value) };
}

/** A user of upstream; only the two ids are indispensable. Throws `WireShapeError`. */
export function readUser(value: unknown, unreadable: Unreadable): WireUser {
  const user = asFields(value, 'user');
  return {
    user_id: asText(user.user_id, 'user_id'),
    client_user_id: asText(user.client_user_id, 'client_user_id'),
    team_id: textOrNull(user.team_id),
    created_on: textOrNull(user.created_on),
    connected_sources: readEach(listOrEmpty(user.connected_sources), readConnectedSource, unreadable),
    fallback_time_zone: readTimeZone(user.fallback_time_zone),
    fallback_birth_date: readBirthDate(user.fallback_birth_date),
    ingestion_start: textOrNull(user.ingestion_start),
    ingestion_end: readEnd(user.ingestion_end),
  };
}

/** A response about another user than requested must never reach an account. */
export function assertSame(answered: string, asked: string, field: string): void {
  if (answered !== asked) throw new WireShapeError(field);
}

export function sameUserOrThrow(answered: string, asked: string): void {
  assertSame(answered.toLowerCase(), asked.toLowerCase(), 'user_id');
}

export function readUserPage(
  value: unknown,
  asked: { offset: number; limit: number },
  unreadable: Unreadable,
): WireUserPage {
  const page = asFields(value, 'page');
  const listed = asList(page.users, 'users');
  return {
    users: readEach(listed, (user) => readUser(user, unreadable), unreadable),
    listed: listed.length,
    total: asInteger(page.total, 'total'),
    offset: typeof page.offset === 'number' ? page.offset : asked.offset,
    limit: typeof page.limit === 'number' ? page.limit : asked.limit,
  };
}

function readAvailability(value: unknown): Record<string, WireResourceAvailability> {
  if (!isFields(value)) return {};
  const known = Object.entries(value).filter(([, entry]) => isFields(entry) && typeof entry.status === 'string');
  return Object.fromEntries(known) as Record<string, WireResourceAvailability>;
}

/** A device of an event or of the list. `provider` may be an object, and `source` is its deprecated name. */
export function readDevice(value: unknown): WireDevice {
  const device = asFields(value, 'device');
  const provider = device.provider ?? device.source;
  return {
    id: asKey(device.id, 'id'),
    provider: asKey(isFields(provider) ? provider.slug : provider, 'provider'),
    source_type: textOrNull(device.source_type),
    device_manufacturer: textOrNull(device.device_manufacturer),
    device_model: textOrNull(device.device_model),
    device_version: textOrNull(device.device_version),
  };
}

export function readDevices(value: unknown, unreadable: Unreadable): WireDevices {
  const entries = asList(value, 'devices');
  const listed = readEach(entries, readDevice, unreadable);
  return { listed, isComplete: listed.length === entries.length };
}

/** One connection of a user; the human text of its error is left behind. */
export function readConnection(value: unknown): WireConnection {
  const connection = asFields(value, 'providers[]');
  const error = connection.error_details;
  return {
    ...readProvider(connection, 'providers[]'),
    created_on: textOrNull(connection.created_on),
    status: asText(connection.status, 'providers[].status'),
    external_user_id: textOrNull(connection.external_user_id),
    resource_availability: readAvailability(connection.resource_availability),
    error_details: isFields(error)
      ? { error_type: codeOrOther(error.error_type), errored_at: textOrNull(error.errored_at) }
      : null,
  };
}

/**
 * A map of lists whose only documented key is `providers` (docs/upstream/connections.md#list-of-connections); other
 * keys are read as well. One that cannot be read costs nothing but itself, and is not left out as if it were gone.
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

export function readRefresh(value: unknown, status: number): WireRefresh {
  const refresh = asFields(value, 'refresh');
  return {
    finished: status !== 202,
    refreshed_sources: textsOf(refresh.refreshed_sources),
    in_progress_sources: textsOf(refresh.in_progress_sources),
    failed_sources: textsOf(refresh.failed_sources),
  };
}

export function readSignInToken(value: unknown): WireSignInToken {
  const token = asFields(value, 'token');
  return {
    user_id: asText(token.user_id, 'user_id'),
    sign_in_token: asText(token.sign_in_token, 'sign_in_token'),
  };
}

export function readLinkToken(value: unknown): WireLinkToken {
  const token = asFields(value, 'token');
  return {
    link_token: asText(token.link_token, 'link_token'),
    link_web_url: asHttps(token.link_web_url, 'link_web_url'),
  };
}

/**
 * An address that an app opens: https only, because `javascript:` and other schemes would run in the app. May be empty:
 * the token alone is enough for an app with the SDK.
 */
function asHttps(value: unknown, field: string): string {
  const address = asPossiblyEmpty(value, field);
  if (address === '') return address;
  if (!URL.canParse(address) || new URL(address).protocol !== 'https:') throw new WireShapeError(field);
  return address;
}

/** `{"success": bool}` of the two deletions. */
export function readSuccess(value: unknown): boolean {
  const { success } = asFields(value, 'answer');
  if (typeof success !== 'boolean') throw new WireShapeError('success');
  return success;
}
