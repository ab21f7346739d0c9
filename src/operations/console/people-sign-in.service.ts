import { Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { digestOf, nameOf, roleOf } from '../../http/sessions/person-claims.js';
import { type Opened, Sessions } from '../../http/sessions/sessions.service.js';
import { PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { LinePerMinute } from '../../platform/platform/line-per-minute.js';
import { Log } from '../../platform/platform/log.js';

const TIMEOUT_SECONDS = 5;

/** Why a sign-in failed. The page shows no text of the identity provider. */
export type SignInFault = 'no_role' | 'refused' | 'expired' | 'unavailable';

/** Kept by the browser until the identity provider sends it back, in a cookie that scripts cannot read. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export class SignInFailed extends Error {
  constructor(readonly fault: SignInFault) {
    super(fault);
  }
}

/** Sign-in with an identity provider: OpenID Connect, authorization code flow with PKCE, state and nonce. */
@Injectable()
export class PeopleSignIn {
  private found: Promise<Configuration> | null = null;
  private readonly failureLines;

  constructor(
    private readonly config: PeopleConfig,
    private readonly sessions: Sessions,
    clock: Clock,
    private readonly log: Log,
  ) {
    this.failureLines = new LinePerMinute<SignInFault>(clock);
  }

  get isConfigured(): boolean {
    return this.config.issuer !== undefined;
  }

  /** Returns the address to redirect the browser to, and what the browser must keep. Throws `SignInFailed`. */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly begun: Begun }> {
    const begun = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(await this.provider(), {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    });
    return { url, begun };
  }

  /** Opens a session for the person whom the identity provider sent back. Throws `SignInFailed`. */
  async finish(returned: URL, { state, nonce, verifier }: Begun): Promise<Opened> {
    const provider = await this.provider();
    const claims = await authorizationCodeGrant(provider, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    }).then(
      (tokens) => tokens.claims(),
      (error: unknown) => {
        throw this.failed('refused', error);
      },
    );
    const role = claims ? roleOf(claims, this.config.roles) : null;
    if (claims === undefined || role === null) throw this.failed('no_role');
    const { iss, sub } = claims;
    return this.sessions.open({ kind: 'person', name: nameOf(claims, iss), role, boundTo: digestOf(iss, sub) });
  }

  /** Address that ends the session at the identity provider; null if the provider has none. */
  async endUrl(returnTo: string): Promise<URL | null> {
    const provider = await this.provider();
    if (provider.serverMetadata().end_session_endpoint === undefined) return null;
    return buildEndSessionUrl(provider, {
      client_id: this.config.clientId ?? '',
      post_logout_redirect_uri: returnTo,
    });
  }

  /** Discovery document of the identity provider, read once, and again after a failure. */
  private async provider(): Promise<Configuration> {
    this.found ??= this.discover();
    try {
      return await this.found;
    } catch (error) {
      this.found = null;
      throw this.failed('unavailable', error);
    }
  }

  private discover(): Promise<Configuration> {
    const { issuer = '', clientId = '', clientSecret } = this.config;
    const url = new URL(issuer);
    return discovery(url, clientId, clientSecret?.reveal(), undefined, {
      timeout: TIMEOUT_SECONDS,
      // The configuration allows http only for loopback.
      execute: url.protocol === 'http:' ? [allowInsecureRequests] : [],
    });
  }

  /** Anyone can cause failures, so each fault is logged at most once a minute; `count` includes the unlogged ones. */
  private failed(fault: SignInFault, error?: unknown): SignInFailed {
    const count = this.failureLines.count(fault);
    if (count !== null) {
      const code = error instanceof ClientError ? error.code : undefined;
      const described = error ? describeError(error) : {};
      this.log.event('session.sign_in_failed', { reason: fault, code, count, ...described }, 'warn');
    }
    return new SignInFailed(fault);
  }
}
