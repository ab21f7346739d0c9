import { webAddress } from '../../platform/config/web-addresses.js';
import { loggable } from '../../platform/platform/errors.js';
import type { LogFields } from '../../platform/platform/log.js';

const MAX_BYTES = 262_144;

/** Endpoints and abilities of an issuer (OpenID Connect Discovery 1.0, section 3). */
export interface DiscoveryDocument {
  readonly issuer: string;
  readonly [name: string]: unknown;
}

/** A configured issuer, and the other one that a provider or a token named. */
export interface Issuers {
  readonly expected: string;
  readonly answered: string;
}

/** Why a discovery document cannot be used. The message is a sentence for operators. */
export class DiscoveryFailed extends Error {
  override readonly name = 'DiscoveryFailed';
  readonly status: number | undefined;
  /** If the document is of another issuer. */
  readonly issuers: Issuers | undefined;

  constructor(message: string, { status, issuers }: Partial<Pick<DiscoveryFailed, 'status' | 'issuers'>> = {}) {
    super(message);
    this.status = status;
    this.issuers = issuers;
  }
}

/** A token, signed with an accepted key, is of another issuer. */
export class OtherIssuer extends Error {
  override readonly name = 'OtherIssuer';

  constructor(readonly issuers: Issuers) {
    super('The token is of another issuer.');
  }
}

export function discoveryAddressOf(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
}

/** Throws {@link DiscoveryFailed}, also for a document of another issuer: a slash at the end makes another one. */
export async function readDiscovery(issuer: string, options: RequestInit): Promise<DiscoveryDocument> {
  const address = discoveryAddressOf(issuer);
  const document = parsed(await responseText(address, options), address);
  const { issuer: answered } = document;
  if (typeof answered !== 'string') throw new DiscoveryFailed(`${address} is not a discovery document.`);
  if (answered !== issuer) {
    const sentence = `The issuer is configured as ${issuer}, but ${address} is of the issuer ${answered}: configure that.`;
    throw new DiscoveryFailed(sentence, { issuers: { expected: issuer, answered } });
  }
  return { ...document, issuer };
}

/** Address of the key set in a document. Throws {@link DiscoveryFailed}. */
export function keySetAddressIn({ issuer, jwks_uri }: DiscoveryDocument): string {
  if (typeof jwks_uri === 'string') return webAddress(jwks_uri);
  throw new DiscoveryFailed(`The discovery document of ${issuer} names no jwks_uri.`);
}

/** Uses of a client secret at a token endpoint, in order of preference. */
const secretMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const;

/** The first method that a document lists; `client_secret_basic` where none is (OpenID Connect Discovery 3). */
export function methodFor(listed: unknown): string {
  const found = Array.isArray(listed) ? secretMethods.find((method) => listed.includes(method)) : undefined;
  return found ?? secretMethods[0];
}

/** True if a document lists methods, and none of them uses a secret. */
export function refusesSecrets({ token_endpoint_auth_methods_supported: listed }: DiscoveryDocument): boolean {
  return Array.isArray(listed) && listed.length > 0 && !secretMethods.some((method) => listed.includes(method));
}

/** Log fields of a failed read: both texts of an issuer if they differ, and what the provider answered. */
export function discoveryFields(error: unknown): LogFields {
  return { ...loggable(error), ...(error instanceof DiscoveryFailed ? error.issuers : {}) };
}

/** The text of a 200. Throws {@link DiscoveryFailed} and the errors of `fetch`. The timeout includes the body. */
export async function responseText(url: string, options: RequestInit): Promise<string> {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new DiscoveryFailed(`${url} answers with ${response.status}.`, { status: response.status });
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the request.
    if (bytes > MAX_BYTES) throw new DiscoveryFailed(`The answer of ${url} is too long.`);
    chunks.push(chunk);
  }
  // Without a byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parsed(text: string, address: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The same refusal as for JSON that is no object.
  }
  throw new DiscoveryFailed(`${address} is not a discovery document.`);
}
