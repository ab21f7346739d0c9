import {
  DiscoveryFailed,
  discoveryAddressOf,
  keySetAddressIn,
  readDiscovery,
  refusesSecrets,
} from '../../http/auth/discovery.js';
import { keySetResponse } from '../../http/auth/key-set.response.js';
import type { AppAuthConfig, Config, PeopleConfig } from '../../platform/config/config.js';
import { CHECK_TIMEOUT_MS } from '../alarms/tuning.js';
import { type Check, place } from './check.js';

/** Endpoints without which no one can sign in. */
const neededEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

const people = place('console sign-in');
const tokens = place('access tokens');

/** Reads what the identity providers publish: of the people who use the console, and of the app's access tokens. */
export function signInChecks(config: Pick<Config, 'people' | 'appAuth'>): Promise<Check[]> {
  return Promise.all([peopleCheck(config.people), tokensCheck(config.appAuth)]);
}

async function peopleCheck({ issuer, clientSecret, clientAuth }: PeopleConfig): Promise<Check> {
  if (issuer === undefined) return people.skipped('OIDC_ISSUER is not set: people sign in with keys.');
  try {
    const document = await readDiscovery(issuer, patience());
    const missing = neededEndpoints.filter((name) => typeof document[name] !== 'string');
    if (missing.length > 0) {
      return people.bad(`OIDC_ISSUER: ${discoveryAddressOf(issuer)} names no ${missing.join(', no ')}.`);
    }
    if (clientSecret !== undefined && clientAuth === 'auto' && refusesSecrets(document)) {
      return people.bad(
        `OIDC_CLIENT_SECRET: ${discoveryAddressOf(issuer)} lists no way to use a secret: register a public client, or set OIDC_CLIENT_AUTH.`,
      );
    }
    return people.ok(`${issuer} answers with its discovery document.`);
  } catch (error) {
    return people.bad(`OIDC_ISSUER: ${reasonOf(error, discoveryAddressOf(issuer))}`);
  }
}

async function tokensCheck({ keySet, issuers }: AppAuthConfig): Promise<Check> {
  if (keySet === undefined) return tokens.skipped('They are signed with APP_JWT_SECRET.');
  const name = 'issuer' in keySet ? 'APP_JWT_ISSUER' : 'APP_JWT_JWKS_URL';
  let address = 'issuer' in keySet ? discoveryAddressOf(keySet.issuer) : keySet.url;
  try {
    if ('issuer' in keySet) address = keySetAddressIn(await readDiscovery(keySet.issuer, patience()));
    const response = await keySetResponse(address, patience());
    const { keys } = (await response.json()) as { readonly keys: readonly unknown[] };
    const differing = 'issuer' in keySet ? null : await differingIssuer(issuers);
    if (differing !== null) return tokens.bad(`APP_JWT_ISSUER: ${differing}`);
    return tokens.ok(`${address} has ${keys.length === 1 ? 'a usable key' : `${keys.length} usable keys`}.`);
  } catch (error) {
    return tokens.bad(`${name}: ${reasonOf(error, address)}`);
  }
}

/** Tokens need no discovery document beside a key set; but one that exists tells whether a slash is missing. */
async function differingIssuer(issuers: readonly string[]): Promise<string | null> {
  for (const issuer of issuers.filter((one) => /^https?:/.test(one))) {
    const error: unknown = await readDiscovery(issuer, patience()).then(
      () => null,
      (failure: unknown) => failure,
    );
    if (error instanceof DiscoveryFailed && error.issuers) return error.message;
  }
  return null;
}

function patience(): RequestInit {
  return { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) };
}

/** A sentence: what the provider answered, or that it did not. */
function reasonOf(error: unknown, address: string): string {
  if (error instanceof DiscoveryFailed) return error.message;
  if (error instanceof SyntaxError) return `${address} is not JSON.`;
  if (error instanceof TypeError && error.cause === undefined) return `${address}: ${error.message}`;
  const { code = 'no answer' } = ((error as Error).cause ?? {}) as { readonly code?: string };
  return `${address} cannot be reached (${code}).`;
}
