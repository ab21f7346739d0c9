import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '../../support/fake-clock.js';
import { TestApp } from '../../support/test-app.js';
import { Browser } from './support/browser.js';

const clientId = 'console';
const clientSecret = 'a secret/of+this:test';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
/** Still published after a rotation. */
const { publicKey: previousKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

interface Behaviour {
  /** Path of the issuer as the provider writes it. */
  readonly path: string;
  /** Added to the discovery document, or `undefined` to leave a member out. */
  readonly discovery: Readonly<Record<string, unknown>>;
  /** The one way in which the client may authenticate. */
  readonly auth: 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'none';
  readonly identity: Readonly<Record<string, unknown>>;
  readonly userinfo: Readonly<Record<string, unknown>> | null;
  /** Claims of the identity token that come with a scope. */
  readonly byScope: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const usual: Behaviour = {
  path: '',
  discovery: {},
  auth: 'client_secret_basic',
  identity: { groups: ['sre'] },
  userinfo: null,
  byScope: {},
};

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A provider written from the standards alone, which answers what a test says. */
class HandMadeProvider {
  readonly calls: string[] = [];
  readonly forms: URLSearchParams[] = [];
  tokenPath = '/token';
  isDown = false;
  origin = '';
  private readonly codes = new Map<string, URLSearchParams>();
  private scope = '';
  private readonly server: Server;

  constructor(readonly behaviour: Behaviour) {
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  get issuer(): string {
    return `${this.origin}${this.behaviour.path}`;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  count(path: string): number {
    return this.calls.filter((call) => call === path).length;
  }

  /** The person agrees: path at the console to which the provider sends the browser. */
  agree(authorizationUrl: string): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = `code-${this.codes.size}`;
    this.codes.set(code, asked);
    const query = new URLSearchParams({ code, state: String(asked.get('state')) });
    return `${new URL(String(asked.get('redirect_uri'))).pathname}?${query.toString()}`;
  }

  sign(claims: object, header: object = { typ: 'at+jwt' }, key: KeyObject = privateKey): string {
    const text = `${base64({ alg: 'RS256', kid: 'one', ...header })}.${base64(claims)}`;
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').split('?')[0] ?? '';
    this.calls.push(path);
    const [status, body] = this.isDown ? [503, {}] : this.answer(path, request, Buffer.concat(chunks).toString());
    // Some servers put a byte order mark in front, which readers may ignore (RFC 8259 section 8.1).
    const mark = path.endsWith('/openid-configuration') ? '\ufeff' : '';
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${mark}${JSON.stringify(body)}`);
  }

  private answer(path: string, { headers }: IncomingMessage, body: string): [number, object] {
    const { path: issuerPath, discovery, userinfo } = this.behaviour;
    if (path === `${issuerPath.replace(/\/$/, '')}/.well-known/openid-configuration`) {
      return [200, { ...this.document(), ...discovery }];
    }
    if (path === '/jwks') {
      const published = { zero: previousKey, one: publicKey };
      const keys = Object.entries(published).map(([kid, key]) => ({
        ...key.export({ format: 'jwk' }),
        kid,
        alg: 'RS256',
      }));
      return [200, { keys }];
    }
    if (path === '/userinfo') return [200, { sub: 'u-1', ...userinfo }];
    return path === this.tokenPath ? this.token(headers, new URLSearchParams(body)) : [404, {}];
  }

  private document(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}${this.tokenPath}`,
      jwks_uri: `${this.origin}/jwks`,
      end_session_endpoint: `${this.origin}/logout`,
      ...(this.behaviour.userinfo === null ? {} : { userinfo_endpoint: `${this.origin}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  private token(headers: IncomingMessage['headers'], form: URLSearchParams): [number, object] {
    this.forms.push(form);
    if (!this.knowsClient(headers, form)) return [401, { error: 'invalid_client' }];
    const asked = this.codes.get(String(form.get('code')));
    const challenge = createHash('sha256')
      .update(String(form.get('code_verifier')))
      .digest('base64url');
    this.codes.delete(String(form.get('code')));
    if (asked?.get('code_challenge') !== challenge || asked.get('redirect_uri') !== form.get('redirect_uri')) {
      return [400, { error: 'invalid_grant' }];
    }
    this.scope = String(asked.get('scope'));
    const iat = Math.floor(Date.now() / 1_000);
    const granted = this.scope.split(' ').map((scope) => this.behaviour.byScope[scope] ?? {});
    const claims = {
      ...{ iss: this.issuer, sub: 'u-1', aud: clientId, iat, exp: iat + 300, nonce: asked.get('nonce') },
      ...Object.fromEntries(granted.flatMap((one) => Object.entries(one))),
      ...this.behaviour.identity,
    };
    const id_token = this.sign(claims, { typ: 'JWT' });
    return [200, { access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token }];
  }

  /** RFC 7523 section 3. */
  private isByClient(assertion: string): boolean {
    const [header = '', payload = '', signature] = assertion.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const isOurs = claims['iss'] === clientId && claims['sub'] === clientId;
    const expected = createHmac('sha256', clientSecret).update(`${header}.${payload}`).digest('base64url');
    return isOurs && [claims['aud']].flat().includes(this.issuer) && signature === expected;
  }

  /** RFC 6749 section 2.3.1: both parts of Basic credentials are form-encoded first. */
  private knowsClient({ authorization }: IncomingMessage['headers'], form: URLSearchParams): boolean {
    const { auth } = this.behaviour;
    const assertion = form.get('client_assertion');
    if (assertion !== null) return auth === 'client_secret_jwt' && this.isByClient(assertion);
    const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
    const given = basic === undefined ? [form.get('client_id'), form.get('client_secret')] : decoded(basic);
    const way = basic !== undefined ? 'client_secret_basic' : given[1] === null ? 'none' : 'client_secret_post';
    return way === auth && given[0] === clientId && (auth === 'none' || given[1] === clientSecret);
  }
}

function decoded(basic: string): string[] {
  const pairs = Buffer.from(basic, 'base64').toString().split(':');
  return pairs.map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
}

describe('the sign-in of people', () => {
  const ends: (() => void)[] = [];
  let base: TestApp;

  beforeAll(async () => {
    // Providers live by the real time.
    base = await TestApp.create({ webhooks: false, clock: new FakeClock(Date.now()) });
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  afterAll(() => base.close());

  async function started(
    behaviour: Partial<Behaviour> = {},
    env: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ provider: HandMadeProvider; app: TestApp; browser: Browser }> {
    const provider = new HandMadeProvider({ ...usual, ...behaviour });
    await provider.start();
    ends.push(() => provider.stop());
    const app = await base.another({
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
        OIDC_ROLES: 'groups:sre=operator,groups:support=viewer',
        ...env,
      },
    });
    return { provider, app, browser: new Browser(app.url) };
  }

  async function signIn(browser: Browser, provider: HandMadeProvider, to = '/console'): Promise<string> {
    const begun = await browser.go(`/console/sign-in?to=${encodeURIComponent(to)}`);
    return begun.startsWith(provider.origin) ? browser.go(provider.agree(begun)) : begun;
  }

  const failures = (app: TestApp): Record<string, unknown>[] =>
    app.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === 'session.sign_in_failed');

  // Those of docs/console.md are tried with another implementation: oidc-setups.spec.ts.
  it.each([
    [
      'Google, by the domain of the organization',
      { identity: { hd: 'example.com' }, roles: 'hd:example.com=operator' },
    ],
    [
      'a provider that takes only assertions signed with the secret',
      { auth: 'client_secret_jwt', discovery: { token_endpoint_auth_methods_supported: ['client_secret_jwt'] } },
    ],
    ['a provider that lists no method', { discovery: { token_endpoint_auth_methods_supported: undefined } }],
  ] as readonly [string, Partial<Behaviour> & { roles?: string }][])(
    'succeeds at %s',
    async (_, { roles, ...behaviour }) => {
      const { provider, browser } = await started(behaviour, roles === undefined ? {} : { OIDC_ROLES: roles });
      expect(await signIn(browser, provider, '/console/messages?status=dead')).toBe(
        '/console/messages?status=dead&signed_in=1',
      );
      expect(await browser.role()).toBe('operator');
    },
  );

  it('follows the settings of client authentication and scopes where the provider is not as it says', async () => {
    const post = { auth: 'client_secret_post', identity: {}, byScope: { roles: { groups: ['sre'] } } } as const;
    const refused = await started(post);
    expect(await signIn(refused.browser, refused.provider)).toBe('/console?sign_in_failed=refused');
    expect(failures(refused.app)).toMatchObject([{ code: 'invalid_client', kind: 'client_secret_basic' }]);
    const env = { OIDC_CLIENT_AUTH: 'client_secret_post', OIDC_SCOPES: 'openid roles' };
    const { browser, provider } = await started(post, env);
    expect(await signIn(browser, provider)).toBe('/console?signed_in=1');
    const open = await started({ auth: 'none' }, { OIDC_CLIENT_SECRET: undefined });
    expect(await signIn(open.browser, open.provider)).toBe('/console?signed_in=1');
  });

  it.each([
    [undefined, 'openid profile email'],
    [['openid'], 'openid'],
    [['openid', 'name', 'email'], 'openid email'],
  ])('asks a provider that lists the scopes %j for %s', async (scopes_supported, asked) => {
    const { browser } = await started({ discovery: { scopes_supported } });
    expect(new URL(await browser.go('/console/sign-in')).searchParams.get('scope')).toBe(asked);
  });

  it('fails with both texts if the issuer differs by a slash', async () => {
    for (const [path, configured] of [
      ['/application/o/keep/', '/application/o/keep'],
      ['/realms/ops', '/realms/ops/'],
    ] as const) {
      const { provider, app: other } = await started({ path });
      const issuer = `${provider.origin}${configured}`;
      const app = await other.another({
        env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_ROLES: 'groups:sre=operator' },
      });
      expect(await new Browser(app.url).go('/console/sign-in')).toBe('/console?sign_in_failed=unavailable');
      expect(failures(app)).toMatchObject([{ expected: issuer, answered: provider.issuer }]);
    }
  });

  it('fails with both texts if the identity token is of another issuer, or for another client', async () => {
    for (const [claim, of] of [
      ['iss', (provider: HandMadeProvider) => provider.issuer],
      ['aud', () => clientId],
    ] as const) {
      const { provider, app, browser } = await started({ identity: { groups: ['sre'], [claim]: 'https://other' } });
      expect(await signIn(browser, provider)).toBe('/console?sign_in_failed=refused');
      expect(failures(app)).toMatchObject([{ expected: of(provider), answered: 'https://other' }]);
    }
  });

  it('without a role says why userinfo, which may have named it, was not read', async () => {
    const { provider, app, browser } = await started({
      identity: {},
      discovery: { userinfo_endpoint: 'http://127.0.0.1:9/userinfo' },
    });
    expect(await signIn(browser, provider)).toBe('/console?sign_in_failed=no_role');
    expect(failures(app)).toMatchObject([{ reason: 'no_role', error: expect.any(String) }]);
  });

  it('gives no role by an address that the provider has not verified', async () => {
    const roles = { OIDC_ROLES: 'email:boss@example.com=operator,preferred_username:boss=viewer' };
    for (const [verified, expected] of [
      [true, 'operator'],
      [false, undefined],
      [undefined, undefined],
    ] as const) {
      const claims = { email: 'boss@example.com', email_verified: verified, preferred_username: 'boss' };
      const { browser, provider, app } = await started({ identity: claims }, roles);
      await signIn(browser, provider);
      expect([verified, await browser.role()]).toEqual([verified, expected]);
      const iat = Math.floor(base.clock.now() / 1_000);
      const token = provider.sign({ iss: provider.issuer, sub: 'u-1', aud: clientId, iat, exp: iat + 60, ...claims });
      const { body } = await app.call('GET', '/admin/v1/sessions/current', `Bearer ${token}`);
      expect([verified, (body as { role?: string }).role]).toEqual([verified, expected]);
      expect(app.logs.join('')).toContain('config.roles_without_effect');
    }
  });

  it('takes an address and whether it is verified from the same place', async () => {
    const identity = { email: 'boss@example.com' };
    const userinfo = { email: 'me@example.com', email_verified: true };
    const roles = { OIDC_ROLES: 'email:boss@example.com=operator,email:me@example.com=viewer' };
    const { browser, provider } = await started({ identity, userinfo }, roles);
    expect(await signIn(browser, provider)).toBe('/console?sign_in_failed=no_role');
    const same = await started({ identity, userinfo: { ...identity, email_verified: true } }, roles);
    await signIn(same.browser, same.provider);
    expect(await same.browser.role()).toBe('operator');
  });

  it('works in two tabs, and shows the console after the back button', async () => {
    const { browser, provider } = await started();
    const [first, second] = [
      await browser.go('/console/sign-in?to=/console/messages'),
      await browser.go('/console/sign-in?to=/console/pulls'),
    ];
    const back = provider.agree(first);
    expect(await browser.go(back)).toBe('/console/messages?signed_in=1');
    expect(await browser.go(provider.agree(second))).toBe('/console/pulls?signed_in=1');
    expect(await browser.go(back)).toBe('/console');
    expect(provider.count('/token')).toBe(2);
    for (let tab = 0; tab < 30; tab++) await browser.go('/console/sign-in');
    expect([...browser.jar().keys()].filter((name) => name.includes('sign_in')).length).toBeLessThanOrEqual(6);
  });

  it('calls the provider once for each sign-in that was begun here, and not for any other', async () => {
    const { browser, provider, app } = await started();
    await browser.go('/console/sign-in');
    const [name = '', value = ''] = [...browser.jar()][0] ?? [];
    const [state = '', expiry, , signature] = value.split('.');
    const page = Buffer.from('https://evil.example/').toString('base64url');
    const forged = [
      `${state}.${expiry}.${page}.${signature}`,
      `${state}.zzzzzzzz..${signature}`,
      'state.zzzzzzzz.page.signature',
      '%',
      value.slice(0, -1),
    ];
    for (const cookie of forged) {
      browser.jar().set(name, cookie);
      expect(await browser.go(`/console/callback?code=any&state=${state}`)).toBe('/console?sign_in_failed=expired');
    }
    expect(provider.count('/token')).toBe(0);
    browser.jar().set(name, value);
    for (let time = 0; time < 5; time++) {
      await browser.go(`/console/callback?code=any&state=${state}`);
      browser.jar().set(name, value);
    }
    expect(provider.count('/token')).toBe(1);
    const late = new Browser(app.url);
    const begun = await late.go('/console/sign-in');
    base.clock.advance(600_000);
    expect(await late.go(provider.agree(begun))).toBe('/console?sign_in_failed=expired');
    expect(provider.count('/token')).toBe(1);
  });

  it('calls the provider at most forty times a minute for one address', async () => {
    const { provider, app } = await started();
    const results: string[] = [];
    for (let time = 0; time < 50; time++) {
      const browser = new Browser(app.url);
      const state = new URL(await browser.go('/console/sign-in')).searchParams.get('state');
      results.push(await browser.go(`/console/callback?code=any&state=${state}`));
    }
    expect([provider.count('/token'), results.at(-1)]).toEqual([40, '/console?sign_in_failed=busy']);
  });

  it('returns only to pages of the console', async () => {
    const { browser, provider } = await started();
    const outside = [
      '//evil.example',
      '/console/../docs',
      '/console/%2e%2e/docs',
      '/console/sign-out',
      '/console/sign-in',
      '/console/callback?code=x',
      '/consolex',
    ];
    for (const to of outside) expect([to, await signIn(browser, provider, to)]).toEqual([to, '/console?signed_in=1']);
  });

  it('ends at the provider with the identity token of the session, which the database alone does not reveal', async () => {
    const { browser, provider, app } = await started();
    await signIn(browser, provider);
    const stored = JSON.stringify(await app.store.reader.rows('SELECT * FROM console_sessions'));
    const held = browser.jar().get('pulsekeep_session');
    const end = new URL(await browser.go('/console/sign-out'));
    expect(end.pathname).toBe('/logout');
    const [, claims = ''] = String(end.searchParams.get('id_token_hint')).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'u-1', aud: clientId });
    expect(stored).not.toContain(claims.slice(0, 40));
    expect(browser.jar().has('pulsekeep_session')).toBe(false);
    browser.jar().set('pulsekeep_session', String(held));
    expect(await browser.role()).toBeUndefined();
  });

  it('reads the discovery document again hourly and after a failure, and uses the old one meanwhile', async () => {
    const { browser, provider } = await started();
    const reads = (): number => provider.count('/.well-known/openid-configuration');
    await signIn(browser, provider);
    await signIn(browser, provider);
    expect(reads()).toBe(1);
    provider.tokenPath = '/moved/token';
    expect(await signIn(browser, provider)).toBe('/console?sign_in_failed=refused');
    base.clock.advance(10_000);
    expect(await signIn(browser, provider)).toBe('/console?signed_in=1');
    expect(reads()).toBe(2);
    base.clock.advance(3_600_000);
    provider.isDown = true;
    expect(await browser.go('/console/sign-in')).toMatch(/\/authorize\?/);
    provider.isDown = false;
    expect(reads()).toBe(3);
  });

  it('takes the address of the service from PUBLIC_URL alone', async () => {
    const { provider, app } = await started({}, { PUBLIC_URL: 'https://keep.example.com/' });
    const hosts: Record<string, string>[] = [
      {},
      { host: 'evil.example' },
      { host: '10.0.0.5:3000', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    ];
    for (const headers of hosts) {
      const browser = new Browser(app.url, headers);
      const begun = new URL(await browser.go('/console/sign-in'));
      expect(begun.searchParams.get('redirect_uri')).toBe('https://keep.example.com/console/callback');
      expect(await browser.go(provider.agree(begun.href))).toBe('/console?signed_in=1');
      expect([...browser.jar().keys()]).toEqual(['__Host-pulsekeep_session']);
      expect(await browser.role()).toBe('operator');
    }
  });

  it('is refused under an address that only the caller tells, without PUBLIC_URL', async () => {
    const { app } = await started();
    const hosts: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: 'evil.example', 'x-forwarded-proto': 'https' },
      { host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    ];
    for (const headers of hosts) {
      const { status, body } = await new Browser(app.url, headers).get('/console/sign-in');
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
    const proxied = await started({}, { TRUSTED_PROXIES: '127.0.0.1' });
    const begun = await new Browser(proxied.app.url, { host: 'keep.example.com', 'x-forwarded-proto': 'https' }).go(
      '/console/sign-in',
    );
    expect(new URL(begun).searchParams.get('redirect_uri')).toBe('https://keep.example.com/console/callback');
  });

  it('accepts a token instead only if it is an access token of this client', async () => {
    const claimsOf = (provider: HandMadeProvider): Record<string, unknown> => {
      const iat = Math.floor(base.clock.now() / 1_000);
      return { iss: provider.issuer, sub: 'u-1', aud: clientId, iat, exp: iat + 60, groups: ['sre'] };
    };
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };

    const { provider, app } = await started({ path: '/application/o/keep/' });
    for (const [kind, header, claims, expected] of [
      ['an access token', { typ: 'at+jwt' }, {}, 200],
      ['an access token that does not name its key', { typ: 'at+jwt', kid: undefined }, {}, 200],
      ['a token for scopes', { typ: 'JWT' }, { scope: 'openid' }, 200],
      ['a token of Keycloak', { typ: 'JWT' }, { typ: 'Bearer', azp: clientId }, 200],
      ['an identity token', { typ: 'JWT' }, { nonce: 'n' }, 401],
      ['an identity token without nonce', { typ: 'JWT' }, {}, 401],
      ['an identity token without a type', {}, {}, 401],
      ['a logout token', { typ: 'logout+jwt' }, { events }, 401],
      ['a logout token without a type', {}, { events, scope: 'openid' }, 401],
      ['a token of nobody', { typ: 'at+jwt' }, { sub: '' }, 401],
      ['a token of another client', { typ: 'at+jwt' }, { azp: 'other' }, 401],
      ['a token of another client id', { typ: 'at+jwt' }, { client_id: 'other' }, 401],
      ['a token of another client at Okta', { typ: 'JWT' }, { cid: 'other', scp: ['openid'] }, 401],
      ['a token of another client at Entra ID', { typ: 'JWT' }, { appid: 'other', scp: 'access' }, 401],
      ['a refresh token', { typ: 'JWT' }, { typ: 'Refresh', scope: 'openid' }, 401],
    ] as const) {
      const token = provider.sign({ ...claimsOf(provider), ...claims }, header);
      const { status } = await app.call('GET', '/admin/v1/sessions/current', `Bearer ${token}`);
      expect([kind, status]).toEqual([kind, expected]);
    }
  });
});
