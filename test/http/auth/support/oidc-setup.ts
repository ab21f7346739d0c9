import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Provider from 'oidc-provider';
import { Browser } from './browser.js';

export const consoleClient = 'console';
export const consoleSecret = 'a secret/of+this:test';
export const appClient = 'app-client';
const appRedirect = 'https://app.example.com/callback';
const api = 'urn:example:api';
const verifier = 'a-verifier-of-this-test-that-is-long-enough-for-it';

type Claims = Readonly<Record<string, unknown>>;

/** How `oidc-provider` is set up to be as one of the providers of docs/console.md and docs/app-tokens.md. */
export interface Setup {
  /** Path of the issuer as the provider writes it. */
  readonly path: string;
  /** The ways in which clients may authenticate; the first is the console's. */
  readonly auth: readonly string[];
  /** Claims by scope. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** True: claims of scopes come from userinfo alone, as the standard says; otherwise also in the identity token. */
  readonly isByUserinfo?: boolean;
  readonly person: Claims;
  /** True: the console gets access tokens for calls, too. */
  readonly consoleCalls?: boolean;
  /** Added to the header and the claims of access tokens for calls; `undefined` leaves one out. */
  readonly token: { readonly header: Claims; readonly claims: Claims };
  /** Other settings of `oidc-provider`. */
  readonly settings?: object;
}

interface AccessToken {
  header: Claims;
  payload: Claims;
}

interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uri: string;
}

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

type Asking = IncomingMessage & { originalUrl?: string };

/** An identity provider on a port of its own; the person agrees to everything. */
export class OidcSetup {
  private readonly server: Server;
  private provider: Provider | undefined;
  origin = '';
  /** Claims of the one who signs in, and their subject. */
  person: Claims;
  sub = 'u-1';

  constructor(private readonly setup: Setup) {
    this.person = setup.person;
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  get issuer(): string {
    return `${this.origin}${this.setup.path}`;
  }

  get jwksUrl(): string {
    return `${this.origin}${this.mount}/jwks`;
  }

  /** Begins to serve. The address of the console is known only after the provider's own. */
  async serve(consoleUrl: string): Promise<void> {
    const { auth, scopes, isByUserinfo = false, consoleCalls = false, token, settings } = this.setup;
    const { default: OidcProvider } = await import('oidc-provider');
    this.provider = new OidcProvider(this.issuer, {
      clients: [
        {
          client_id: consoleClient,
          client_secret: consoleSecret,
          redirect_uris: [`${consoleUrl}/console/callback`],
          post_logout_redirect_uris: [`${consoleUrl}/console`],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: auth[0],
        },
        {
          client_id: appClient,
          redirect_uris: [appRedirect],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: 'none',
        },
      ],
      clientAuthMethods: [...auth, 'none'],
      claims: { openid: ['sub'], ...scopes },
      conformIdTokenClaims: isByUserinfo,
      cookies: { keys: ['a key of this test'] },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_: unknown, { clientId }: { clientId: string }) =>
            clientId === appClient || consoleCalls ? api : undefined,
          getResourceServerInfo: () => ({ scope: 'openid', audience: api, accessTokenFormat: 'jwt' }),
          useGrantedResource: () => true,
        },
      },
      formats: {
        customizers: {
          jwt: (_: unknown, __: unknown, jwt: AccessToken) => {
            jwt.header = { ...jwt.header, ...token.header };
            jwt.payload = JSON.parse(JSON.stringify({ ...jwt.payload, ...token.claims })) as Claims;
            return jwt;
          },
        },
      },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...this.person }) }),
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `${this.mount}/interaction/${uid}` },
      ...settings,
    });
  }

  /** The tokens of the app after its person has signed in. */
  appTokens(nonce?: string): Promise<Tokens> {
    return this.tokens({ client_id: appClient, redirect_uri: appRedirect }, nonce);
  }

  /** The tokens of the console, taken by somebody else than the console. */
  consoleTokens(consoleUrl: string): Promise<Tokens> {
    const redirect_uri = `${consoleUrl}/console/callback`;
    return this.tokens({ client_id: consoleClient, client_secret: consoleSecret, redirect_uri });
  }

  /** RFC 6749 section 4.1 with PKCE; a client with a secret sends it by Basic. */
  private async tokens({ client_secret, ...client }: Client, nonce?: string): Promise<Tokens> {
    const query = new URLSearchParams({
      ...client,
      response_type: 'code',
      scope: 'openid',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(nonce !== undefined && { nonce }),
    });
    const browser = new Browser(this.origin);
    let at = new URL(`${this.origin}${this.mount}/auth?${query.toString()}`);
    while (at.origin === this.origin) {
      const { headers, status } = await browser.get(at.href);
      if (headers['location'] === undefined) throw new Error(`${at.pathname} answers ${status}.`);
      at = new URL(headers['location'], at);
    }
    const form = {
      ...client,
      grant_type: 'authorization_code',
      code: String(at.searchParams.get('code')),
      code_verifier: verifier,
    };
    const basic = btoa(`${client.client_id}:${encodeURIComponent(client_secret ?? '')}`);
    const response = await fetch(`${this.origin}${this.mount}/token`, {
      method: 'POST',
      headers: client_secret === undefined ? {} : { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    return (await response.json()) as Tokens;
  }

  private get mount(): string {
    return this.setup.path.replace(/\/$/, '');
  }

  private async handle(request: Asking, response: ServerResponse): Promise<void> {
    const { provider, mount } = this;
    const url = request.url ?? '/';
    if (!provider || !url.startsWith(`${mount}/`)) return void response.writeHead(404).end();
    // As frameworks say where the provider is mounted.
    request.originalUrl = url;
    request.url = url.slice(mount.length);
    if (!request.url.startsWith('/interaction/')) return void provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const clientId = String(params['client_id']);
    const grant = new provider.Grant({ accountId: this.sub, clientId });
    grant.addOIDCScope(String(params['scope']));
    grant.addResourceScope(api, 'openid');
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { login: { accountId: this.sub }, consent });
  }
}
