import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { discoveryFields } from '../../http/auth/discovery.js';
import { digestOf, grantOf, nameOf, withoutEffect } from '../../http/auth/person-claims.js';
import { type Opened, Sessions } from '../../http/auth/sessions.service.js';
import { Rate } from '../../http/server/rate.js';
import { verifierOf } from '../../platform/config/claim-rules.js';
import { PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { LinePerMinute } from '../../platform/platform/line-per-minute.js';
import { Log, type LogFields } from '../../platform/platform/log.js';
import { BegunSignIns } from './begun-sign-ins.js';
import { type Identified, IdentityProvider } from './identity-provider.js';

/** Returns of browsers that may be in exchange with the identity provider, and per minute from one address. */
const MAX_EXCHANGES = 16;
const RETURNS_PER_MINUTE = 40;

/** Why a sign-in failed. The page shows no text of the identity provider. */
export type SignInFault = 'no_role' | 'refused' | 'expired' | 'unavailable' | 'busy' | 'address';

export class SignInFailed extends Error {
  constructor(readonly fault: SignInFault) {
    super(fault);
  }
}

/** A browser that the identity provider sent back. */
export interface Returned {
  readonly url: URL;
  readonly cookie: string;
  /** Address of the caller. */
  readonly from: string;
}

/** Sign-in with an identity provider: OpenID Connect, authorization code flow with PKCE, state and nonce. */
@Injectable()
export class PeopleSignIn implements OnApplicationBootstrap {
  private readonly failureLines;
  private readonly returns;
  private exchanges = 0;

  constructor(
    private readonly config: PeopleConfig,
    private readonly provider: IdentityProvider,
    private readonly signIns: BegunSignIns,
    private readonly sessions: Sessions,
    clock: Clock,
    private readonly log: Log,
  ) {
    this.failureLines = new LinePerMinute<SignInFault>(clock);
    this.returns = new Rate(clock, RETURNS_PER_MINUTE);
  }

  onApplicationBootstrap(): void {
    const parts = withoutEffect(this.config.roles).map(({ claim }) => claim);
    if (parts.length > 0) this.log.event('config.roles_without_effect', { parts }, 'warn');
  }

  get isConfigured(): boolean {
    return this.config.issuer !== undefined;
  }

  /** Returns the address to redirect the browser to, and what the browser must keep. Throws `SignInFailed`. */
  async begin(origin: string, page: string): Promise<{ url: URL; state: string; cookie: string }> {
    const { begun, cookie } = this.signIns.begin(page);
    const url = await this.reaching(this.provider.authorizationUrl(`${origin}/console/callback`, begun));
    return { url, state: begun.state, cookie };
  }

  /**
   * Opens a session for the person whom the identity provider sent back, and returns the page to show. Calls the
   * provider only for a sign-in that this browser has begun. Throws `SignInFailed`.
   */
  async finish({ url, cookie, from }: Returned): Promise<Opened & { readonly page: string }> {
    const begun = this.signIns.take(cookie, url.searchParams.get('state'));
    if (begun === null) throw this.failed('expired');
    if (this.exchanges >= MAX_EXCHANGES || this.returns.take(from).retryAfterSeconds !== null)
      throw this.failed('busy');
    await this.reaching(this.provider.ready());
    const decisive = [...this.config.roles.map(({ claim }) => claim), 'email'];
    const wanted = [...new Set(decisive.flatMap((claim) => [claim, verifierOf(claim) ?? claim]))];
    this.exchanges += 1;
    const identified = await this.provider
      .identify(url, begun, wanted)
      .catch((error: unknown) => {
        if (!(error instanceof AuthorizationResponseError)) this.provider.doubt();
        throw this.failed('refused', error);
      })
      .finally(() => {
        this.exchanges -= 1;
      });
    return { ...(await this.open(identified)), page: begun.page };
  }

  /**
   * Ends the session of a cookie; returns the address that ends the one at the provider, if it has one. Throws
   * `SignInFailed`.
   */
  async end(token: string | undefined, origin: string | null): Promise<URL | null> {
    const idToken = token === undefined ? null : await this.sessions.endOfCookie(token);
    return origin === null ? null : this.reaching(this.provider.endUrl(`${origin}/console`, idToken));
  }

  isSignedIn(token: string | undefined): Promise<boolean> {
    return token === undefined
      ? Promise.resolve(false)
      : this.sessions.find(token).then(
          () => true,
          () => false,
        );
  }

  private async open({ claims, idToken, userInfoError }: Identified): Promise<Opened> {
    const grant = grantOf(claims, this.config.roles);
    if (grant === null) throw this.failed('no_role', userInfoError);
    const { iss, sub } = claims;
    const boundTo = digestOf(iss, sub);
    return this.sessions.open({
      ...{ kind: 'person', name: nameOf(claims, iss), role: grant.role, boundTo, grant, idToken },
    });
  }

  private async reaching<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.failed('unavailable', error);
    }
  }

  /** Anyone can cause failures, so each fault is logged at most once a minute; `count` includes the unlogged ones. */
  failed(fault: SignInFault, error?: unknown): SignInFailed {
    const count = this.failureLines.count(fault);
    if (count !== null) {
      const described = error === undefined ? {} : discoveryFields(error);
      this.log.event('session.sign_in_failed', { ...described, ...this.answerIn(error), reason: fault, count }, 'warn');
    }
    return new SignInFailed(fault);
  }

  /** The error code that the provider answered, else the library's, and how the client authenticated. */
  private answerIn(error: unknown): LogFields {
    if (error instanceof AuthorizationResponseError) return { code: error.error };
    if (error instanceof ResponseBodyError) return { code: error.error, kind: this.provider.clientAuth };
    return error instanceof ClientError ? { code: error.code, ...comparedIn(error.cause) } : {};
  }
}

/** Claims of a token that say nothing about its person. */
const aboutTheToken = ['iss', 'aud', 'azp'];
const MAX_ANSWERED_CHARACTERS = 200;

/** The expected text and that of the identity token, if its issuer or audience was refused. */
function comparedIn(cause: unknown): { expected?: string; answered?: string } {
  const facts = cause instanceof Error ? cause.cause : undefined;
  const { expected, claim = '', claims = {} } = (facts ?? {}) as Partial<Compared>;
  if (typeof expected !== 'string' || !aboutTheToken.includes(claim)) return {};
  return { expected, answered: String(claims[claim]).slice(0, MAX_ANSWERED_CHARACTERS) };
}

/** What the library says of a claim that it refused. */
interface Compared {
  readonly expected: unknown;
  readonly claim: string;
  readonly claims: Readonly<Record<string, unknown>>;
}
