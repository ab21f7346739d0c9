import { Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  fetchUserInfo,
  None,
  type ServerMetadata,
} from 'openid-client';
import { methodFor, readDiscovery } from '../../http/auth/discovery.js';
import { completed } from '../../platform/config/claim-rules.js';
import { PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { IDENTITY_RETRY_MS, IDENTITY_TIMEOUT_MS } from '../alarms/tuning.js';

/** Largest difference to the clock of the provider. */
const CLOCK_TOLERANCE_SECONDS = 60;

const secretUses: Readonly<Record<string, (secret: string) => ClientAuth>> = {
  client_secret_basic: ClientSecretBasic,
  client_secret_post: ClientSecretPost,
  client_secret_jwt: ClientSecretJwt,
};

/** The secret that binds the answer of the provider to the browser that began the sign-in. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** The person who signed in, and the identity token for the sign-out. */
export interface Identified {
  readonly claims: Claims;
  readonly idToken: string | undefined;
  /** Why claims that the identity token lacks could not be read from userinfo; undefined if they could. */
  readonly userInfoError?: unknown;
}

const usualScopes = ['profile', 'email'];

/** Default scopes: those that the provider lists, because others make some providers refuse the sign-in. */
function scopesOf({ scopes_supported: listed }: ServerMetadata): string[] {
  return ['openid', ...(listed ? [...usualScopes, 'groups'].filter((scope) => listed.includes(scope)) : usualScopes)];
}

/**
 * The identity provider of the people who use the console, as its discovery document describes it.
 *
 *   none    --read--> known       used for an hour
 *   known   --an hour, or a failed sign-in--> due     read again at the next use; the old document serves if that fails
 *   none    --read fails--> none  read again at the next use
 */
@Injectable()
export class IdentityProvider {
  private known: Configuration | null = null;
  private isDue = false;
  private readAt: number | null = null;
  private reading: Promise<Configuration> | null = null;

  constructor(
    private readonly config: PeopleConfig,
    private readonly clock: Clock,
  ) {}

  /** Reads the document unless it is known. Throws `DiscoveryFailed` and the errors of `fetch`. */
  async ready(): Promise<void> {
    await this.provider();
  }

  /** Address to which the browser goes to sign in. Throws like `ready`. */
  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: Checks): Promise<URL> {
    const provider = await this.provider();
    const scopes = this.config.scopes ?? scopesOf(provider.serverMetadata());
    return buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Exchanges the code in the address to which the provider sent the browser. Claims that the identity token lacks are
   * read from userinfo. Throws the errors of the library and like `ready`.
   */
  async identify(returned: URL, { state, nonce, verifier }: Checks, wanted: readonly string[]): Promise<Identified> {
    const provider = await this.provider();
    const tokens = await authorizationCodeGrant(provider, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!isOfPerson(claims, this.config.clientId))
      throw new TypeError('The identity token is of nobody, or of another client.');
    const lacks = wanted.some((claim) => !Object.hasOwn(claims, claim));
    const identified = { claims, idToken: tokens.id_token };
    if (!lacks || provider.serverMetadata().userinfo_endpoint === undefined) return identified;
    try {
      const more = await fetchUserInfo(provider, tokens.access_token, claims.sub);
      return { ...identified, claims: completed(claims, more) as Claims };
    } catch (userInfoError) {
      // The identity token may suffice.
      return { ...identified, userInfoError };
    }
  }

  /** Address that ends the session at the provider; null if the provider has none. Throws like `ready`. */
  async endUrl(returnTo: string, idToken: string | null): Promise<URL | null> {
    const provider = await this.provider();
    if (provider.serverMetadata().end_session_endpoint === undefined) return null;
    return buildEndSessionUrl(provider, {
      client_id: this.config.clientId ?? '',
      post_logout_redirect_uri: returnTo,
      ...(idToken === null ? {} : { id_token_hint: idToken }),
    });
  }

  /** Reads the document again at the next use, because a failure may mean that the provider has moved. */
  doubt(): void {
    this.isDue = true;
  }

  /** Method by which the client authenticates at the token endpoint. */
  get clientAuth(): string | undefined {
    return this.known === null ? undefined : this.methodOf(this.known.serverMetadata());
  }

  private async provider(): Promise<Configuration> {
    const age = this.readAt === null ? Number.POSITIVE_INFINITY : this.clock.monotonic() - this.readAt;
    if (this.known !== null && age < (this.isDue ? IDENTITY_RETRY_MS : HOUR_MS)) return this.known;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    try {
      return await this.reading;
    } catch (error) {
      if (this.known === null) throw error;
      return this.known;
    }
  }

  private async read(): Promise<Configuration> {
    const { issuer = '', clientId = '' } = this.config;
    this.readAt = this.clock.monotonic();
    this.isDue = false;
    const document = await readDiscovery(issuer, { signal: AbortSignal.timeout(IDENTITY_TIMEOUT_MS) });
    const server = document as unknown as ServerMetadata;
    const metadata = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const found = new Configuration(server, clientId, metadata, this.authOf(server));
    found.timeout = IDENTITY_TIMEOUT_MS / 1_000;
    // The configuration allows http only for loopback.
    if (new URL(issuer).protocol === 'http:') allowInsecureRequests(found);
    this.known = found;
    return found;
  }

  private authOf(server: ServerMetadata): ClientAuth {
    const secret = this.config.clientSecret?.reveal();
    if (secret === undefined) return None();
    return secretUses[this.methodOf(server)]?.(secret) ?? None();
  }

  private methodOf(server: ServerMetadata): string {
    const { clientAuth, clientSecret } = this.config;
    if (clientSecret === undefined) return 'none';
    return clientAuth === 'auto' ? methodFor(server['token_endpoint_auth_methods_supported']) : clientAuth;
  }
}

function isOfPerson(claims: Record<string, unknown> | undefined, clientId: string | undefined): claims is Claims {
  return claims !== undefined && claims['sub'] !== '' && (claims['azp'] ?? clientId) === clientId;
}
